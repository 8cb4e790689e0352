/** Documents 000, 001 and 004, the transcript that a summarizer gets; 002's labels and dividers are wrong (B37). */

import { expect, test } from "vitest";
import { convertToLlm } from "../../src/context/convert-to-llm.ts";
import { serializeConversation } from "../../src/summary/transcript.ts";
import { story } from "../../src/testing/story.ts";
import { contextAt } from "../support/story-context.ts";

const transcriptOf = (...lines: readonly string[]): string =>
  serializeConversation(convertToLlm(contextAt(story(...lines)).messages));

test("SUM6 B37 the transcript has a label before each message, a blank line between messages, and calls with arguments", () => {
  expect(
    transcriptOf(
      "user: what is in foo?",
      "thinks: I have to look",
      "calls: read path=foo.ts; edit path=bar.ts newText=x",
      "result: the file",
      "result: done",
      "says: a parser",
    ),
  ).toBe(
    [
      "[User]: what is in foo?",
      "[Assistant thinking]: I have to look",
      '[Assistant tool calls]: read(path="foo.ts"); edit(path="bar.ts", newText="x")',
      "[Tool result]: the file",
      "[Tool result]: done",
      "[Assistant]: a parser",
    ].join("\n\n"),
  );
});

test("SUM1 B37 a long result is shortened to its beginning and end", () => {
  const output = Array.from({ length: 5000 }, (_, at) => `line ${at}`).join("\n");
  const transcript = transcriptOf("user: run it", "calls: bash command=make", `result: ${output}`);
  expect(transcript.length).toBeLessThan(output.length / 2);
  expect(transcript).toContain("[Tool result]: line 0\n");
  expect(transcript).toContain("line 4999");
});

test("SUM1 B37 a long call argument is shortened too", () => {
  const transcript = transcriptOf(
    "user: write it",
    `calls: write path=a.ts content=${"x".repeat(50_000)}`,
    "result: written",
  );
  expect(transcript.length).toBeLessThan(8000);
  expect(transcript).toContain('path="a.ts"');
});
