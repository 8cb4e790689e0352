/** Finds the first fault of a Chat Completions request that OpenAI, or the strictest compatible server, would refuse. */

import { asArray, asObjects, isObject, type Json } from "../json.ts";
import {
  checkArguments,
  checkArgumentsType,
  checkCallId,
  checkDuplicateNames,
  checkFunction,
  checkImageDetail,
  checkImageUrl,
  checkKeyAndSize,
  checkName,
  checkToolChoice,
  findDuplicate,
  type IdRule,
} from "../openai-checks.ts";
import {
  belowMinimum,
  emptyValue,
  type Fault,
  invalidType,
  invalidValue,
  missingParameter,
  toRefusal,
} from "../openai-errors.ts";
import type { Body, ProtocolRequest, Refusal } from "../protocol.ts";

export function checkRequest(request: ProtocolRequest): Refusal | null {
  for (const fault of checkAll(request)) return toRefusal(fault);
  return null;
}

function* checkAll(request: ProtocolRequest): Generator<Fault> {
  yield* checkKeyAndSize(request);
  yield* checkSettings(request.body);
  yield* checkReasoningModel(request.body);
  yield* checkMessages(request.body);
  yield* checkGroq(request);
  yield* checkConversation(request.body);
}

function* checkSettings(body: Body): Generator<Fault> {
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

function* checkNoTools(settings: Body): Generator<Fault> {
  for (const [name, value] of Object.entries(settings))
    if (value !== undefined && value !== null && value !== "none")
      yield { message: `Invalid value for '${name}': '${name}' is only allowed when 'tools' are specified.` };
}

const MAX_TOOLS = 128;

function* checkTool(tool: unknown, path: string): Generator<Fault> {
  if (!isObject(tool)) yield invalidType(path, "an object", tool);
  else if (tool.type === undefined) yield missingParameter(`${path}.type`);
  else if (tool.type === "function" && !isObject(tool.function)) yield missingParameter(`${path}.function`);
  else if (isObject(tool.function)) yield* checkFunction(tool.function, `${path}.function`);
}

function* checkReasoningModel(body: Body): Generator<Fault> {
  if (!isReasoningModel(body.model)) return;
  const { max_tokens, temperature } = body;
  if (max_tokens !== undefined && max_tokens !== null)
    yield {
      message:
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      code: "unsupported_parameter",
    };
  if (typeof temperature === "number" && temperature !== 1 && !hasReasoningOff(body))
    yield {
      message: `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`,
      code: "unsupported_value",
    };
}

/** OpenAI's reasoning models, which accept fewer settings. */
function isReasoningModel(model: unknown): boolean {
  return /^(gpt-5(?!.*-chat)|o[134](-|$))/.test(String(model));
}

/** From gpt-5.1 on, reasoning is off unless requested, and a temperature is accepted while it is off. */
function hasReasoningOff({ model, reasoning_effort }: Body): boolean {
  const canTurnOff = /^gpt-5\.\d/.test(String(model));
  return canTurnOff && (reasoning_effort ?? "none") === "none";
}

function* checkMessages({ messages, model }: Body): Generator<Fault> {
  for (const [index, message] of asArray(messages).entries()) {
    const path = `messages[${index}]`;
    if (!isObject(message)) yield invalidType(path, "an object", message);
    else yield* checkMessage(message, { path, model });
  }
}

interface CheckContext {
  readonly path: string;
  readonly model: unknown;
}

function* checkMessage(message: Json, { path, model }: CheckContext): Generator<Fault> {
  switch (message.role) {
    case "system":
    case "developer":
    case "user":
      yield* checkContent(message, path);
      return;
    case "assistant":
      yield* checkAssistantMessage(message, { path, model });
      return;
    case "tool":
      yield* checkCallId(message.tool_call_id, callIdRule(model, `${path}.tool_call_id`));
      yield* checkContent(message, path);
      return;
    case "function":
      yield* checkName(message.name, `${path}.name`);
      if (message.content !== null) yield* checkContent(message, path);
      return;
    default:
      yield invalidValue(`${path}.role`, message.role, ["system", "developer", "user", "assistant", "tool"]);
  }
}

function* checkContent({ role, content }: Json, path: string): Generator<Fault> {
  if (content === undefined) return yield missingParameter(`${path}.content`);
  if (content === null) return yield { message: `Invalid value for 'content': expected a string, got null. (${path})` };
  if (typeof content === "string") return;
  if (!Array.isArray(content))
    return yield invalidType(`${path}.content`, "one of a string or array of objects", content);
  if (content.length === 0) yield emptyValue(`${path}.content`, "array");
  for (const [index, part] of content.entries()) {
    const context = { path: `${path}.content[${index}]`, messagePath: path, role: String(role) };
    if (!isObject(part)) yield invalidType(context.path, "an object", part);
    else yield* checkPart(part, context);
  }
}

interface PartContext {
  readonly path: string;
  /** The path of the whole message. */
  readonly messagePath: string;
  readonly role: string;
}

function* checkPart(part: Json, { path, messagePath, role }: PartContext): Generator<Fault> {
  if (part.type === undefined) return yield missingParameter(`${path}.type`);
  if (part.type === "text") return yield* checkText(part, path);
  if (part.type === "image_url") {
    if (role === "user") return yield* checkImagePart(part, path);
    return yield {
      message: `Invalid '${messagePath}'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`,
      code: "invalid_value",
    };
  }
  const allowed = PART_TYPES[role] ?? ["text"];
  if (!allowed.includes(String(part.type))) yield invalidValue(`${path}.type`, part.type, allowed);
}

function* checkText({ text }: Json, path: string): Generator<Fault> {
  if (text === undefined) yield missingParameter(`${path}.text`);
  else if (typeof text !== "string") yield invalidType(`${path}.text`, "a string", text);
  else if (text === "") yield emptyValue(`${path}.text`, "string");
}

function* checkImagePart({ image_url: image }: Json, path: string): Generator<Fault> {
  if (image === undefined) return yield missingParameter(`${path}.image_url`);
  if (!isObject(image)) return yield invalidType(`${path}.image_url`, "an object", image);
  yield* checkImageUrl(image.url, `${path}.image_url.url`);
  yield* checkImageDetail(image.detail, `${path}.image_url.detail`);
}

const PART_TYPES: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image_url", "input_audio", "file", "video_url"],
  assistant: ["text", "refusal"],
};

function* checkAssistantMessage(message: Json, { path, model }: CheckContext): Generator<Fault> {
  const { content, tool_calls: calls, function_call: legacyCall } = message;
  const hasNoContent = content === undefined || content === null;
  if (isObject(legacyCall)) yield* checkLegacyCall(legacyCall, `${path}.function_call`);
  if (calls !== undefined && calls !== null) {
    if (!Array.isArray(calls)) return yield invalidType(`${path}.tool_calls`, "an array of objects", calls);
    if (calls.length === 0) yield emptyValue(`${path}.tool_calls`, "array");
    for (const [index, call] of calls.entries())
      yield* checkToolCall(call, { path: `${path}.tool_calls[${index}]`, model });
  } else if (hasNoContent && !isObject(legacyCall))
    yield { message: `Invalid assistant message: content or tool_calls must be set. (${path})`, code: "invalid_value" };
  if (!hasNoContent) yield* checkContent(message, path);
}

/** Checks the deprecated `function_call` field: one call without an id. */
function* checkLegacyCall({ name, arguments: argumentsJson }: Json, path: string): Generator<Fault> {
  yield* checkName(name, `${path}.name`);
  yield* checkArgumentsType(argumentsJson, `${path}.arguments`);
}

function* checkToolCall(call: unknown, { path, model }: CheckContext): Generator<Fault> {
  if (!isObject(call)) return yield invalidType(path, "an object", call);
  yield* checkCallId(call.id, callIdRule(model, `${path}.id`));
  if (call.type === undefined) yield missingParameter(`${path}.type`);
  else if (call.type !== "function") yield invalidValue(`${path}.type`, call.type, ["function"]);
  if (!isObject(call.function)) return yield missingParameter(`${path}.function`);
  yield* checkName(call.function.name, `${path}.function.name`);
  // OpenAI accepts invalid JSON that its models wrote; chat templates that parse the arguments do not.
  const check = isOpenAi(model) ? checkArgumentsType : checkArguments;
  yield* check(call.function.arguments, `${path}.function.arguments`);
}

/** OpenAI allows 40 characters. Other vendors have longer ids, and ids such as `functions.read:0`. */
function callIdRule(model: unknown, path: string): IdRule {
  return { path, maxLength: isOpenAi(model) ? 40 : 256, pattern: "^[a-zA-Z0-9_.:-]+$" };
}

/** OpenAI's models accept any order of messages. Any other model is checked like a strict chat template. */
function isOpenAi(model: unknown): boolean {
  return /^(gpt-|chatgpt|o[134](-|$))/.test(String(model));
}

/** Groq refuses `reasoning_content`, which most compatible servers ignore. */
function* checkGroq({ path, body }: ProtocolRequest): Generator<Fault> {
  if (!path.startsWith(GROQ_PATH)) return;
  for (const [index, message] of asArray(body.messages).entries())
    if (isObject(message) && message.role === "assistant" && message.reasoning_content !== undefined)
      yield {
        message: `'messages.${index}' : for 'role:assistant' the following must be satisfied[('messages.${index}' : property 'reasoning_content' is unsupported)]`,
      };
}

/** Only Groq's API has this path. */
const GROQ_PATH = "/openai/v1/";

function* checkConversation(body: Body): Generator<Fault> {
  const messages = asObjects(body.messages);
  yield* checkToolPairs(messages);
  for (const message of messages) {
    const id = findDuplicate(listCallIds(message));
    if (id !== undefined) yield { message: `Duplicate tool call id: '${id}' serves a second call.` };
  }
  if (!isOpenAi(body.model)) yield* checkTurnOrder(messages);
}

/** The results follow directly after the message with the calls, in any order, one for each call. */
function* checkToolPairs(messages: readonly Json[]): Generator<Fault> {
  let callIds: readonly string[] = [];
  let openIds: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      const id = String(message.tool_call_id);
      if (!openIds.includes(id)) yield callIds.includes(id) ? duplicateResult(id, index) : orphanResult(index);
      openIds = openIds.filter((each) => each !== id);
      continue;
    }
    if (openIds.length > 0) yield missingResults(openIds);
    callIds = listCallIds(message);
    openIds = callIds;
  }
  if (openIds.length > 0) yield missingResults(openIds);
}

function duplicateResult(id: string, index: number): Fault {
  return { message: `Invalid parameter: 'tool_call_id' ${id} already has a response. (messages[${index}])` };
}

function orphanResult(index: number): Fault {
  return {
    message: `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. (messages[${index}])`,
  };
}

function missingResults(ids: readonly string[]): Fault {
  return {
    message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(", ")}`,
  };
}

function listCallIds({ role, tool_calls }: Json): readonly string[] {
  return role === "assistant" ? asObjects(tool_calls).map(({ id }) => String(id)) : [];
}

// OpenAI accepts any order; the chat templates of local models do not.
function* checkTurnOrder(messages: readonly Json[]): Generator<Fault> {
  const turns = messages.filter(({ role }) => role !== "system" && role !== "developer");
  if (turns[0]?.role !== "user")
    yield { message: "After the optional system message, conversation roles must start with a user message." };
  if (turns.some(({ role }, index) => role === "assistant" && turns[index - 1]?.role === "assistant"))
    yield { message: "Conversation roles must alternate: an assistant message follows an assistant message." };
}
