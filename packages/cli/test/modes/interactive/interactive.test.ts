/** Tests when a session uses plain lines. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { wantsPlainMode } from "../../../src/modes/interactive/interactive.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pith-home-"));
});

afterEach(() => rmSync(home, { recursive: true }));

test.each([
  { flag: undefined, setting: undefined, terminal: "xterm", is: false },
  { flag: undefined, setting: undefined, terminal: "dumb", is: true },
  { flag: undefined, setting: true, terminal: "xterm", is: true },
  { flag: undefined, setting: false, terminal: "dumb", is: false },
  { flag: true, setting: false, terminal: "xterm", is: true },
])("PLN15 the flag decides on plain mode before the setting, and the setting before the terminal: %j", async (row) => {
  if (row.setting !== undefined) writeFileSync(join(home, "settings.json"), JSON.stringify({ plain: row.setting }));
  const choices = row.flag === undefined ? {} : { plain: row.flag };
  expect(await wantsPlainMode(choices, { home, terminalName: row.terminal })).toBe(row.is);
});

test("PLN15 with unreadable settings, the terminal decides on plain mode", async () => {
  writeFileSync(join(home, "settings.json"), "{");
  expect(await wantsPlainMode({}, { home, terminalName: "dumb" })).toBe(true);
});
