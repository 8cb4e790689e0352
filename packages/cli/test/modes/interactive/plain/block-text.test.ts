/** What is read out of each block. */

import type { CompactionEntry } from "@pith/context";
import { expect, test } from "vitest";
import { formatBlock } from "../../../../src/modes/interactive/plain/block-text.ts";
import type { Block, ToolBlock } from "../../../../src/modes/interactive/state/blocks.ts";

const call: ToolBlock = {
  ...{ kind: "tool", id: "c", tool: "bash", arguments: { command: "npm test" }, state: "done" },
  ...{ output: "one\ntwo\n", images: [] },
};

const answer = { kind: "assistant", id: "a", text: "First.\n\nSecond.", isOpen: false, printed: 0 } as const;
const shell = { kind: "shell", id: "s", command: "ls", output: "a\nb\n", isCancelled: false, isOpen: false } as const;
const compaction = { type: "compaction", tokensBefore: 1200 } as CompactionEntry;

test.each<readonly [Block, readonly string[]]>([
  [{ kind: "user", id: "u", text: "fix it\nnow", images: [] }, ["You: fix it", "now"]],
  [{ kind: "user", id: "u", text: "go on", images: [], from: "program" }, ["Sent by a program: go on"]],
  [answer, ["Pith: First.", "", "Second."]],
  [{ ...answer, printed: 8 }, ["Second."]],
  [{ ...answer, printed: answer.text.length }, []],
  [{ kind: "thinking", id: "t", text: "a\nb\nc", isOpen: false }, ["Thinking: 3 lines."]],
  [call, ["Tool bash npm test: done, 2 lines."]],
  [{ ...call, output: "", durationMs: 12_400 }, ["Tool bash npm test: done, no lines, 12 seconds."]],
  [{ ...call, state: "failed", output: "no such file" }, ["Tool bash npm test: failed: no such file"]],
  [
    { ...call, arguments: { command: "docker ps", outside: true } },
    ["Tool bash outside the sandbox: docker ps: done, 2 lines."],
  ],
  [{ ...call, state: "broken-off" }, ["Tool bash npm test: interrupted."]],
  [
    { ...call, tool: "edit", arguments: { path: "a.ts" }, diff: "--- a.ts\n+++ a.ts\n@@ -1,1 +1,2 @@\n-x\n+y\n+z\n" },
    ["Tool edit a.ts: done, 2 lines added, 1 removed."],
  ],
  [{ ...shell, exitCode: 0, isPrivate: true }, ["a", "b", "Shell ls: done; the model does not see it."]],
  [{ ...shell, exitCode: 2, isPrivate: false }, ["a", "b", "Shell ls: exited with code 2."]],
  [{ kind: "pin", id: "p", text: "never push" }, ["Pinned: never push"]],
  [{ kind: "branch-summary", id: "b", summary: "tried X" }, ["Summary of the branch you left: tried X"]],
  [{ kind: "note", id: "n", tone: "bad", text: "no key" }, ["Error: no key"]],
  [
    { kind: "note", id: "n", tone: "plain", text: "▏░░░░ 9 of 10 tokens\n  replies  25  ██" },
    ["9 of 10 tokens", "  replies  25"],
  ],
])("PLN1 each kind of block is printed in words: %j", (block, lines) => {
  expect(formatBlock(block)).toEqual(lines);
});

test("PLN1 a compaction is printed with its size, its warnings and how to undo it", () => {
  const block: Block = {
    kind: "compaction",
    id: "c",
    entry: compaction,
    warnings: ["it is the third"],
    isUndone: false,
  };
  const [first, second] = formatBlock(block);
  expect(first).toMatch(/^Compacted: from 1,200 tokens\. .*\/undo/);
  expect(second).toBe("Warning: it is the third");
  expect(formatBlock({ ...block, isUndone: true })).toEqual(["Compaction (undone): from 1,200 tokens."]);
});

test("PLN1 control sequences in a reply are printed as visible escapes", () => {
  expect(formatBlock({ ...answer, text: "\x1b[2Jgone" })).toEqual(["Pith: \\x1b[2Jgone"]);
});
