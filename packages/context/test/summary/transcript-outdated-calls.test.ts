/** Tests which reads and writes a later call makes outdated. */

import { expect, test } from "vitest";
import type { ContextEditEntry, Entry } from "../../src/entry.ts";
import { renderTranscript } from "../../src/summary/transcript.ts";
import { story } from "../../src/testing/story.ts";

const editsIn = (entries: readonly Entry[]): readonly ContextEditEntry[] =>
  entries.filter((entry) => entry.type === "context_edit");

/** The outdated results and calls of a story, by entry number. */
function shown(...lines: readonly string[]): ReadonlyMap<string, string> {
  const entries = story("user: go", ...lines);
  const blocks = renderTranscript(entries, { edits: editsIn(entries) });
  return new Map(blocks.map(({ reference, text }) => [reference, text.replace(/^\[[^\]]+\]: \[#\d+\] /, "")]));
}

test("SUM11 a repeated read becomes one line that names the newest", () => {
  const texts = shown(
    "calls: read path=a.ts",
    "result: first",
    "calls: read path=a.ts",
    "result: second",
    "calls: read path=a.ts",
    "result: third",
  );
  expect(texts.get("#3")).toBe("(outdated: read again in #7)");
  expect(texts.get("#5")).toBe("(outdated: read again in #7)");
  expect(texts.get("#7")).toBe("third");
});

test("SUM11 a read of another part, of another file or before a partial edit stays", () => {
  const texts = shown(
    "calls: read path=a.ts offset=1",
    "result: top",
    "calls: read path=b.ts",
    "result: b",
    "calls: edit path=a.ts oldText=x newText=y",
    "result: edited",
    "calls: read path=a.ts offset=200",
    "result: bottom",
  );
  expect([texts.get("#3"), texts.get("#5"), texts.get("#9")]).toEqual(["top", "b", "bottom"]);
});

test("SUM11 writing a whole file makes earlier reads and writes of it outdated", () => {
  const texts = shown(
    "calls: read path=a.ts",
    "result: old",
    "calls: write path=a.ts content=first",
    "result: written",
    "calls: write path=a.ts content=second",
    "result: written again",
  );
  expect(texts.get("#3")).toBe("(outdated: the file was written in #6)");
  expect(texts.get("#4")).toBe('write(path="a.ts", content="(outdated: written again in #6)")');
  expect(texts.get("#5")).toBe("written");
  expect(texts.get("#6")).toBe('write(path="a.ts", content="second")');
});

test("SUM11 a failed call, or one removed from the context, makes nothing outdated", () => {
  const failed = shown("calls: read path=a.ts", "result: text", "calls: read path=a.ts", "fails: no such file");
  expect(failed.get("#3")).toBe("text");
  const dropped = shown("calls: read path=a.ts", "result: text", "calls: read path=a.ts", "result: text", "drops e5");
  expect(dropped.get("#3")).toBe("text");
});

test("SUM11 other tools with a path and a text make nothing outdated", () => {
  const texts = shown(
    "calls: run_tests path=a.test.ts",
    "result: 3 failed",
    "calls: append_file path=notes.md content=first",
    "result: appended",
    "calls: append_file path=notes.md content=second",
    "result: appended",
    "calls: write path=a.test.ts content=test",
    "result: written",
    "calls: run_tests path=a.test.ts",
    "result: all passed",
  );
  expect(texts.get("#3")).toBe("3 failed");
  expect(texts.get("#4")).toBe('append_file(path="notes.md", content="first")');
});
