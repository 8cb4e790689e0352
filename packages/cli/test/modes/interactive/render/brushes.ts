/** Creates render contexts, and one block of each kind with the same words everywhere. */

import { createTheme, type RenderContext } from "../../../../src/modes/interactive/render/theme.ts";
import type { AssistantBlock, Block, ToolBlock } from "../../../../src/modes/interactive/state/blocks.ts";

export const folded: RenderContext = { width: 80, theme: createTheme("none"), isUnfolded: false, now: 0 };
export const opened: RenderContext = { ...folded, isUnfolded: true };

export function answerOf(text: string, more: Partial<AssistantBlock> = {}): Block {
  return { kind: "assistant", id: "a", text, isOpen: false, printed: 0, ...more };
}

export function callOf(more: Partial<ToolBlock>): ToolBlock {
  return { kind: "tool", id: "c", tool: "bash", arguments: {}, state: "done", output: "", images: [], ...more };
}

/** In every place that words from outside can come to. */
export function everywhere(words: string): readonly Block[] {
  const diff = `--- ${words}\n+++ ${words}\n@@ -1,2 +1,2 @@\n-${words}\n+${words}\n`;
  const receipt = {
    ...{ reason: words, route: words, by: words, rung: words, covered: { count: 2 }, kept: { count: 1 } },
    ...{ tokens: { before: 9, after: 3, limit: null }, bytes: { before: 9, after: 3 }, calls: 1, cost: 1 },
    ...{ durationMs: 1, findings: [{ code: "x", note: words }], withoutProgress: 0, undoTo: null },
  };
  const details = { pith: { receipt } };
  return [
    { kind: "user", id: "1", text: words, images: [{ type: "image", data: words, mimeType: words }] },
    { ...answerOf(words), id: words },
    answerOf(words, { isOpen: true }),
    { kind: "thinking", id: "2", text: words, isOpen: false },
    { kind: "thinking", id: "3", text: words, isOpen: true },
    callOf({ tool: words, arguments: { [words]: words }, output: words }),
    callOf({ arguments: { command: words }, output: words, state: "failed" }),
    callOf({ tool: "read", arguments: { path: words }, output: words }),
    callOf({ tool: "edit", arguments: { path: words }, output: words, diff }),
    callOf({ tool: "write", arguments: { path: words, content: words }, state: "running" }),
    {
      kind: "shell",
      id: "4",
      command: words,
      output: words,
      exitCode: 1,
      isCancelled: false,
      isPrivate: true,
      isOpen: false,
    },
    {
      ...{ kind: "compaction", id: "5", warnings: [words], isUndone: false },
      entry: {
        ...{ type: "compaction", id: "5", parentId: null, timestamp: words, summary: words, firstKeptEntryId: "" },
        ...{ tokensBefore: 9, details },
      },
    },
    { kind: "branch-summary", id: "6", summary: words },
    { kind: "pin", id: "7", text: words },
    { kind: "note", id: "8", tone: "bad", text: words },
    { kind: "note", id: "9", tone: "plain", text: words, isDivider: true },
  ];
}
