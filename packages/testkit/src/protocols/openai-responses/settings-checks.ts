/** Checks everything but the input of a Responses request: names, numbers, reasoning, includes and tools. */

import { isObject, listOf, objectsIn, stranger } from "../json.ts";
import { choiceFaults, functionFaults, twinFaults } from "../openai/checks.ts";
import { type Fault, missing, tooLow, unknown, wrongKind, wrongValue } from "../openai/errors.ts";
import type { Body } from "../protocol.ts";

export function* settingFaults(body: Body): Generator<Fault> {
  const strange = stranger(body, KNOWN);
  if (strange) yield unknown(strange);
  if (typeof body.model !== "string" || body.model === "") yield missing("model");
  yield* inputFaults(body);
  yield* numberFaults(body);
  yield* reasoningFaults(body);
  yield* includeFaults(body.include);
  yield* toolFaults(body);
}

const KNOWN = [
  ...["model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "stream", "stream_options"],
  ...["store", "include", "reasoning", "text", "temperature", "top_p", "top_logprobs", "max_output_tokens"],
  ...["max_tool_calls", "metadata", "client_metadata", "previous_response_id", "conversation", "prompt", "truncation"],
  ...["prompt_cache_key", "prompt_cache_retention", "prompt_cache_options", "safety_identifier", "service_tier"],
  ...["user", "background", "context_management", "moderation"],
];

function* inputFaults({ input, previous_response_id, conversation, prompt }: Body): Generator<Fault> {
  const goesOn = previous_response_id ?? conversation ?? prompt;
  if (
    previous_response_id !== undefined &&
    previous_response_id !== null &&
    !/^resp/.test(String(previous_response_id))
  )
    yield {
      message: `Invalid 'previous_response_id': '${String(previous_response_id)}'. Expected an ID that begins with 'resp'.`,
      code: "invalid_value",
    };
  const isNothing =
    input === undefined || input === null || input === "" || (Array.isArray(input) && input.length === 0);
  if (isNothing && (goesOn === undefined || goesOn === null)) yield missing("input");
  else if (!isNothing && typeof input !== "string" && !Array.isArray(input))
    yield wrongKind("input", "one of a string or array of input items", input);
}

function* numberFaults({ max_output_tokens: most, temperature, stream, store }: Body): Generator<Fault> {
  if (most !== undefined && most !== null) {
    if (!Number.isInteger(most)) yield wrongKind("max_output_tokens", "an integer", most);
    else if (Number(most) < 16) yield tooLow("max_output_tokens", 16, most);
  }
  if (typeof temperature === "number" && (temperature < 0 || temperature > 2))
    yield { message: `Invalid 'temperature': expected a value between 0 and 2, but got ${temperature} instead.` };
  if (stream !== undefined && stream !== null && typeof stream !== "boolean")
    yield wrongKind("stream", "a boolean", stream);
  if (store !== undefined && store !== null && typeof store !== "boolean") yield wrongKind("store", "a boolean", store);
}

const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const summaries = ["auto", "concise", "detailed"];

function* reasoningFaults({ reasoning }: Body): Generator<Fault> {
  if (reasoning === undefined || reasoning === null) return;
  if (!isObject(reasoning)) return yield wrongKind("reasoning", "an object", reasoning);
  const { effort, summary } = reasoning;
  if (typeof effort === "string" && !efforts.includes(effort)) yield wrongValue("reasoning.effort", effort, efforts);
  if (typeof summary === "string" && !summaries.includes(summary))
    yield wrongValue("reasoning.summary", summary, summaries);
}

const includable = [
  ...["reasoning.encrypted_content", "message.output_text.logprobs", "message.input_image.image_url"],
  ...["file_search_call.results", "web_search_call.action.sources", "web_search_call.results"],
  ...["computer_call_output.output.image_url", "code_interpreter_call.outputs"],
];

function* includeFaults(include: unknown): Generator<Fault> {
  const strange = listOf(include).find((each) => !includable.includes(String(each)));
  if (strange !== undefined) yield wrongValue("include", strange, includable);
}

function* toolFaults({ tools, tool_choice }: Body): Generator<Fault> {
  for (const [at, tool] of listOf(tools).entries()) {
    if (!isObject(tool)) yield wrongKind(`tools[${at}]`, "an object", tool);
    else if (typeof tool.type !== "string") yield missing(`tools[${at}].type`);
    else if (tool.type === "function") yield* functionFaults(tool, `tools[${at}]`);
  }
  const names = objectsIn(tools).map(({ name }) => name);
  yield* twinFaults(names);
  yield* choiceFaults(tool_choice, names);
}
