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
  set({ thinking: "low", permissionMode: "ask", sandbox: "off", contextWindow: 9_000 });
  const environment = { PITH_THINKING: "medium", PITH_PERMISSION_MODE: " plan ", PITH_NETWORK: "" };
  expect(await choose({ thinking: "high" }, { environment, home })).toEqual({
    type: "chosen",
    choices: { thinking: "high", permissionMode: "plan", sandbox: "off", contextWindow: 9_000 },
    sources: new Map([
      ["thinking", "--thinking"],
      ["permissionMode", "PITH_PERMISSION_MODE"],
      ["sandbox", join(home, "settings.json")],
      ["contextWindow", join(home, "settings.json")],
    ]),
    notes: [],
  });
});

test("SET4 an address of the settings serves the model of the settings, and no other", async () => {
  set({ model: "anthropic/a", baseUrl: "https://gateway.example/v1" });
  const other = { model: "openai/b" };
  expect(await choose({}, { environment: {}, home })).toMatchObject({
    choices: { model: "anthropic/a", baseUrl: "https://gateway.example/v1" },
  });
  const spoken = await Promise.all([
    choose(other, { environment: {}, home }),
    choose({}, { environment: { PITH_MODEL: "openai/b" }, home }),
  ]);
  for (const chosen of spoken) expect(chosen.type === "chosen" && chosen.choices).toEqual(other);
  expect(await choose({ model: "anthropic/a" }, { environment: {}, home })).toMatchObject({
    choices: { model: "anthropic/a", baseUrl: "https://gateway.example/v1" },
  });
  const moved = await choose({ baseUrl: "http://127.0.0.1:1/v1" }, { environment: {}, home });
  expect(moved).toMatchObject({ choices: { model: "anthropic/a", baseUrl: "http://127.0.0.1:1/v1" } });
});

test("SET2 a mistake in a variable names it", async () => {
  const environment = { PITH_SANDBOX: "maybe", PITH_MODEL: "gpt" };
  expect(await choose({}, { environment, home })).toEqual({
    type: "mistake",
    message:
      'PITH_MODEL is "gpt"; write provider/model, such as anthropic/claude-sonnet-4-5\nPITH_SANDBOX is "maybe"; write on or off',
  });
});

test("SET4 a project goes before the user's file, deep into both, and behind variables and flags", async () => {
  set({ thinking: "low", compaction: { reserveTokens: 1, modelOverrides: { "a/b": { reserveTokens: 2 } } } });
  const path = "/p/.pith/settings.json";
  const compaction = { keepRecentTokens: 3, modelOverrides: { "a/b": { keepRecentTokens: 4 }, "c/d": {} } };
  const project = { path, text: JSON.stringify({ thinking: "high", contextWindow: 5, compaction }) };
  const chosen = await choose({ thinking: "off" }, { environment: {}, home, project });
  expect(chosen).toEqual({
    type: "chosen",
    choices: {
      thinking: "off",
      contextWindow: 5,
      compaction: {
        reserveTokens: 1,
        keepRecentTokens: 3,
        modelOverrides: { "a/b": { reserveTokens: 2, keepRecentTokens: 4 } },
      },
    },
    sources: new Map([
      ["thinking", "--thinking"],
      ["compaction.reserveTokens", join(home, "settings.json")],
      ['compaction.modelOverrides["a/b"].reserveTokens', join(home, "settings.json")],
      ["contextWindow", path],
      ["compaction.keepRecentTokens", path],
      ['compaction.modelOverrides["a/b"].keepRecentTokens', path],
    ]),
    notes: [expect.stringContaining('compaction.modelOverrides["c/d"] is empty, so it does not count')],
  });
});

test.each([
  ["1", { compaction: { enabled: false } }],
  ["yes", { compaction: { enabled: false } }],
  ["0", {}],
  [" ", {}],
])("SET6 PITH_DISABLE_AUTOCOMPACT can only switch off: %j", async (value, choices) => {
  const environment = { PITH_DISABLE_AUTOCOMPACT: value };
  expect(await choose({}, { environment, home })).toMatchObject({ type: "chosen", choices });
  const odd = await choose({}, { environment: { PITH_DISABLE_AUTOCOMPACT: "maybe" }, home });
  expect(odd).toMatchObject({ message: 'PITH_DISABLE_AUTOCOMPACT is "maybe"; write 1, or leave it out' });
});

function set(settings: Settings): void {
  writeFileSync(join(home, "settings.json"), JSON.stringify(settings));
}
