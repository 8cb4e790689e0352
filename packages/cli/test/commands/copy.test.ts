/** `/copy`: which answer, and which part of it. */

import { expect, test } from "vitest";
import { findLastCodeBlock } from "../../src/commands/copy.ts";
import { createCommandContext, runForResult, runForText } from "../support/command-context.ts";

const lines = [
  ...["user: first", "says: one", "user: second", "says: looking", "calls: read", "result: text", "says: two"],
  "user: third",
];

test("LOOK1 /copy copies the last answer, and /copy N the N-th last", async () => {
  const context = await createCommandContext(lines);
  expect(await runForText("/copy", context)).toBe("two");
  expect(await runForText("/copy 2", context)).toBe("one");
});

test.each([
  ["/copy 3", "this branch has only 2 answers"],
  ["/copy code", "this answer contains no code block; /copy copies the whole answer"],
  ["/copy 0", "/copy takes a number (2 is the second-to-last answer), the word code, or both"],
  ["/copy all", "/copy takes a number (2 is the second-to-last answer), the word code, or both"],
])("LOOK1 /copy names the reason when there is nothing to copy: %s", async (words, message) => {
  expect(await runForResult(words, await createCommandContext(lines))).toEqual({ type: "mistake", message });
});

test("LOOK1 /copy fails before the first answer", async () => {
  expect(await runForResult("/copy", await createCommandContext(["user: hello"]))).toMatchObject({
    message: "no answer yet",
  });
});

test.each([
  ["a\n```ts\none\n```\nb\n```\ntwo\n\nlines\n```\nc", "two\n\nlines"],
  ["~~~~\n```\ninner\n```\n~~~~", "```\ninner\n```"],
  ["```sh\nbroken off", "broken off"],
  ["no code, `but a word`", null],
  ["    ```\nindented", null],
])("LOOK2 the last code block of an answer is the text between its fences: %j", (markdown, code) => {
  expect(findLastCodeBlock(markdown)).toBe(code);
});
