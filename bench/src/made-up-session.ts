/** Makes session files of any length as a coding agent leaves them, and writes the long one that several suites measure on. */

import { closeSync, openSync, writeSync } from "node:fs";
import { random } from "./random.ts";
import type { Settings } from "./suite.ts";
import { texts } from "./texts.ts";

export interface SessionShape {
  readonly entries: number;
  readonly compactions: number;
  /** Entries from one compaction to the next. */
  readonly distance: number;
  readonly seed: number;
  readonly corpus?: string | undefined;
}

/**
 * The lines of a pi file of version 3, header first, without line ends: about 2 KB an entry, six entries a turn, compactions at even
 * distances.
 */
export function* madeUpSession({ entries, compactions, distance, seed, corpus }: SessionShape): Generator<string> {
  const text = texts(random(seed), corpus);
  yield JSON.stringify({ type: "session", version: 3, id: "made-up", timestamp: time(0), cwd: "/project" });
  for (let at = 1; at <= entries; at++) {
    const placed = { id: idOf(at), parentId: at === 1 ? null : idOf(at - 1), timestamp: time(at) };
    const compacts = at % distance === 0 && at / distance <= compactions;
    yield JSON.stringify(
      compacts ? compaction(at, placed, text) : { type: "message", ...placed, message: messageAt(at, text) },
    );
  }
}

/** The next message of such a session, as a running agent would add it. */
export function messageAt(at: number, text: (length: number) => string): object {
  const timestamp = BEGINS + at * 1000;
  const turn = at % 6;
  if (turn === 0) return { role: "user", content: [{ type: "text", text: text(1700) }], timestamp };
  if (turn === 2 || turn === 4) {
    const content = [{ type: "text", text: text(2200) }];
    return {
      role: "toolResult",
      toolCallId: callId(at - 1),
      toolName: turn === 2 ? "read" : "edit",
      content,
      isError: false,
      timestamp,
    };
  }
  const said =
    turn === 5
      ? [{ type: "text", text: text(1500) }]
      : [thinking(text), { type: "text", text: text(300) }, call(at, text)];
  return {
    role: "assistant",
    content: said,
    ...model,
    usage: usage(at),
    stopReason: turn === 5 ? "stop" : "toolUse",
    timestamp,
  };
}

function compaction(at: number, placed: object, text: (length: number) => string): object {
  const details = {
    readFiles: Array.from({ length: 30 }, (_, file) => `src/file${file}.ts`),
    modifiedFiles: ["src/a.ts"],
  };
  return {
    type: "compaction",
    ...placed,
    summary: `## Goal\n${text(6000)}`,
    firstKeptEntryId: idOf(keptFrom(at)),
    tokensBefore: 185_000,
    details,
  };
}

// About twenty entries, beginning with a user message.
function keptFrom(at: number): number {
  return Math.max(6, at - 18 - (at % 6));
}

function thinking(text: (length: number) => string): object {
  return { type: "thinking", thinking: text(500), thinkingSignature: "x".repeat(200) };
}

function call(at: number, text: (length: number) => string): object {
  if (at % 6 === 1)
    return { type: "toolCall", id: callId(at), name: "read", arguments: { path: `src/f${at % 500}.ts` } };
  const edits = [{ oldText: text(150), newText: text(150) }];
  return { type: "toolCall", id: callId(at), name: "edit", arguments: { path: `src/g${at % 100}.ts`, edits } };
}

const BEGINS = 1_767_225_600_000;
const model = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5" };
/** The id of an entry, counted from 1. */
export const idOf = (at: number): string => (0x10000000 + at).toString(16);
const callId = (at: number): string => `toolu_${at}`;
const time = (at: number): string => new Date(BEGINS + at * 1000).toISOString();

function usage(at: number): object {
  const cacheRead = (at % 2000) * 500;
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
/** Entries from one compaction to the next; a short session with the same distance has the same context. */
const DISTANCE = Math.floor(ENTRIES / (COMPACTIONS + 1));

/** With fewer compactions it is shorter, and ends in a context of the same size. */
export function writeLongSession(file: string, compactions: number, { seed, corpus, say }: Settings): string {
  const entries = ENTRIES - DISTANCE * (COMPACTIONS - compactions);
  say(`writing a session of ${entries} entries with ${compactions} compactions`);
  const descriptor = openSync(file, "w");
  let waiting: string[] = [];
  const flush = (): void => {
    if (waiting.length > 0) writeSync(descriptor, `${waiting.join("\n")}\n`);
    waiting = [];
  };
  for (const line of madeUpSession({ entries, compactions, distance: DISTANCE, seed, corpus })) {
    if (waiting.push(line) >= 1000) flush();
  }
  flush();
  closeSync(descriptor);
  return file;
}
