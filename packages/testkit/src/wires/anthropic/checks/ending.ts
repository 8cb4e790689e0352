/** What Anthropic refuses about where a conversation stands: its last reply, and a turn that goes on without the thought it began with. */

import { isObject, type Json, textOf } from "../../shape.ts";
import type { Body } from "../../wire.ts";
import type { Turn } from "./turns.ts";

export function* endFaults(turns: readonly Turn[], body: Body): Generator<string> {
  const reply = turns.findLast(({ role }) => role === "assistant");
  if (reply?.blocks.at(-1)?.type === "thinking")
    yield "messages: The final block in an assistant message cannot be `thinking`.";
  const last = turns.at(-1);
  const words = last?.role === "assistant" ? last.blocks.at(-1) : undefined;
  if (words?.type === "text" && /\s$/.test(textOf(words.text)))
    yield "messages: final assistant content cannot end with trailing whitespace";
  if (mustThink(body)) yield* thoughtFaults(turns);
}

/** From 4.6 on Claude decides for itself when to think. */
function mustThink({ thinking, model }: Body): boolean {
  if (!isObject(thinking) || thinking.type !== "enabled") return false;
  const [, major = "0", minor = "0"] =
    /claude-[a-z]+-(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/.exec(textOf(model)) ?? [];
  return Number(major) < 4 || (Number(major) === 4 && Number(minor) < 6);
}

/** A whole loop of calls and results is one turn: its first reply must have begun with thinking. */
function* thoughtFaults(turns: readonly Turn[]): Generator<string> {
  const last = turns.at(-1);
  if (last?.role !== "user" || opensTurn(last)) return;
  const asked = turns.findLastIndex(opensTurn);
  const first = String(turns.find(({ role }, at) => at > asked && role === "assistant")?.blocks[0]?.type);
  if (!first.endsWith("thinking"))
    yield `messages: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`;
}

function opensTurn({ role, blocks }: Turn): boolean {
  return role === "user" && !blocks.every(isResult);
}

function isResult({ type }: Json): boolean {
  return type === "tool_result";
}
