/** Generates session files of any length like those of a coding agent, and writes the long session that several suites use. */

import { closeSync, openSync, writeSync } from "node:fs";
import { createRandom } from "./random.ts";
import type { SuiteOptions } from "./suite.ts";
import { createTextSource } from "./texts.ts";

export interface SessionShape {
  readonly entries: number;
  readonly compactions: number;
  /** The number of entries from one compaction to the next. */
  readonly distance: number;
  readonly seed: number;
  readonly corpus?: string | undefined;
}

/**
 * Generates the lines of a pi session file of version 3: about 2 KB per entry, six entries per turn, compactions at equal
 * distances. The lines have no line ends.
 */
export function* generateSession({ entries, compactions, distance, seed, corpus }: SessionShape): Generator<string> {
  const makeText = createTextSource(createRandom(seed), corpus);
  yield JSON.stringify({ type: "session", version: 3, id: "made-up", timestamp: formatTime(0), cwd: "/project" });
  for (let index = 1; index <= entries; index++) {
    const entryFields = {
      id: entryId(index),
      parentId: index === 1 ? null : entryId(index - 1),
      timestamp: formatTime(index),
    };
    const isCompaction = index % distance === 0 && index / distance <= compactions;
    yield JSON.stringify(
      isCompaction
        ? createCompaction(index, entryFields, makeText)
        : { type: "message", ...entryFields, message: createMessage(index, makeText) },
    );
  }
}

const START_TIME = 1_767_225_600_000;
const MODEL = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5" };
/** The id of an entry. Entries count from 1. */
export const entryId = (index: number): string => (0x10000000 + index).toString(16);
const callId = (index: number): string => `toolu_${index}`;
const formatTime = (index: number): string => new Date(START_TIME + index * 1000).toISOString();

function createCompaction(index: number, entryFields: object, makeText: (length: number) => string): object {
  const details = {
    readFiles: Array.from({ length: 30 }, (_, file) => `src/file${file}.ts`),
    modifiedFiles: ["src/a.ts"],
  };
  return {
    type: "compaction",
    ...entryFields,
    summary: `## Goal\n${makeText(6000)}`,
    firstKeptEntryId: entryId(firstKeptIndex(index)),
    tokensBefore: 185_000,
    details,
  };
}

// A compaction keeps about twenty entries, beginning with a user message.
function firstKeptIndex(index: number): number {
  return Math.max(6, index - 18 - (index % 6));
}

/** Creates the message at an index of such a session. */
export function createMessage(index: number, makeText: (length: number) => string): object {
  const timestamp = START_TIME + index * 1000;
  const position = index % 6;
  if (position === 0) return { role: "user", content: [{ type: "text", text: makeText(1700) }], timestamp };
  if (position === 2 || position === 4) {
    const content = [{ type: "text", text: makeText(2200) }];
    return {
      role: "toolResult",
      toolCallId: callId(index - 1),
      toolName: position === 2 ? "read" : "edit",
      content,
      isError: false,
      timestamp,
    };
  }
  const assistantContent =
    position === 5
      ? [{ type: "text", text: makeText(1500) }]
      : [createThinking(makeText), { type: "text", text: makeText(300) }, createToolCall(index, makeText)];
  return {
    role: "assistant",
    content: assistantContent,
    ...MODEL,
    usage: createUsage(index),
    stopReason: position === 5 ? "stop" : "toolUse",
    timestamp,
  };
}

function createThinking(makeText: (length: number) => string): object {
  return { type: "thinking", thinking: makeText(500), thinkingSignature: "x".repeat(200) };
}

function createToolCall(index: number, makeText: (length: number) => string): object {
  if (index % 6 === 1)
    return { type: "toolCall", id: callId(index), name: "read", arguments: { path: `src/f${index % 500}.ts` } };
  const edits = [{ oldText: makeText(150), newText: makeText(150) }];
  return { type: "toolCall", id: callId(index), name: "edit", arguments: { path: `src/g${index % 100}.ts`, edits } };
}

function createUsage(index: number): object {
  const cacheRead = (index % 2000) * 500;
  return {
    input: 100,
    output: 200,
    cacheRead,
    cacheWrite: 300,
    totalTokens: cacheRead + 600,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}

export const ENTRIES = 100_000;
export const COMPACTIONS = 50;
/** The number of entries from one compaction to the next. A shorter session with the same interval has the same context. */
const COMPACTION_INTERVAL = Math.floor(ENTRIES / (COMPACTIONS + 1));

/** A session with fewer compactions is shorter, but has a context of the same size. */
export function writeLongSession(file: string, compactions: number, { seed, corpus, log }: SuiteOptions): string {
  const entries = ENTRIES - COMPACTION_INTERVAL * (COMPACTIONS - compactions);
  log(`writing a session of ${entries} entries with ${compactions} compactions`);
  const descriptor = openSync(file, "w");
  let lines: string[] = [];
  const flush = (): void => {
    if (lines.length > 0) writeSync(descriptor, `${lines.join("\n")}\n`);
    lines = [];
  };
  for (const line of generateSession({ entries, compactions, distance: COMPACTION_INTERVAL, seed, corpus })) {
    if (lines.push(line) >= 1000) flush();
  }
  flush();
  closeSync(descriptor);
  return file;
}
