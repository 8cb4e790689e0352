/** Who wins: a flag over a variable, a variable over a setting. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { choose } from "../../src/home/choose.ts";
import type { Settings } from "../../src/home/settings.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pith-choose-"));
});

afterEach(() => {
  rmSync(home, { recursive: true });
});

test("SET4 a flag goes before a variable, a variable before a setting", async () => {
  set({ thinking: "low", mode: "ask", sandbox: "off", contextWindow: 9_000 });
  const environment = { PITH_THINKING: "medium", PITH_MODE: " plan ", PITH_NETWORK: "" };
  expect(await choose({ thinking: "high" }, { environment, home })).toEqual({
    type: "chosen",
    choices: { thinking: "high", mode: "plan", sandbox: "off", contextWindow: 9_000 },
    notes: [],
  });
});

test("SET4 an address of the settings serves the model of the settings, and no other", async () => {
  set({ model: "anthropic/a", baseUrl: "https://gateway.example/v1" });
  const other = { model: "openai/b" };
  expect(await choose({}, { environment: {}, home })).toMatchObject({
    choices: { model: "anthropic/a", baseUrl: "https://gateway.example/v1" },
  });
  expect(await choose(other, { environment: {}, home })).toEqual({ type: "chosen", choices: other, notes: [] });
  expect(await choose({}, { environment: { PITH_MODEL: "openai/b" }, home })).toEqual({
    type: "chosen",
    choices: other,
    notes: [],
  });
});

test("SET2 a mistake in a variable names it", async () => {
  const environment = { PITH_SANDBOX: "maybe", PITH_MODEL: "gpt" };
  expect(await choose({}, { environment, home })).toEqual({
    type: "mistake",
    message:
      'PITH_MODEL is "gpt"; write provider/model, such as anthropic/claude-sonnet-4-5\nPITH_SANDBOX is "maybe"; write on or off',
  });
});

function set(settings: Settings): void {
  writeFileSync(join(home, "settings.json"), JSON.stringify(settings));
}
