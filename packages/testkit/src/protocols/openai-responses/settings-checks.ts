/** Checks everything but the input of a Responses request: names, numbers, reasoning, includes and tools. */

import { asArray, asObjects, findUnknownKey, isObject } from "../json.ts";
import { checkDuplicateNames, checkFunction, checkToolChoice } from "../openai/checks.ts";
import {
  belowMinimum,
  type Fault,
  invalidType,
  invalidValue,
  missingParameter,
  unknownParameter,
} from "../openai/errors.ts";
import type { Body } from "../protocol.ts";

export function* checkSettings(body: Body): Generator<Fault> {
  const unknownKey = findUnknownKey(body, KNOWN_FIELDS);
  if (unknownKey) yield unknownParameter(unknownKey);
  if (typeof body.model !== "string" || body.model === "") yield missingParameter("model");
  yield* checkInput(body);
  yield* checkNumbers(body);
  yield* checkReasoning(body);
  yield* checkInclude(body.include);
  yield* checkTools(body);
}

const KNOWN_FIELDS = [
  ...["model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "stream", "stream_options"],
  ...["store", "include", "reasoning", "text", "temperature", "top_p", "top_logprobs", "max_output_tokens"],
  ...["max_tool_calls", "metadata", "client_metadata", "previous_response_id", "conversation", "prompt", "truncation"],
  ...["prompt_cache_key", "prompt_cache_retention", "prompt_cache_options", "safety_identifier", "service_tier"],
  ...["user", "background", "context_management", "moderation"],
];

function* checkInput({ input, previous_response_id, conversation, prompt }: Body): Generator<Fault> {
  const continuation = previous_response_id ?? conversation ?? prompt;
  if (
    previous_response_id !== undefined &&
    previous_response_id !== null &&
    !/^resp/.test(String(previous_response_id))
  )
    yield {
      message: `Invalid 'previous_response_id': '${String(previous_response_id)}'. Expected an ID that begins with 'resp'.`,
      code: "invalid_value",
    };
  const isEmpty = input === undefined || input === null || input === "" || (Array.isArray(input) && input.length === 0);
  if (isEmpty && (continuation === undefined || continuation === null)) yield missingParameter("input");
  else if (!isEmpty && typeof input !== "string" && !Array.isArray(input))
    yield invalidType("input", "one of a string or array of input items", input);
}

function* checkNumbers({ max_output_tokens: maxTokens, temperature, stream, store }: Body): Generator<Fault> {
  if (maxTokens !== undefined && maxTokens !== null) {
    if (!Number.isInteger(maxTokens)) yield invalidType("max_output_tokens", "an integer", maxTokens);
    else if (Number(maxTokens) < 16) yield belowMinimum("max_output_tokens", 16, maxTokens);
  }
  if (typeof temperature === "number" && (temperature < 0 || temperature > 2))
    yield { message: `Invalid 'temperature': expected a value between 0 and 2, but got ${temperature} instead.` };
  if (stream !== undefined && stream !== null && typeof stream !== "boolean")
    yield invalidType("stream", "a boolean", stream);
  if (store !== undefined && store !== null && typeof store !== "boolean")
    yield invalidType("store", "a boolean", store);
}

const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const SUMMARY_MODES = ["auto", "concise", "detailed"];

function* checkReasoning({ reasoning }: Body): Generator<Fault> {
  if (reasoning === undefined || reasoning === null) return;
  if (!isObject(reasoning)) return yield invalidType("reasoning", "an object", reasoning);
  const { effort, summary } = reasoning;
  if (typeof effort === "string" && !EFFORTS.includes(effort)) yield invalidValue("reasoning.effort", effort, EFFORTS);
  if (typeof summary === "string" && !SUMMARY_MODES.includes(summary))
    yield invalidValue("reasoning.summary", summary, SUMMARY_MODES);
}

const INCLUDABLE = [
  ...["reasoning.encrypted_content", "message.output_text.logprobs", "message.input_image.image_url"],
  ...["file_search_call.results", "web_search_call.action.sources", "web_search_call.results"],
  ...["computer_call_output.output.image_url", "code_interpreter_call.outputs"],
];

function* checkInclude(include: unknown): Generator<Fault> {
  const unknownValue = asArray(include).find((each) => !INCLUDABLE.includes(String(each)));
  if (unknownValue !== undefined) yield invalidValue("include", unknownValue, INCLUDABLE);
}

function* checkTools({ tools, tool_choice }: Body): Generator<Fault> {
  for (const [index, tool] of asArray(tools).entries()) {
    if (!isObject(tool)) yield invalidType(`tools[${index}]`, "an object", tool);
    else if (typeof tool.type !== "string") yield missingParameter(`tools[${index}].type`);
    else if (tool.type === "function") yield* checkFunction(tool, `tools[${index}]`);
  }
  const names = asObjects(tools).map(({ name }) => name);
  yield* checkDuplicateNames(names);
  yield* checkToolChoice(tool_choice, names);
}
