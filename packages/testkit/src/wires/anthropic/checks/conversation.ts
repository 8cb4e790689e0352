/** What Anthropic refuses about the order of a conversation: who begins, and that every call is followed by its result. */

import { isObject, type Json, listOf } from "../../shape.ts";
import type { Body } from "../../wire.ts";
import { endFaults } from "./ending.ts";
import { searchPairFaults } from "./searches.ts";
import { joined, type Turn } from "./turns.ts";

export function* conversationFaults(body: Body): Generator<string> {
  const messages = listOf(body.messages).filter(isObject);
  if (messages.length === 0) yield "messages: at least one message is required";
  for (const [at, { role }] of messages.entries())
    if (role !== "user" && role !== "assistant" && role !== "system")
      yield `messages.${at}.role: Input should be 'user' or 'assistant'`;
  if (messages[0]?.role !== "user") yield 'messages: first message must use the "user" role';
  const turns = joined(messages);
  yield* pairingFaults(turns);
  yield* searchPairFaults(turns);
  yield* endFaults(turns, body);
}

function* pairingFaults(turns: readonly Turn[]): Generator<string> {
  const seen = new Set<unknown>();
  for (const [at, { role, blocks }] of turns.entries()) {
    const calls = role === "assistant" ? idsOf(blocks, "tool_use", "id") : [];
    for (const id of calls) {
      if (seen.has(id)) yield `messages.${at}.content: \`tool_use\` ids must be unique`;
      seen.add(id);
    }
    const before = turns[at - 1];
    const open = before?.role === "assistant" ? idsOf(before.blocks, "tool_use", "id") : [];
    if (role !== "assistant") yield* resultFaults(blocks, open, at);
    if (calls.length > 0 && turns[at + 1] === undefined) yield unanswered(calls, at);
  }
}

function* resultFaults(blocks: readonly Json[], open: readonly unknown[], at: number): Generator<string> {
  const results = idsOf(blocks, "tool_result", "tool_use_id");
  const orphan = results.find((id) => !open.includes(id));
  if (orphan !== undefined)
    yield `messages.${at}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(orphan)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
  if (new Set(results).size < results.length) yield `messages.${at}.content: each tool_use must have a single result`;
  const missing = open.filter((id) => !results.includes(id));
  if (missing.length > 0) yield unanswered(missing, at - 1);
  const lead = blocks.slice(0, results.length);
  if (lead.some(({ type }) => type !== "tool_result"))
    yield `messages.${at}: \`tool_result\` blocks must come before any other content`;
}

function unanswered(ids: readonly unknown[], at: number): string {
  return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

function idsOf(blocks: readonly Json[], type: string, name: string): readonly unknown[] {
  return blocks.filter((block) => block.type === type).map((block) => block[name]);
}
