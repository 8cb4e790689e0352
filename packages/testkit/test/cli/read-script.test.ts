/** Tests the messages about faults of a script. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { helpText } from "../../src/cli/args.ts";
import { parseScript } from "../../src/cli/read-script.ts";

const parts = [{ type: "text", text: "hi" }];

test("KIT7 accepts a script with every field", () => {
  const all = [
    "hello",
    {
      parts: [
        { type: "thinking", text: "hm", redacted: true },
        { type: "search", query: "x", results: [{ title: null, url: "https://example.org" }], error: "unavailable" },
        { type: "call", name: "read", arguments: {}, id: "a" },
      ],
      stop: "calls",
      stopAs: "tool_use",
    },
    {
      parts,
      usage: { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 },
      pace: { waitMs: 0, everyMs: 1, chunk: 2 },
      breaks: { how: "stall", after: 1 },
    },
    { parts, usage: "zero", breaks: { how: "error", error: { message: "no" } } },
    {
      refuse: {
        status: 529,
        type: "overloaded_error",
        code: "x",
        message: "Overloaded",
        headers: { "retry-after": "1" },
        body: "no",
      },
    },
  ];
  expect(parseScript(JSON.stringify(all))).toEqual({ script: expect.any(Function) });
});

test("KIT7 accepts the scripts of the help text and the docs", () => {
  const page = readFileSync(new URL("../../../../docs/testkit.md", import.meta.url), "utf8");
  const shown = [/```json\n(.*?)```/s.exec(page)?.[1], /\n {2}(\[\n.*?\n {2}\])\n/s.exec(helpText)?.[1]];
  for (const script of shown) expect(parseScript(script ?? "none")).toEqual({ script: expect.any(Function) });
});

test.each([
  ["no JSON", "[", /^The script is not JSON: /],
  ["an empty list", [], /^A script is a list of at least one step/],
  ["a text", "hello", /^A script is a list/],
  [
    "an unknown name beside the steps",
    { steps: ["a"], repeat: true },
    /^The script has "repeat", which is unknown. Use steps or loop\.$/,
  ],
  ["a loop that is a number", { steps: ["a"], loop: 3 }, /^loop must be true or false\.$/],
  ["a step that is nothing", [null], /^step 1 is null: write a string \("Hello!"\), a reply .* or a refusal/],
  ["a step of another shape", [{ text: "hi" }], /^step 1 is an object with text: write a string/],
  ["an unknown name in a reply", [{ parts, delay: 3 }], /^step 1 has "delay", which is unknown. Use parts, stop,/],
  ["parts that are a text", [{ parts: "hi" }], /^step 1: parts is "hi": write a list/],
  ["a part that is a text", [{ parts: ["hi"] }], /^step 1, part 1 is "hi": write \{ "type": "text"/],
  [
    "a part without words",
    ["a", { parts: [...parts, { type: "text" }] }],
    /^step 2, part 2: text is missing: write a string\.$/,
  ],
  ["a call without a name", [{ parts: [{ type: "call", arguments: {} }] }], /^step 1, part 1: name is missing/],
  [
    "arguments that are a text",
    [{ parts: [{ type: "call", name: "read", arguments: "{}" }] }],
    /^step 1, part 1: arguments is "\{\}": write an object/,
  ],
  [
    "the provider's name for arguments",
    [{ parts: [{ type: "call", name: "read", arguments: {}, input: {} }] }],
    /part 1 has "input", which is unknown. Use type, name, arguments, id\.$/,
  ],
  [
    "a search without results",
    [{ parts: [{ type: "search", query: "x" }] }],
    /^step 1, part 1: results is missing: write a list, as in /,
  ],
  [
    "a result without a URL",
    [{ parts: [{ type: "search", query: "x", results: [{ title: "A" }] }] }],
    /^step 1, part 1, result 1: url is missing: write a URL\.$/,
  ],
  [
    "a search for nothing",
    [{ parts: [{ type: "search", results: [] }] }],
    /^step 1, part 1: query is missing: write the search query\.$/,
  ],
  [
    "a stop of others",
    [{ parts, stop: "end_turn" }],
    /^step 1: stop is "end_turn": write one of stop, length, calls, refusal, context-window\.$/,
  ],
  ["usage as a word", [{ parts, usage: "low" }], /^step 1: usage is "low": write "zero", "none" or numbers/],
  ["usage below zero", [{ parts, usage: { input: -1 } }], /^step 1: usage\.input is -1: write a number, 0 or more\.$/],
  ["a pace as a word", [{ parts, pace: { everyMs: "slow" } }], /^step 1: pace\.everyMs is "slow"/],
  ["a chunk of zero", [{ parts, pace: { chunk: 0 } }], /^step 1: pace\.chunk is 0/],
  [
    "a break of another kind",
    [{ parts, breaks: { how: "explode" } }],
    /^step 1: breaks\.how is "explode": write one of stall, cut, end, garbage, repeat, long-line, error/,
  ],
  ["an error without a message", [{ parts, breaks: { how: "error" } }], /^step 1: breaks\.error is missing/],
  [
    "a refusal with a good status",
    [{ refuse: { status: 200, message: "" } }],
    /^step 1: status is 200: write a number from 400 to 599\.$/,
  ],
  [
    "headers that are numbers",
    [{ refuse: { status: 429, message: "", headers: { "retry-after": 2 } } }],
    /^step 1: headers is an object with retry-after: write an object of strings/,
  ],
])("KIT7 rejects a script with a mistake: %s", (_, value, message) => {
  const read = parseScript(value === "[" ? "[" : JSON.stringify(value));
  expect(read).toEqual({ faults: [expect.stringMatching(message)] });
});
