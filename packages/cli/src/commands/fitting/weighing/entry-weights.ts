/** What each entry adds to a context, in tokens that add up to what was said in it. Pure. */

import {
  type AgentMessage,
  type Budget,
  buildSessionContext,
  type Entry,
  type ModelName,
  type ToolCallBlock,
  type Window,
} from "@pith/context";
import { type Kind, messageKinds } from "./message-kinds.ts";
import { meterParts } from "./meter-parts.ts";

export interface EntryWeight {
  readonly entry: Entry;
  readonly message: AgentMessage;
  /** What it is most of; for people. */
  readonly kind: string;
  readonly tokens: number;
  /** The call that a result answers. */
  readonly call?: ToolCallBlock;
}

/** As they stand in the context; the front of a compaction is not among them. */
export function entryWeights(window: Window, budget: Pick<Budget, "to" | "fixed">): readonly EntryWeight[] {
  const raw = rawWeights(window, budget.to);
  const { tail, fresh } = meterParts(window, budget);
  const sum = raw.reduce((all, { tokens }) => all + tokens, 0);
  const factor = sum === 0 ? 0 : (tail + fresh) / sum;
  return raw.map((weight) => ({ ...weight, tokens: Math.round(weight.tokens * factor) }));
}

function rawWeights(window: Window, to: ModelName | undefined): readonly EntryWeight[] {
  const { messages, sources } = buildSessionContext(window);
  const entries = new Map(window.entries.map((entry) => [entry.id, entry]));
  const calls = callsIn(messages);
  return messages.flatMap((message, at) => {
    const entry = entries.get(sources[at] ?? "");
    const kinds = messageKinds(message, to);
    const call = message.role === "toolResult" ? calls.get(message.toolCallId) : undefined;
    if (!entry || kinds.length === 0) return [];
    return [{ entry, message, kind: mostOf(kinds), tokens: sumOf(kinds), ...(call && { call }) }];
  });
}

/** By their ids; the newest of an id that was used again. */
function callsIn(messages: readonly AgentMessage[]): ReadonlyMap<string, ToolCallBlock> {
  return new Map(messages.flatMap(blocksIn).map((call) => [call.id, call]));
}

export function blocksIn(message: AgentMessage): readonly ToolCallBlock[] {
  if (message.role !== "assistant" || !Array.isArray(message.content)) return [];
  return message.content.filter((block): block is ToolCallBlock => block?.type === "toolCall");
}

function mostOf(kinds: readonly Kind[]): string {
  return kinds.reduce((most, each) => (each.tokens > most.tokens ? each : most)).kind;
}

function sumOf(kinds: readonly Kind[]): number {
  return kinds.reduce((sum, { tokens }) => sum + tokens, 0);
}
