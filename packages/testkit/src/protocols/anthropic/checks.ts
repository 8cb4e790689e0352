/** Finds the first fault of a Messages request: settings, fields, blocks, the order of turns, and calls without results. */

import {
  asArray,
  asObjects,
  asString,
  checkImage,
  findUnknownKey,
  hasLoneSurrogate,
  isBlank,
  isObject,
  type Json,
  WEB_IMAGE_TYPES,
} from "../json.ts";
import type { Body, ProtocolRequest, Refusal } from "../protocol.ts";
import { createSignature, isSealed } from "../signature.ts";
import { encryptPage, SEARCH_TOOL } from "./reply.ts";

/** Returns the first fault, with the API's own message where it is known. */
export function checkRequest(request: ProtocolRequest): Refusal | null {
  const { headers, body, bytes } = request;
  if (!headers["x-api-key"] && !headers.authorization)
    return createRefusal(401, "authentication_error", "x-api-key header is required");
  if (bytes > MAX_BYTES) return createRefusal(413, "request_too_large", "Request exceeds the maximum size");
  if (!headers["anthropic-version"])
    return createRefusal(400, "invalid_request_error", "anthropic-version: header is required");
  if (hasLoneSurrogate(body))
    return createRefusal(
      400,
      "invalid_request_error",
      "The request body is not valid JSON: no low surrogate in string",
    );
  for (const message of checkBody(body)) return createRefusal(400, "invalid_request_error", message);
  return null;
}

function createRefusal(status: number, type: string, message: string): Refusal {
  return { status, type, message };
}

const MAX_BYTES = 32 * 1024 * 1024;

function* checkBody(body: ProtocolRequest["body"]): Generator<string> {
  yield* checkSettings(body);
  yield* checkMessageFields(body);
  yield* checkBlocks(body);
  yield* checkConversation(body);
}

function* checkSettings(body: Body): Generator<string> {
  const unknownKey = findUnknownKey(body, KNOWN_FIELDS);
  if (unknownKey) yield `${unknownKey}: Extra inputs are not permitted`;
  if (typeof body.model !== "string" || body.model === "") yield "model: Field required";
  if (!Number.isInteger(body.max_tokens) || Number(body.max_tokens) < 1)
    yield "max_tokens: Input should be greater than or equal to 1";
  yield* checkFieldTypes(body);
  yield* checkTools(body);
  yield* checkThinking(body);
  yield* checkCacheMarks(body);
}

const KNOWN_FIELDS = [
  ...[
    "model",
    "max_tokens",
    "messages",
    "system",
    "tools",
    "tool_choice",
    "thinking",
    "stream",
    "temperature",
    "top_k",
  ],
  ...["top_p", "stop_sequences", "metadata", "service_tier", "container", "mcp_servers", "context_management"],
  ...["output_config", "output_format", "cache_control", "speed", "inference_geo", "betas"],
];

function* checkFieldTypes({ temperature, stream, tools, stop_sequences }: Body): Generator<string> {
  if (temperature !== undefined && typeof temperature !== "number") yield "temperature: Input should be a valid number";
  if (typeof temperature === "number" && (temperature < 0 || temperature > 1))
    yield "temperature: Input should be between 0 and 1";
  if (stream !== undefined && typeof stream !== "boolean") yield "stream: Input should be a valid boolean";
  if (tools !== undefined && !Array.isArray(tools)) yield "tools: Input should be a valid list";
  for (const [index, each] of asArray(stop_sequences).entries())
    if (isBlank(each)) yield `stop_sequences.${index}: each stop sequence must contain non-whitespace`;
}

function* checkTools({ tools, tool_choice }: Body): Generator<string> {
  const names = new Set<unknown>();
  for (const [index, tool] of asArray(tools).entries()) {
    if (!isObject(tool)) yield `tools.${index}: Input should be a valid dictionary`;
    else yield* checkTool(tool, index, names);
  }
  if (!isObject(tool_choice)) return;
  if (!["auto", "any", "tool", "none"].includes(String(tool_choice.type)))
    yield "tool_choice: Input tag is not one of the expected tags";
  if (tool_choice.type === "tool" && !names.has(tool_choice.name))
    yield `Tool '${String(tool_choice.name)}' not found in provided tools`;
}

function* checkTool({ name, type, input_schema }: Json, index: number, names: Set<unknown>): Generator<string> {
  if (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,128}$/.test(name))
    yield `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
  if (names.has(name)) yield "tools: Tool names must be unique.";
  names.add(name);
  if (asString(type).startsWith(`${SEARCH_TOOL}_`) && name !== SEARCH_TOOL)
    yield `tools.${index}.${asString(type)}.name: Input should be '${SEARCH_TOOL}'`;
  const isCustom = type === undefined || type === "custom";
  if (isCustom && !isObject(input_schema)) yield `tools.${index}.custom.input_schema: Field required`;
  if (isObject(input_schema) && input_schema.type !== "object")
    yield `tools.${index}.custom.input_schema.type: Input should be 'object'`;
}

function* checkThinking({ thinking, max_tokens, tool_choice, temperature, top_k }: Body): Generator<string> {
  if (!isObject(thinking) || thinking.type === "disabled") return;
  if (thinking.type !== "enabled" && thinking.type !== "adaptive")
    yield "thinking: Input tag is not one of the expected tags";
  if (thinking.type === "enabled") yield* checkThinkingBudget(thinking.budget_tokens, max_tokens);
  const isForced = isObject(tool_choice) && (tool_choice.type === "any" || tool_choice.type === "tool");
  if (isForced) yield "Thinking may not be enabled when tool_choice forces tool use.";
  if (temperature !== undefined && temperature !== 1)
    yield "`temperature` may only be set to 1 when thinking is enabled.";
  if (top_k !== undefined) yield "`top_k` must be unset when thinking is enabled.";
}

function* checkThinkingBudget(budget: unknown, maxTokens: unknown): Generator<string> {
  const path = "thinking.enabled.budget_tokens";
  if (budget === undefined) yield `${path}: Field required`;
  else if (!Number.isInteger(budget)) yield `${path}: Input should be a valid integer`;
  else if (Number(budget) < 1024) yield `${path}: Input should be greater than or equal to 1024`;
  else if (Number(budget) >= Number(maxTokens)) yield "`max_tokens` must be greater than `thinking.budget_tokens`.";
}

function* checkCacheMarks(body: Body): Generator<string> {
  const markedBlocks = listMarkedBlocks(body);
  if (markedBlocks.length > 4)
    yield `A maximum of 4 blocks with cache_control may be provided. Found ${markedBlocks.length}.`;
  const firstShortMark = markedBlocks.findIndex(({ cache_control }) => !isOneHourMark(cache_control));
  if (
    firstShortMark >= 0 &&
    markedBlocks.slice(firstShortMark).some(({ cache_control }) => isOneHourMark(cache_control))
  )
    yield "cache_control: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.";
  for (const block of markedBlocks) {
    if (isObject(block.cache_control) && block.cache_control.type !== "ephemeral")
      yield `cache_control: Input tag '${String(block.cache_control.type)}' found using 'type' does not match any of the expected tags: 'ephemeral'`;
    if (block.type === "thinking" || block.type === "redacted_thinking")
      yield `${String(block.type)}.cache_control: Extra inputs are not permitted`;
    if (block.type === "text" && block.text === "") yield "cache_control cannot be set for empty text blocks";
  }
}

/** Checks marks in cache order. The request's own mark counts as the last block's, unless that block has one. */
function listMarkedBlocks(body: Body): readonly Json[] {
  const blocks = asObjects(body.messages).flatMap(({ content }) => asObjects(content));
  const messageBlocks = blocks.flatMap((block) => [...asObjects(block.content), block]);
  const requestMark = isObject(blocks.at(-1)?.cache_control) ? [] : [body];
  return [...asObjects(body.tools), ...asObjects(body.system), ...messageBlocks, ...requestMark].filter(
    ({ cache_control }) => isObject(cache_control),
  );
}

function isOneHourMark(mark: unknown): boolean {
  return isObject(mark) && mark.ttl === "1h";
}

function* checkMessageFields({ messages }: Body): Generator<string> {
  for (const [index, message] of asObjects(messages).entries()) {
    const unknownKey = findUnknownKey(message, ["role", "content"]);
    if (unknownKey !== undefined) yield `messages.${index}.${unknownKey}: Extra inputs are not permitted`;
    yield* checkBlockFields(message, `messages.${index}`);
  }
}

function* checkBlockFields({ content }: Json, path: string): Generator<string> {
  for (const [index, block] of asObjects(content).entries()) {
    const kind = String(block.type);
    const knownKeys = Object.hasOwn(BLOCK_FIELDS, kind) ? BLOCK_FIELDS[kind] : undefined;
    const unknownKey = knownKeys && findUnknownKey(block, [...knownKeys, "type", "cache_control"]);
    if (unknownKey !== undefined)
      yield `${path}.content.${index}.${kind}.${unknownKey}: Extra inputs are not permitted`;
    if (kind === "tool_result") yield* checkBlockFields(block, `${path}.content.${index}.tool_result`);
  }
}

/** Block types that are not in the table are not checked. */
const BLOCK_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "citations"],
  image: ["source"],
  tool_use: ["id", "name", "input", "caller"],
  tool_result: ["tool_use_id", "content", "is_error"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
  server_tool_use: ["id", "name", "input", "caller"],
  web_search_tool_result: ["tool_use_id", "content", "caller"],
};

function* checkBlocks({ model, system, messages }: Body): Generator<string> {
  for (const [index, block] of asArray(system).entries()) yield* checkSystemBlock(block, `system.${index}`);
  for (const [index, message] of asArray(messages).entries()) {
    if (!isObject(message)) yield `messages.${index}: Input should be a valid dictionary`;
    else yield* checkContent(message, { path: `messages.${index}`, model: asString(model) });
  }
}

function* checkSystemBlock(block: unknown, path: string): Generator<string> {
  if (!isObject(block) || block.type !== "text") yield `${path}: Input should be a text block`;
  else if (isBlank(block.text)) yield "system: text content blocks must be non-empty";
}

interface CheckContext {
  readonly path: string;
  readonly model: string;
}

function* checkContent({ role, content }: Json, { path, model }: CheckContext): Generator<string> {
  if (typeof content === "string") {
    if (isBlank(content)) yield `${path}: all messages must have non-empty content`;
    return;
  }
  if (asArray(content).length === 0)
    yield `${path}: all messages must have non-empty content except for the optional final assistant message`;
  for (const [index, block] of asArray(content).entries()) {
    const context = { path: `${path}.content.${index}`, model };
    if (!isObject(block)) yield `${context.path}: Input should be a valid dictionary`;
    else yield* role === "assistant" ? checkReplyBlock(block, context) : checkUserBlock(block, context);
  }
}

function* checkReplyBlock(block: Json, { path, model }: CheckContext): Generator<string> {
  switch (block.type) {
    case "text":
      yield* checkText(block);
      return;
    case "thinking":
      if (block.signature !== createSignature(model, asString(block.thinking)))
        yield `${path}: Invalid \`signature\` in \`thinking\` block`;
      return;
    case "redacted_thinking":
      if (!isSealed(model, block.data)) yield `${path}: Invalid \`data\` in \`redacted_thinking\` block`;
      return;
    case "tool_use":
      if (!isValidId(block.id)) yield `${path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
      if (typeof block.name !== "string" || !/^[a-zA-Z0-9_-]{1,200}$/.test(block.name))
        yield `${path}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'`;
      if (!isObject(block.input)) yield `${path}.tool_use.input: Input should be a valid dictionary`;
      return;
    case "server_tool_use":
      yield* checkSearchBlock(block, path);
      return;
    case "web_search_tool_result":
      yield* checkSearchResultBlock(block, path);
      return;
    default:
      yield `${path}: Input tag '${String(block.type)}' found using 'type' does not match any of the expected tags for the role assistant`;
  }
}

function* checkText({ text }: Json): Generator<string> {
  if (text === "") yield "messages: text content blocks must be non-empty";
  else if (isBlank(text)) yield "messages: text content blocks must contain non-whitespace text";
}

function isValidId(id: unknown): boolean {
  return typeof id === "string" && /^[a-zA-Z0-9_-]+$/.test(id);
}

function* checkSearchBlock(block: Json, path: string): Generator<string> {
  if (!/^srvtoolu_[a-zA-Z0-9_]+$/.test(asString(block.id)))
    yield `${path}.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'`;
  if (block.name !== SEARCH_TOOL) yield `${path}.server_tool_use.name: Input should be '${SEARCH_TOOL}'`;
  if (!isObject(block.input)) yield `${path}.server_tool_use.input: Input should be a valid dictionary`;
}

function* checkSearchResultBlock({ content }: Json, path: string): Generator<string> {
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

function* checkUserBlock(block: Json, { path }: CheckContext): Generator<string> {
  switch (block.type) {
    case "text":
      yield* checkText(block);
      return;
    case "image":
      yield* checkImageBlock(block, path);
      return;
    case "tool_result":
      if (!isValidId(block.tool_use_id))
        yield `${path}.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
      for (const [index, innerBlock] of asArray(block.content).entries())
        if (isObject(innerBlock))
          yield* checkUserBlock(innerBlock, { path: `${path}.tool_result.content.${index}`, model: "" });
      return;
    case "document":
    case "search_result":
    case "tool_reference":
      return;
    default:
      yield `${path}: Input tag '${String(block.type)}' found using 'type' does not match any of the expected tags for the role user`;
  }
}

function* checkImageBlock({ source }: Json, path: string): Generator<string> {
  if (!isObject(source)) yield `${path}.image.source: Field required`;
  else if (source.type === "base64") {
    const fault = checkImage(source.media_type, source.data, WEB_IMAGE_TYPES);
    if (fault) yield `${path}.image.source.base64: ${fault}`;
    const bytes = Math.floor((asString(source.data).length * 3) / 4);
    if (bytes > MAX_IMAGE_BYTES)
      yield `${path}.image.source.base64: image exceeds 5 MB maximum: ${bytes} bytes > ${MAX_IMAGE_BYTES} bytes`;
  }
}

const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

function* checkConversation(body: Body): Generator<string> {
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

/** Consecutive messages of one role. */
interface Turn {
  readonly role: unknown;
  readonly blocks: readonly Json[];
}

/** Joins consecutive messages of the same role, as Anthropic does. */
function joinTurns(messages: readonly Json[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const { role, content } of messages) {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : asObjects(content);
    const last = turns.at(-1);
    if (last && last.role === role) turns[turns.length - 1] = { role, blocks: [...last.blocks, ...blocks] };
    else turns.push({ role, blocks });
  }
  return turns;
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

function listIds(blocks: readonly Json[], type: string, key: string): readonly unknown[] {
  return blocks.filter((block) => block.type === type).map((block) => block[key]);
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

function* checkSearchPairs(turns: readonly Turn[]): Generator<string> {
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
  // A paused reply may end with a search that has no result yet.
  const isPaused = isLast && blocks.at(-1)?.type === "server_tool_use";
  const [unpairedId] = isPaused ? [] : openIds;
  if (unpairedId !== undefined)
    yield `messages.${index}: \`${SEARCH_TOOL}\` tool use with id \`${String(unpairedId)}\` was found without a corresponding \`web_search_tool_result\` block`;
}

function* checkEnd(turns: readonly Turn[], body: Body): Generator<string> {
  const reply = turns.findLast(({ role }) => role === "assistant");
  if (reply?.blocks.at(-1)?.type === "thinking")
    yield "messages: The final block in an assistant message cannot be `thinking`.";
  const last = turns.at(-1);
  const lastBlock = last?.role === "assistant" ? last.blocks.at(-1) : undefined;
  if (lastBlock?.type === "text" && /\s$/.test(asString(lastBlock.text)))
    yield "messages: final assistant content cannot end with trailing whitespace";
  if (requiresThinking(body)) yield* checkThinkingStart(turns);
}

/** From 4.6 on, Claude decides when to think, so that thinking is not required. */
function requiresThinking({ thinking, model }: Body): boolean {
  if (!isObject(thinking) || thinking.type !== "enabled") return false;
  const [, major = "0", minor = "0"] =
    /claude-[a-z]+-(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/.exec(asString(model)) ?? [];
  return Number(major) < 4 || (Number(major) === 4 && Number(minor) < 6);
}

/** A loop of calls and results is one turn. Its first reply must begin with thinking. */
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
