/** Checks everything but the messages of a Chat Completions request. Unknown fields pass: they belong to some server. */

import { asArray, asObjects, isObject } from "../json.ts";
import { checkDuplicateNames, checkFunction, checkToolChoice } from "../openai/checks.ts";
import { belowMinimum, emptyValue, type Fault, invalidType, missingParameter } from "../openai/errors.ts";
import type { Body } from "../protocol.ts";

export function* checkSettings(body: Body): Generator<Fault> {
  const { model, messages, temperature } = body;
  if (typeof model !== "string" || model === "") yield { message: "you must provide a model parameter" };
  if (messages === undefined || messages === null) yield missingParameter("messages");
  else if (!Array.isArray(messages)) yield invalidType("messages", "an array of objects", messages);
  else if (messages.length === 0) yield emptyValue("messages", "array");
  if (typeof temperature === "number" && (temperature < 0 || temperature > 2))
    yield { message: `Invalid 'temperature': expected a value between 0 and 2, but got ${temperature} instead.` };
  yield* checkTokenLimits(body);
  yield* checkStreamOptions(body);
  yield* checkTools(body);
}

function* checkTokenLimits({ max_tokens, max_completion_tokens }: Body): Generator<Fault> {
  for (const [name, limit] of Object.entries({ max_tokens, max_completion_tokens })) {
    if (limit === undefined || limit === null) continue;
    if (!Number.isInteger(limit)) yield invalidType(name, "an integer", limit);
    else if (Number(limit) < 1) yield belowMinimum(name, 1, limit);
  }
  if (typeof max_tokens === "number" && typeof max_completion_tokens === "number")
    yield {
      message: "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      code: "invalid_parameter_combination",
    };
}

function* checkStreamOptions({ stream, stream_options }: Body): Generator<Fault> {
  if (stream !== undefined && stream !== null && typeof stream !== "boolean")
    yield invalidType("stream", "a boolean", stream);
  if (isObject(stream_options) && stream !== true)
    yield { message: "The 'stream_options' parameter is only allowed when 'stream' is enabled." };
}

function* checkTools({ tools, tool_choice, parallel_tool_calls }: Body): Generator<Fault> {
  if (tools === undefined || tools === null) {
    yield* checkNoTools({ tool_choice, parallel_tool_calls });
    return;
  }
  if (!Array.isArray(tools)) return yield invalidType("tools", "an array of objects", tools);
  if (tools.length === 0) yield emptyValue("tools", "array");
  if (tools.length > MAX_TOOLS)
    yield {
      message: `Invalid 'tools': array too long. Expected an array with maximum length ${MAX_TOOLS}, but got an array with length ${tools.length} instead.`,
      code: "array_above_max_length",
    };
  for (const [index, tool] of asArray(tools).entries()) yield* checkTool(tool, `tools[${index}]`);
  const names = asObjects(tools).map((tool) => (isObject(tool.function) ? tool.function.name : undefined));
  yield* checkDuplicateNames(names);
  yield* checkToolChoice(tool_choice, names);
}

const MAX_TOOLS = 128;

function* checkTool(tool: unknown, path: string): Generator<Fault> {
  if (!isObject(tool)) yield invalidType(path, "an object", tool);
  else if (tool.type === undefined) yield missingParameter(`${path}.type`);
  else if (tool.type === "function" && !isObject(tool.function)) yield missingParameter(`${path}.function`);
  else if (isObject(tool.function)) yield* checkFunction(tool.function, `${path}.function`);
}

function* checkNoTools(settings: Body): Generator<Fault> {
  for (const [name, value] of Object.entries(settings))
    if (value !== undefined && value !== null && value !== "none")
      yield { message: `Invalid value for '${name}': '${name}' is only allowed when 'tools' are specified.` };
}
