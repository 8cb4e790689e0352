/** Checks everything but the conversation of an Anthropic request: names, numbers, tools, thinking and cache marks. */

import { isBlank, isObject, type Json, listOf, objectsIn, stranger, textOf } from "../json.ts";
import type { Body } from "../protocol.ts";
import { OWN_SEARCH } from "./reply.ts";

export function* markFaults(body: Body): Generator<string> {
  const marked = markedBlocks(body);
  if (marked.length > 4) yield `A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`;
  const short = marked.findIndex(({ cache_control }) => !isLong(cache_control));
  if (short >= 0 && marked.slice(short).some(({ cache_control }) => isLong(cache_control)))
    yield "cache_control: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.";
  for (const block of marked) {
    if (isObject(block.cache_control) && block.cache_control.type !== "ephemeral")
      yield `cache_control: Input tag '${String(block.cache_control.type)}' found using 'type' does not match any of the expected tags: 'ephemeral'`;
    if (block.type === "thinking" || block.type === "redacted_thinking")
      yield `${String(block.type)}.cache_control: Extra inputs are not permitted`;
    if (block.type === "text" && block.text === "") yield "cache_control cannot be set for empty text blocks";
  }
}

function isLong(mark: unknown): boolean {
  return isObject(mark) && mark.ttl === "1h";
}

/** In the order in which they are cached; the request's own mark stands on the last block, unless that has one. */
function markedBlocks(body: Body): readonly Json[] {
  const blocks = objectsIn(body.messages).flatMap(({ content }) => objectsIn(content));
  const all = blocks.flatMap((block) => [...objectsIn(block.content), block]);
  const own = isObject(blocks.at(-1)?.cache_control) ? [] : [body];
  return [...objectsIn(body.tools), ...objectsIn(body.system), ...all, ...own].filter(({ cache_control }) =>
    isObject(cache_control),
  );
}

export function* settingFaults(body: Body): Generator<string> {
  const strange = stranger(body, KNOWN);
  if (strange) yield `${strange}: Extra inputs are not permitted`;
  if (typeof body.model !== "string" || body.model === "") yield "model: Field required";
  if (!Number.isInteger(body.max_tokens) || Number(body.max_tokens) < 1)
    yield "max_tokens: Input should be greater than or equal to 1";
  yield* kindFaults(body);
  yield* toolFaults(body);
  yield* thinkingFaults(body);
  yield* markFaults(body);
}

const KNOWN = [
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

function* kindFaults({ temperature, stream, tools, stop_sequences }: Body): Generator<string> {
  if (temperature !== undefined && typeof temperature !== "number") yield "temperature: Input should be a valid number";
  if (typeof temperature === "number" && (temperature < 0 || temperature > 1))
    yield "temperature: Input should be between 0 and 1";
  if (stream !== undefined && typeof stream !== "boolean") yield "stream: Input should be a valid boolean";
  if (tools !== undefined && !Array.isArray(tools)) yield "tools: Input should be a valid list";
  for (const [at, each] of listOf(stop_sequences).entries())
    if (isBlank(each)) yield `stop_sequences.${at}: each stop sequence must contain non-whitespace`;
}

function* toolFaults({ tools, tool_choice }: Body): Generator<string> {
  const names = new Set<unknown>();
  for (const [at, tool] of listOf(tools).entries()) {
    if (!isObject(tool)) yield `tools.${at}: Input should be a valid dictionary`;
    else yield* oneTool(tool, at, names);
  }
  if (!isObject(tool_choice)) return;
  if (!["auto", "any", "tool", "none"].includes(String(tool_choice.type)))
    yield "tool_choice: Input tag is not one of the expected tags";
  if (tool_choice.type === "tool" && !names.has(tool_choice.name))
    yield `Tool '${String(tool_choice.name)}' not found in provided tools`;
}

function* oneTool({ name, type, input_schema }: Json, at: number, names: Set<unknown>): Generator<string> {
  if (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,128}$/.test(name))
    yield `tools.${at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
  if (names.has(name)) yield "tools: Tool names must be unique.";
  names.add(name);
  if (textOf(type).startsWith(`${OWN_SEARCH}_`) && name !== OWN_SEARCH)
    yield `tools.${at}.${textOf(type)}.name: Input should be '${OWN_SEARCH}'`;
  const isOwn = type === undefined || type === "custom";
  if (isOwn && !isObject(input_schema)) yield `tools.${at}.custom.input_schema: Field required`;
  if (isObject(input_schema) && input_schema.type !== "object")
    yield `tools.${at}.custom.input_schema.type: Input should be 'object'`;
}

function* thinkingFaults({ thinking, max_tokens, tool_choice, temperature, top_k }: Body): Generator<string> {
  if (!isObject(thinking) || thinking.type === "disabled") return;
  if (thinking.type !== "enabled" && thinking.type !== "adaptive")
    yield "thinking: Input tag is not one of the expected tags";
  if (thinking.type === "enabled") yield* budgetFaults(thinking.budget_tokens, max_tokens);
  const forced = isObject(tool_choice) && (tool_choice.type === "any" || tool_choice.type === "tool");
  if (forced) yield "Thinking may not be enabled when tool_choice forces tool use.";
  if (temperature !== undefined && temperature !== 1)
    yield "`temperature` may only be set to 1 when thinking is enabled.";
  if (top_k !== undefined) yield "`top_k` must be unset when thinking is enabled.";
}

function* budgetFaults(budget: unknown, most: unknown): Generator<string> {
  const at = "thinking.enabled.budget_tokens";
  if (budget === undefined) yield `${at}: Field required`;
  else if (!Number.isInteger(budget)) yield `${at}: Input should be a valid integer`;
  else if (Number(budget) < 1024) yield `${at}: Input should be greater than or equal to 1024`;
  else if (Number(budget) >= Number(most)) yield "`max_tokens` must be greater than `thinking.budget_tokens`.";
}
