/** Checks everything but the messages of a Chat Completions request. Unknown fields pass: they belong to some server. */

import { isObject, listOf, objectsIn } from "../json.ts";
import { choiceFaults, functionFaults, twinFaults } from "../openai/checks.ts";
import { type Fault, missing, tooLow, tooShort, wrongKind } from "../openai/errors.ts";
import type { Body } from "../protocol.ts";

export function* settingFaults(body: Body): Generator<Fault> {
  const { model, messages, temperature } = body;
  if (typeof model !== "string" || model === "") yield { message: "you must provide a model parameter" };
  if (messages === undefined || messages === null) yield missing("messages");
  else if (!Array.isArray(messages)) yield wrongKind("messages", "an array of objects", messages);
  else if (messages.length === 0) yield tooShort("messages", "array");
  if (typeof temperature === "number" && (temperature < 0 || temperature > 2))
    yield { message: `Invalid 'temperature': expected a value between 0 and 2, but got ${temperature} instead.` };
  yield* limitFaults(body);
  yield* streamFaults(body);
  yield* toolFaults(body);
}

function* limitFaults({ max_tokens, max_completion_tokens }: Body): Generator<Fault> {
  for (const [name, most] of Object.entries({ max_tokens, max_completion_tokens })) {
    if (most === undefined || most === null) continue;
    if (!Number.isInteger(most)) yield wrongKind(name, "an integer", most);
    else if (Number(most) < 1) yield tooLow(name, 1, most);
  }
  if (typeof max_tokens === "number" && typeof max_completion_tokens === "number")
    yield {
      message: "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      code: "invalid_parameter_combination",
    };
}

function* streamFaults({ stream, stream_options }: Body): Generator<Fault> {
  if (stream !== undefined && stream !== null && typeof stream !== "boolean")
    yield wrongKind("stream", "a boolean", stream);
  if (isObject(stream_options) && stream !== true)
    yield { message: "The 'stream_options' parameter is only allowed when 'stream' is enabled." };
}

function* toolFaults({ tools, tool_choice, parallel_tool_calls }: Body): Generator<Fault> {
  if (tools === undefined || tools === null) {
    yield* toollessFaults({ tool_choice, parallel_tool_calls });
    return;
  }
  if (!Array.isArray(tools)) return yield wrongKind("tools", "an array of objects", tools);
  if (tools.length === 0) yield tooShort("tools", "array");
  if (tools.length > MOST_TOOLS)
    yield {
      message: `Invalid 'tools': array too long. Expected an array with maximum length ${MOST_TOOLS}, but got an array with length ${tools.length} instead.`,
      code: "array_above_max_length",
    };
  for (const [at, tool] of listOf(tools).entries()) yield* oneTool(tool, `tools[${at}]`);
  const names = objectsIn(tools).map((tool) => (isObject(tool.function) ? tool.function.name : undefined));
  yield* twinFaults(names);
  yield* choiceFaults(tool_choice, names);
}

const MOST_TOOLS = 128;

function* oneTool(tool: unknown, at: string): Generator<Fault> {
  if (!isObject(tool)) yield wrongKind(at, "an object", tool);
  else if (tool.type === undefined) yield missing(`${at}.type`);
  else if (tool.type === "function" && !isObject(tool.function)) yield missing(`${at}.function`);
  else if (isObject(tool.function)) yield* functionFaults(tool.function, `${at}.function`);
}

function* toollessFaults(settings: Body): Generator<Fault> {
  for (const [name, value] of Object.entries(settings))
    if (value !== undefined && value !== null && value !== "none")
      yield { message: `Invalid value for '${name}': '${name}' is only allowed when 'tools' are specified.` };
}
