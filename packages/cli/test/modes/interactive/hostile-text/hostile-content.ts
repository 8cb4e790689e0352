/** Creates blocks of every kind and in every state, and sessions, with one text wherever a text can stand. */

import { type CompactionEntry, type Entry, MemoryStore } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import type { Store } from "@pith/context/store";
import { story } from "@pith/context/testing";
import type { Block, ToolBlock } from "../../../../src/modes/interactive/state/blocks.ts";

export function blocksOf(text: string): readonly Block[] {
  const id = text.slice(0, 20);
  const shell = {
    kind: "shell",
    id,
    command: text,
    output: text,
    exitCode: 1,
    isCancelled: false,
    isPrivate: false,
  } as const;
  return [
    { kind: "user", id, text, images: [] },
    { kind: "user", id, text, images: [], from: "program" },
    { kind: "assistant", id, text, isOpen: false, printed: 0 },
    { kind: "assistant", id, text: `before\n\n${text}`, isOpen: true, printed: 8 },
    { kind: "thinking", id, text, isOpen: false },
    { kind: "thinking", id, text, isOpen: true },
    ...callsOf(text),
    { ...shell, isOpen: false },
    { ...shell, isOpen: true, isPrivate: true, isCancelled: true, exitCode: null },
    { kind: "compaction", id, entry: compactionOf(text), warnings: [text], isUndone: false },
    { kind: "compaction", id, entry: compactionOf(text), warnings: [], isUndone: true },
    { kind: "branch-summary", id, summary: text },
    { kind: "pin", id, text },
    ...(["plain", "good", "warning", "bad"] as const).map((tone): Block => ({ kind: "note", id, tone, text })),
    { kind: "note", id, tone: "plain", text, isDivider: true },
  ];
}

const states = ["writing", "waiting", "running", "done", "failed", "broken-off"] as const;

function callsOf(text: string): readonly ToolBlock[] {
  const call = { kind: "tool", id: text.slice(0, 20), output: text, images: [] } as const;
  const named = ["read", "write", "edit", "grep", "find", "ls", "fetch", text].map(
    (tool): ToolBlock => ({ ...call, tool, state: "done", arguments: argumentsOf(text) }),
  );
  const staged = states.map((state): ToolBlock => ({ ...call, tool: "bash", state, arguments: { command: text } }));
  const diff = `--- ${text}\n+++ ${text}\n@@ -1,1 +1,1 @@\n-${text}\n+${text}\n`;
  return [...named, ...staged, { ...call, tool: "edit", state: "done", arguments: { path: text }, diff }];
}

function argumentsOf(text: string): Readonly<Record<string, unknown>> {
  const words = { path: text, command: text, pattern: text, url: text, glob: text, content: text };
  return { ...words, [text]: { [text]: [text] }, edits: [{ oldText: text, newText: text }] };
}

function compactionOf(text: string): CompactionEntry {
  return {
    ...{ type: "compaction", id: text.slice(0, 20), parentId: null, timestamp: "2026-01-01T00:00:00.000Z" },
    ...{ summary: text, firstKeptEntryId: text, tokensBefore: 100 },
    details: { pith: { by: text, model: text }, readFiles: [text], modifiedFiles: [text] },
  } as unknown as CompactionEntry;
}

const WORD = "HOSTILE";

/** Two branches, a label, calls with results, and a result that failed. */
export function hostileEntries(text: string): readonly Entry[] {
  const entries = story(
    ...[
      `user: ${WORD}`,
      `says: ${WORD}`,
      `user: ${WORD}`,
      `calls: read path=${WORD}`,
      `result: ${WORD}`,
      `says: ${WORD}`,
    ],
    ...[
      "moves: e2",
      `user: ${WORD}`,
      `calls: bash command=${WORD}`,
      `fails: ${WORD}`,
      `says: ${WORD}`,
      `labels e3: ${WORD}`,
    ],
  );
  return entries.map((entry) => replaced(entry, text) as Entry);
}

export async function hostileStore(text: string): Promise<Store> {
  const store = MemoryStore.create(nodeRuntime, { cwd: text });
  for (const entry of hostileEntries(text)) await store.append([entry], { expectedLeaf: await store.leaf() });
  return store;
}

function replaced(value: unknown, text: string): unknown {
  if (typeof value === "string") return value.replaceAll(WORD, () => text);
  if (Array.isArray(value)) return value.map((each) => replaced(each, text));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaced(each, text)]));
}
