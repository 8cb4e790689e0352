/** Creates entries with tool calls and results, with ids e1, e2 … in order. */

import type { Entry } from "../../src/entry.ts";
import type { AgentMessage } from "../../src/message.ts";
import { emptyUsage } from "../../src/testing/story.ts";

/** The fields that a test sets; the rest has defaults, and any value is allowed. */
export type Told = Readonly<Record<string, unknown>>;

export function entriesOf(...told: readonly (Told | readonly Told[])[]): readonly Entry[] {
  return told.flat().map((each, at) => ({
    id: `e${at + 1}`,
    parentId: at === 0 ? null : `e${at}`,
    timestamp: "2026-01-01T00:00:00.000Z",
    ...each,
  })) as unknown as readonly Entry[];
}

/** A call and its result; without `result` the call has none. */
export function used(call: Told, result?: Told): readonly Told[] {
  calls += 1;
  const id = `call ${calls}`;
  const asked = said({ role: "assistant", content: [{ type: "toolCall", id, name: "tool", ...call }], ...reply });
  const answer = { role: "toolResult", toolCallId: id, toolName: "tool", content: [], isError: false, ...result };
  return result ? [asked, said(answer)] : [asked];
}

let calls = 0;

/** A shell line that a tool ran. */
export function ran(command: unknown, result: Told = {}): readonly Told[] {
  return used({ name: "bash", arguments: { command } }, result);
}

/** A shell line that the user ran. */
export function bash(command: string, more: Told = {}): Told {
  return said({ role: "bashExecution", command, output: "", exitCode: 0, cancelled: false, truncated: false, ...more });
}

export function said(message: Told): Told {
  return { type: "message", message: { timestamp: 1, ...message } as unknown as AgentMessage };
}

export function compacted(details: unknown, more: Told = {}): Told {
  return { type: "compaction", summary: "so far", firstKeptEntryId: "nobody", tokensBefore: 1, details, ...more };
}

export function left(details: unknown): Told {
  return { type: "branch_summary", fromId: "e1", summary: "tried", details };
}

export const text = (words: string): Told => ({ content: [{ type: "text", text: words }] });

const reply = {
  api: "anthropic-messages",
  provider: "anthropic",
  model: "storyteller",
  usage: emptyUsage,
  stopReason: "toolUse",
};
