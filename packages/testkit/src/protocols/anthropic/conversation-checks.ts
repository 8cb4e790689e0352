/** Checks the order of an Anthropic conversation: first role, calls and results, searches and their results, last reply. */

import { asArray, asObjects, asString, isObject, type Json } from "../json.ts";
import type { Body } from "../protocol.ts";
import { encryptPage, SEARCH_TOOL } from "./reply.ts";

export function* checkEnd(turns: readonly Turn[], body: Body): Generator<string> {
  const reply = turns.findLast(({ role }) => role === "assistant");
  if (reply?.blocks.at(-1)?.type === "thinking")
    yield "messages: The final block in an assistant message cannot be `thinking`.";
  const last = turns.at(-1);
  const lastBlock = last?.role === "assistant" ? last.blocks.at(-1) : undefined;
  if (lastBlock?.type === "text" && /\s$/.test(asString(lastBlock.text)))
    yield "messages: final assistant content cannot end with trailing whitespace";
  if (requiresThinking(body)) yield* checkThinkingStart(turns);
}

/** From 4.6 on Claude decides for itself when to think. */
function requiresThinking({ thinking, model }: Body): boolean {
  if (!isObject(thinking) || thinking.type !== "enabled") return false;
  const [, major = "0", minor = "0"] =
    /claude-[a-z]+-(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/.exec(asString(model)) ?? [];
  return Number(major) < 4 || (Number(major) === 4 && Number(minor) < 6);
}

/** A whole loop of calls and results is one turn: its first reply must have begun with thinking. */
function* checkThinkingStart(turns: readonly Turn[]): Generator<string> {
  const last = turns.at(-1);
  if (last?.role !== "user" || startsTurn(last)) return;
  const turnStart = turns.findLastIndex(startsTurn);
  const firstType = String(turns.find(({ role }, index) => index > turnStart && role === "assistant")?.blocks[0]?.type);
  if (!firstType.endsWith("thinking"))
    yield `messages: Expected \`thinking\` or \`redacted_thinking\`, but found \`${firstType}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`;
}

function startsTurn({ role, blocks }: Turn): boolean {
  return role === "user" && !blocks.every(isToolResult);
}

function isToolResult({ type }: Json): boolean {
  return type === "tool_result";
}

export function* checkSearchBlock(block: Json, path: string): Generator<string> {
  if (!/^srvtoolu_[a-zA-Z0-9_]+$/.test(asString(block.id)))
    yield `${path}.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'`;
  if (block.name !== SEARCH_TOOL) yield `${path}.server_tool_use.name: Input should be '${SEARCH_TOOL}'`;
  if (!isObject(block.input)) yield `${path}.server_tool_use.input: Input should be a valid dictionary`;
}

export function* checkSearchResultBlock({ content }: Json, path: string): Generator<string> {
  if (isObject(content)) {
    if (typeof content.error_code !== "string")
      yield `${path}.web_search_tool_result.content.error_code: Field required`;
    return;
  }
  for (const [index, result] of asArray(content).entries()) {
    const resultPath = `${path}.web_search_tool_result.content.${index}`;
    if (!isObject(result) || typeof result.url !== "string") yield `${resultPath}.url: Field required`;
    else if (result.title === undefined) yield `${resultPath}.title: Field required`;
    else if (result.encrypted_content !== encryptPage({ title: titleOf(result), url: result.url }))
      yield `${resultPath}: Invalid \`encrypted_content\` in \`search_result\` block`;
  }
}

function titleOf({ title }: Json): string | null {
  return typeof title === "string" ? title : null;
}

export function* checkSearchPairs(turns: readonly Turn[]): Generator<string> {
  for (const [index, { role, blocks }] of turns.entries())
    if (role === "assistant") yield* checkSearchPair(blocks, { at: index, isLast: index === turns.length - 1 });
}

function* checkSearchPair(
  blocks: readonly Json[],
  { at: index, isLast }: { readonly at: number; readonly isLast: boolean },
): Generator<string> {
  const openIds = new Set<unknown>();
  for (const { type, id, tool_use_id } of blocks) {
    if (type === "server_tool_use") openIds.add(id);
    if (type === "web_search_tool_result" && !openIds.delete(tool_use_id))
      yield `messages.${index}.content: unexpected \`tool_use_id\` found in \`web_search_tool_result\` blocks: ${String(tool_use_id)}. Each \`web_search_tool_result\` block must have a corresponding \`server_tool_use\` block before it.`;
  }
  // A reply that was paused may end with a search that goes on.
  const isPaused = isLast && blocks.at(-1)?.type === "server_tool_use";
  const [unpairedId] = isPaused ? [] : openIds;
  if (unpairedId !== undefined)
    yield `messages.${index}: \`${SEARCH_TOOL}\` tool use with id \`${String(unpairedId)}\` was found without a corresponding \`web_search_tool_result\` block`;
}

/** What one side says before the other does. */
export interface Turn {
  readonly role: unknown;
  readonly blocks: readonly Json[];
}

/** As Anthropic reads them: messages of the same role in a row count as one. */
export function joinTurns(messages: readonly Json[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const { role, content } of messages) {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : asObjects(content);
    const last = turns.at(-1);
    if (last && last.role === role) turns[turns.length - 1] = { role, blocks: [...last.blocks, ...blocks] };
    else turns.push({ role, blocks });
  }
  return turns;
}

export function* checkConversation(body: Body): Generator<string> {
  const messages = asArray(body.messages).filter(isObject);
  if (messages.length === 0) yield "messages: at least one message is required";
  for (const [index, { role }] of messages.entries())
    if (role !== "user" && role !== "assistant" && role !== "system")
      yield `messages.${index}.role: Input should be 'user' or 'assistant'`;
  if (messages[0]?.role !== "user") yield 'messages: first message must use the "user" role';
  const turns = joinTurns(messages);
  yield* checkToolPairs(turns);
  yield* checkSearchPairs(turns);
  yield* checkEnd(turns, body);
}

function* checkToolPairs(turns: readonly Turn[]): Generator<string> {
  const usedIds = new Set<unknown>();
  for (const [index, { role, blocks }] of turns.entries()) {
    const callIds = role === "assistant" ? listIds(blocks, "tool_use", "id") : [];
    for (const id of callIds) {
      if (usedIds.has(id)) yield `messages.${index}.content: \`tool_use\` ids must be unique`;
      usedIds.add(id);
    }
    const previousTurn = turns[index - 1];
    const openIds = previousTurn?.role === "assistant" ? listIds(previousTurn.blocks, "tool_use", "id") : [];
    if (role !== "assistant") yield* checkToolResults(blocks, openIds, index);
    if (callIds.length > 0 && turns[index + 1] === undefined) yield formatUnanswered(callIds, index);
  }
}

function* checkToolResults(blocks: readonly Json[], openIds: readonly unknown[], index: number): Generator<string> {
  const results = listIds(blocks, "tool_result", "tool_use_id");
  const unknownId = results.find((id) => !openIds.includes(id));
  if (unknownId !== undefined)
    yield `messages.${index}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(unknownId)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
  if (new Set(results).size < results.length)
    yield `messages.${index}.content: each tool_use must have a single result`;
  const missingIds = openIds.filter((id) => !results.includes(id));
  if (missingIds.length > 0) yield formatUnanswered(missingIds, index - 1);
  const leadingBlocks = blocks.slice(0, results.length);
  if (leadingBlocks.some(({ type }) => type !== "tool_result"))
    yield `messages.${index}: \`tool_result\` blocks must come before any other content`;
}

function formatUnanswered(ids: readonly unknown[], index: number): string {
  return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

function listIds(blocks: readonly Json[], type: string, key: string): readonly unknown[] {
  return blocks.filter((block) => block.type === type).map((block) => block[key]);
}
