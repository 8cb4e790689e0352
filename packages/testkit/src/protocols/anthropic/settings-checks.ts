/** Checks everything but the conversation of an Anthropic request: names, numbers, tools, thinking and cache marks. */

import { asArray, asObjects, asString, findUnknownKey, isBlank, isObject, type Json } from "../json.ts";
import type { Body } from "../protocol.ts";
import { SEARCH_TOOL } from "./reply.ts";

export function* checkCacheMarks(body: Body): Generator<string> {
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

function isOneHourMark(mark: unknown): boolean {
  return isObject(mark) && mark.ttl === "1h";
}

/** In the order in which they are cached; the request's own mark stands on the last block, unless that has one. */
function listMarkedBlocks(body: Body): readonly Json[] {
  const blocks = asObjects(body.messages).flatMap(({ content }) => asObjects(content));
  const messageBlocks = blocks.flatMap((block) => [...asObjects(block.content), block]);
  const requestMark = isObject(blocks.at(-1)?.cache_control) ? [] : [body];
  return [...asObjects(body.tools), ...asObjects(body.system), ...messageBlocks, ...requestMark].filter(
    ({ cache_control }) => isObject(cache_control),
  );
}

export function* checkSettings(body: Body): Generator<string> {
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
