/** The text of a settings file: what counts, what is noted, what is a mistake. */

import { expect, test } from "vitest";
import { expectLinearTime } from "../../../context/test/support/expect-speed.ts";
import { buildSettings } from "../../../host/src/settings/fields.ts";
import { parseSettings } from "../../../host/src/settings/parse.ts";
import type { Settings } from "../../../host/src/settings/settings.ts";
import { listSettings } from "../../src/settings/list.ts";

const whole: Settings = {
  model: "anthropic/claude-sonnet-4-5",
  baseUrl: "https://gateway.example/v1",
  thinking: "high",
  permissionMode: "edit",
  sandbox: "on",
  network: "off",
  tools: ["read", "bash"],
  contextWindow: 64_000,
  fetchHosts: ["localhost:5173"],
  contextFiles: false,
  skills: false,
  compaction: {
    enabled: false,
    reserveTokens: 0,
    keepRecentTokens: 10_000,
    thresholdPercent: 72.5,
    thresholdTokens: 100_000,
    softPercent: 60,
    instructions: "Keep the names of the tests.",
    ask: true,
    model: ["google/gemini-2.5-flash", "openai/gpt-5-mini"],
    modelOverrides: { "openai/gpt-5.1": { reserveTokens: 0.15, thresholdPercent: 50 } },
    agentOverrides: { __proto__x: { keepRecentTokens: 5_000 } },
  },
  branchSummary: { reserveTokens: 8_000, skipPrompt: true },
  secrets: { redact: "off", also: ["COMPANY_PIN"] },
};

test("SET1 every setting is read, with or without a byte order mark, and a schema reference is ignored", () => {
  const text = `\ufeff${JSON.stringify({ $schema: "./settings.schema.json", ...whole })}`;
  const read = parseSettings(text, "s.json");
  expect(read).toMatchObject({ type: "read", notes: [] });
  expect(read.type === "read" && buildSettings(read.fields)).toEqual(whole);
});

test("SET5 comments and trailing commas are allowed", () => {
  const text = '// mine\n{\n  "thinking": "low", /* for now */\n  "tools": ["read", "bash",],\n}\n';
  const read = parseSettings(text, "s.json");
  expect(read.type === "read" && buildSettings(read.fields)).toEqual({ thinking: "low", tools: ["read", "bash"] });
});

test.each([
  ['{ "model": " " }', 's.json:1: model is " "; expected a model, such as sonnet or anthropic/claude-sonnet-5'],
  [
    '{\n "thinking": 3 }',
    's.json:2: thinking is 3; expected "off", "minimal", "low", "medium", "high", "xhigh" or "max"',
  ],
  ['{ "sandbox": true }', 's.json:1: sandbox is true; expected "on" or "off"'],
  ['{ "skills": "off" }', 's.json:1: skills is "off"; expected true or false'],
  [
    '{ "tools": "read" }',
    's.json:1: tools is "read"; expected a list of tool names: read, write, edit, bash, recall, grep, find, ls, fetch, or all',
  ],
  [
    '{ "tools": ["raed"] }',
    's.json:1: tools is ["raed"]; expected a list of tool names: read, write, edit, bash, recall, grep, find, ls, fetch, or all',
  ],
  ['{ "contextWindow": 1e999 }', "s.json:1:20: 1e999 is not a value; strings need double quotes"],
  [
    '{ "compaction": { "agentOverrides": { "": { "reserveTokens": 1 } } } }',
    's.json:1: compaction.agentOverrides[""] has an invalid name; expected an agent\'s name, such as reviewer',
  ],
  ['{ "contextWindow": -1 }', "s.json:1: contextWindow is -1; expected a whole number of tokens, such as 128000"],
  ['{ "compaction": false }', 's.json:1: compaction is false; expected { "enabled": true }'],
  ['{ "secrets": [] }', 's.json:1: secrets is []; expected { "redact": … }'],
  ['{ "compaction": {\n "enabled": "no" } }', 's.json:2: compaction.enabled is "no"; expected true or false'],
  [
    '{ "compaction": { "thresholdPercent": 101 } }',
    "s.json:1: compaction.thresholdPercent is 101; expected a number above 0 and up to 100, such as 72.5",
  ],
  [
    '{ "compaction": { "modelOverrides": { "a/b.c": { "reserveTokens": 1.5 } } } }',
    's.json:1: compaction.modelOverrides["a/b.c"].reserveTokens is 1.5; expected a whole number of tokens, such as 16384, or a fraction of the context window between 0 and 1, such as 0.1',
  ],
  [
    '{ "compaction": { "keepRecentTokens": -0.1 } }',
    "s.json:1: compaction.keepRecentTokens is -0.1; expected a whole number of tokens, such as 20000, or a fraction of the context window between 0 and 1, such as 0.1",
  ],
  [
    '{ "compaction": { "modelOverrides": { "a/b": 1 } } }',
    's.json:1: compaction.modelOverrides["a/b"] is 1; expected { "reserveTokens": … }',
  ],
  [
    '{ "compaction": { "modelOverrides": { "sonnet": { "reserveTokens": 1 } } } }',
    's.json:1: compaction.modelOverrides["sonnet"] has an invalid name; expected provider/model, such as anthropic/claude-sonnet-4-5',
  ],
  [
    '{ "permissionMode": "yolo",\n "baseUrl": "x" }',
    's.json:1: permissionMode is "yolo"; expected "ask", "edit", "plan" or "all"\ns.json:2: baseUrl is "x"; expected an http or https URL, such as http://127.0.0.1:8080/v1',
  ],
  ['{ "deny": ["bash"] }', "s.json:1: deny is not a setting; pass rules with --allow and --deny"],
  ['{ "mode": "plan" }', "s.json:1: mode is not a setting; use permissionMode"],
  ["[]", "s.json:1:1: the file must contain one object: { … }"],
  ['{\n  "model": \n}', "s.json:3:1: a value is missing before }"],
])("SET2 a mistake names the file, the line, the setting and what to write: %s", (text, message) => {
  expect(parseSettings(text, "s.json")).toEqual({ type: "mistake", message });
});

test("SET5 thousands of overrides are read and listed in linear time", () => {
  const createText = (length: number): string => {
    const names = Array.from({ length }, (_, at) => [`a/${at}`, { thresholdTokens: 1 }]);
    return JSON.stringify({ compaction: { modelOverrides: Object.fromEntries(names) } });
  };
  const countOverrides = (text: string): number => {
    const read = parseSettings(text, "s.json");
    const listed = read.type === "read" ? listSettings(buildSettings(read.fields), new Map()) : [];
    return listed.filter(({ name }) => name.includes("Overrides")).length;
  };
  const [small, large] = [createText(2_000), createText(8_000)];
  expect(countOverrides(large)).toBe(8_000);
  expectLinearTime(
    () => countOverrides(small),
    () => countOverrides(large),
  );
});

test("SET3 a note about a setting name with a line break is one line", () => {
  const read = parseSettings('{ "x\\n/repo is trusted": 1 }', "s.json");
  expect(read.type === "read" && read.notes).toEqual([
    expect.stringContaining("x\\n/repo is trusted is not a setting"),
  ]);
});

test("SET3 an unknown setting causes a note, and the others apply", () => {
  const text =
    '{ "modle": "a/b", "thinking": "low", "compaction": { "keepRecentToken": 5 }, "wallpaper": "dark", "apiKey": "x" }';
  const read = parseSettings(text, "s.json");
  expect(read.type === "read" && buildSettings(read.fields)).toEqual({ thinking: "low" });
  expect(read).toMatchObject({
    notes: [
      "s.json:1: modle is not a setting; did you mean model?",
      "s.json:1: compaction.keepRecentToken is not a setting; did you mean compaction.keepRecentTokens?",
      "s.json:1: wallpaper is not a setting; run pith settings to list all settings",
      "s.json:1: apiKey is not a setting; API keys are read from environment variables or keys.json",
    ],
  });
});

test("SET2 only the first of many mistakes are listed, and a file that is too large is not read", () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`strange${at}`, 1]));
  const read = parseSettings(JSON.stringify(many), "s.json");
  expect(read.type === "read" && read.notes.length).toBe(13);
  expect(read).toMatchObject({ notes: expect.arrayContaining(["and 4988 more"]) });
  const long = parseSettings(JSON.stringify({ ["n".repeat(200_000)]: 1, secrets: { also: [] } }), "s.json");
  expect(long).toMatchObject({
    notes: [`s.json:1: ${"n".repeat(80)}… is not a setting; run pith settings to list all settings`],
  });
  expect(parseSettings(" ".repeat(300_000), "s.json")).toMatchObject({
    message: "s.json is too large for a settings file",
  });
});
