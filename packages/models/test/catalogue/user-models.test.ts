/** Tests the user's models file: valid fields are used, problems are named. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { parseUserModels } from "../../src/catalogue/user-models.ts";

const right = {
  "openai/gpt-4.1": { contextWindow: 100_000, maxTokens: 4_096, reasoning: false, input: ["text"] },
  "house/*": { prices: { input: 1, output: 2, cacheRead: 0, cacheWrite: 1 } },
  "cottage/*": { prices: { input: 1, output: 2 } },
};

test("CAT4 a valid file is parsed into its models", () => {
  expect(parseUserModels(JSON.stringify(right), "models.json")).toEqual({ models: right, issues: [] });
});

test.each([
  ["gpt", {}, "gpt", 'does not name a model; write "provider/model" or "provider/*"'],
  ["a/*/b", {}, "a/*/b", 'has "*" before its end; only the last character may be "*"'],
  ["a/b", 128_000, "a/b", 'is 128000; write { "contextWindow": 128000 }'],
  [
    "a/b",
    { contextWindow: "128k" },
    "a/b › contextWindow",
    'is "128k"; write a whole number of tokens, such as 128000',
  ],
  ["a/b", { maxTokens: 0 }, "a/b › maxTokens", "is 0; write a whole number of tokens, such as 8192"],
  [
    "a/b",
    { contextwindow: 1 },
    "a/b › contextwindow",
    "is not a known field; write one of contextWindow, maxTokens, prices, input, reasoning, tools",
  ],
  ["a/b", { input: ["image"] }, "a/b › input", 'is ["image"]; write ["text"] or ["text", "image"]'],
  ["a/b", { reasoning: "yes" }, "a/b › reasoning", 'is "yes"; write true or false'],
  [
    "a/b",
    { prices: { input: 3 } },
    "a/b › prices",
    'has no valid price for "output" (a number, zero or more); write { "input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75 }, in dollars per million tokens',
  ],
])(
  "CAT5 the invalid entry %s: %j is reported with its file, its key and what to write instead",
  (key, entry, named, message) => {
    const { models, issues } = parseUserModels(JSON.stringify({ [key]: entry, ...right }), "models.json");
    expect(issues).toEqual([{ file: "models.json", key: named, message }]);
    expect(models).toMatchObject(right);
  },
);

test("CAT5 the valid fields of an entry are used beside an invalid one", () => {
  const text = JSON.stringify({ "a/b": { contextWindow: 9_000, maxTokens: -1 } });
  expect(parseUserModels(text, "models.json").models).toEqual({ "a/b": { contextWindow: 9_000 } });
});

test("CAT5 parsing any text returns models and issues without throwing", () => {
  for (const text of ["", "{", "[]", "null", "3"]) {
    const { models, issues } = parseUserModels(text, "models.json");
    expect(models).toEqual({});
    expect(issues[0]?.message).toContain('write { "provider/model"');
  }
  fc.assert(
    fc.property(fc.json(), (text) => parseUserModels(text, "models.json").issues.every(({ file }) => file !== "")),
  );
});
