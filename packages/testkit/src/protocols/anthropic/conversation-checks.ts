/** Checks the order of an Anthropic conversation: first role, calls and results, searches and their results, last reply. */

import { isObject, type Json, listOf, objectsIn, textOf } from "../json.ts";
import type { Body } from "../protocol.ts";
import { encryptedPage, OWN_SEARCH } from "./reply.ts";

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

export function* searchBlockFaults(block: Json, at: string): Generator<string> {
  if (!/^srvtoolu_[a-zA-Z0-9_]+$/.test(textOf(block.id)))
    yield `${at}.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'`;
  if (block.name !== OWN_SEARCH) yield `${at}.server_tool_use.name: Input should be '${OWN_SEARCH}'`;
  if (!isObject(block.input)) yield `${at}.server_tool_use.input: Input should be a valid dictionary`;
}

export function* foundBlockFaults({ content }: Json, at: string): Generator<string> {
  if (isObject(content)) {
    if (typeof content.error_code !== "string") yield `${at}.web_search_tool_result.content.error_code: Field required`;
    return;
  }
  for (const [index, result] of listOf(content).entries()) {
    const place = `${at}.web_search_tool_result.content.${index}`;
    if (!isObject(result) || typeof result.url !== "string") yield `${place}.url: Field required`;
    else if (result.title === undefined) yield `${place}.title: Field required`;
    else if (result.encrypted_content !== encryptedPage({ title: titleOf(result), url: result.url }))
      yield `${place}: Invalid \`encrypted_content\` in \`search_result\` block`;
  }
}

function titleOf({ title }: Json): string | null {
  return typeof title === "string" ? title : null;
}

export function* searchPairFaults(turns: readonly Turn[]): Generator<string> {
  for (const [at, { role, blocks }] of turns.entries())
    if (role === "assistant") yield* pairFaults(blocks, { at, isLast: at === turns.length - 1 });
}

function* pairFaults(
  blocks: readonly Json[],
  { at, isLast }: { readonly at: number; readonly isLast: boolean },
): Generator<string> {
  const open = new Set<unknown>();
  for (const { type, id, tool_use_id } of blocks) {
    if (type === "server_tool_use") open.add(id);
    if (type === "web_search_tool_result" && !open.delete(tool_use_id))
      yield `messages.${at}.content: unexpected \`tool_use_id\` found in \`web_search_tool_result\` blocks: ${String(tool_use_id)}. Each \`web_search_tool_result\` block must have a corresponding \`server_tool_use\` block before it.`;
  }
  // A reply that was paused may end with a search that goes on.
  const isPaused = isLast && blocks.at(-1)?.type === "server_tool_use";
  const [left] = isPaused ? [] : open;
  if (left !== undefined)
    yield `messages.${at}: \`${OWN_SEARCH}\` tool use with id \`${String(left)}\` was found without a corresponding \`web_search_tool_result\` block`;
}

/** What one side says before the other does. */
export interface Turn {
  readonly role: unknown;
  readonly blocks: readonly Json[];
}

/** As Anthropic reads them: messages of the same role in a row count as one. */
export function joined(messages: readonly Json[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const { role, content } of messages) {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : objectsIn(content);
    const last = turns.at(-1);
    if (last && last.role === role) turns[turns.length - 1] = { role, blocks: [...last.blocks, ...blocks] };
    else turns.push({ role, blocks });
  }
  return turns;
}

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
