/** The settings file: what counts, what is noted, what is a mistake. */

import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compactionLimits } from "@pith/context";
import { expect, test } from "vitest";
import { limitsOf } from "../../src/home/limits.ts";
import { readSettings, settingsIn } from "../../src/home/read-settings.ts";

const whole = {
  model: "anthropic/claude-sonnet-4-5",
  thinking: "high",
  mode: "edit",
  sandbox: "on",
  network: "off",
  tools: ["read", "bash"],
  baseUrl: "https://gateway.example/v1",
  contextWindow: 64_000,
  compaction: { enabled: false, reserveTokens: 8_000, keepRecentTokens: 10_000 },
};

test("SET1 every setting is read, with or without a byte order mark", () => {
  expect(settingsIn(`\ufeff${JSON.stringify(whole)}`, "s.json")).toEqual({ type: "read", settings: whole, notes: [] });
});

test.each([
  ['{ "model": "sonnet" }', 's.json: model is "sonnet"; write provider/model, such as anthropic/claude-sonnet-4-5'],
  ['{ "thinking": 3 }', "s.json: thinking is 3; write off, minimal, low, medium, high, xhigh or max"],
  ['{ "sandbox": true }', "s.json: sandbox is true; write on or off"],
  ['{ "tools": "read" }', 's.json: tools is "read"; write names of tools, such as read and bash'],
  ['{ "contextWindow": -1 }', "s.json: contextWindow is -1; write a whole number of tokens, such as 128000"],
  ['{ "compaction": false }', 's.json: compaction is false; write { "enabled": true }'],
  ['{ "compaction": { "enabled": "no" } }', 's.json: compaction.enabled is "no"; write true or false'],
  [
    '{ "mode": "yolo", "baseUrl": "x" }',
    's.json: mode is "yolo"; write ask, edit, plan or all\ns.json: baseUrl is "x"; write an address of the web, such as http://127.0.0.1:8080/v1',
  ],
  ["[]", 's.json is no JSON object; write { "model": "provider/model" }'],
])("SET2 a mistake names the file, the setting and what to write: %s", (text, message) => {
  expect(settingsIn(text, "s.json")).toEqual({ type: "mistake", message });
});

test("SET2 what is no JSON is a mistake that says in one line what stands there", () => {
  expect(settingsIn('{\n  "model": \n}', "s.json")).toMatchObject({
    type: "mistake",
    message: expect.stringMatching(/^s\.json is no JSON: .*"model".*; write it without comments/),
  });
});

test("SET3 a setting that nobody knows is noted, and the rest counts", () => {
  const text = '{ "modle": "a/b", "thinking": "low", "compaction": { "keepRecentToken": 5 }, "theme": "dark" }';
  expect(settingsIn(text, "s.json")).toMatchObject({
    type: "read",
    settings: { thinking: "low" },
    notes: [
      "s.json: modle is no setting; did you mean model?",
      expect.stringMatching(/^s\.json: theme is no setting; there are model, /),
      "s.json: compaction.keepRecentToken is no setting; did you mean compaction.keepRecentTokens?",
    ],
  });
});

test("SET1 no file is no mistake, one that cannot be read is, and a link is followed", async () => {
  const home = mkdtempSync(join(tmpdir(), "pith-settings-"));
  try {
    expect(await readSettings(home)).toEqual({ type: "read", settings: {}, notes: [] });
    writeFileSync(join(home, "mine.json"), JSON.stringify(whole));
    symlinkSync("mine.json", join(home, "settings.json"));
    expect(await readSettings(home)).toMatchObject({ settings: whole });
    expect(await readSettings(join(home, "mine.json"))).toMatchObject({
      type: "mistake",
      message: expect.stringContaining("cannot be read"),
    });
  } finally {
    rmSync(home, { recursive: true });
  }
});

test("SET1 the settings of compaction become its limits", () => {
  expect(limitsOf()).toEqual(compactionLimits);
  expect(limitsOf(whole.compaction)).toEqual({
    ...compactionLimits,
    enabled: false,
    thresholds: [{ reserve: 8_000 }],
    tail: { ...compactionLimits.tail, tokens: 10_000 },
  });
});
