/** Finds the first fault of a Responses request: settings, items, reasoning items, and calls without results. */

import { asArray, asObjects, asString, findUnknownKey, isObject, type Json } from "../json.ts";
import {
  checkArguments,
  checkCallId,
  checkDuplicateNames,
  checkFunction,
  checkImageDetail,
  checkImageUrl,
  checkKeyAndSize,
  checkName,
  checkToolChoice,
  findDuplicate,
} from "../openai-checks.ts";
import {
  belowMinimum,
  type Fault,
  invalidType,
  invalidValue,
  missingParameter,
  stringTooLong,
  toRefusal,
  unknownParameter,
} from "../openai-errors.ts";
import type { Body, ProtocolRequest, Refusal } from "../protocol.ts";
import { isSealed, sealText } from "../signature.ts";
import { findRequiredReasoningId, hasFollowingItem } from "./reply.ts";

/** Returns the first fault, with the API's own message where it is known. */
export function checkRequest(request: ProtocolRequest): Refusal | null {
  for (const fault of checkAll(request)) return toRefusal(fault);
  return null;
}

function* checkAll(request: ProtocolRequest): Generator<Fault> {
  yield* checkKeyAndSize(request);
  yield* checkSettings(request.body);
  yield* checkItems(request.body);
  yield* checkReasoningItems(request.body);
  yield* checkToolPairs(request.body);
}

function* checkSettings(body: Body): Generator<Fault> {
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

function* checkReasoning({ reasoning }: Body): Generator<Fault> {
  if (reasoning === undefined || reasoning === null) return;
  if (!isObject(reasoning)) return yield invalidType("reasoning", "an object", reasoning);
  const { effort, summary } = reasoning;
  if (typeof effort === "string" && !EFFORTS.includes(effort)) yield invalidValue("reasoning.effort", effort, EFFORTS);
  if (typeof summary === "string" && !SUMMARY_MODES.includes(summary))
    yield invalidValue("reasoning.summary", summary, SUMMARY_MODES);
}

const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const SUMMARY_MODES = ["auto", "concise", "detailed"];

function* checkInclude(include: unknown): Generator<Fault> {
  const unknownValue = asArray(include).find((each) => !INCLUDABLE.includes(String(each)));
  if (unknownValue !== undefined) yield invalidValue("include", unknownValue, INCLUDABLE);
}

const INCLUDABLE = [
  ...["reasoning.encrypted_content", "message.output_text.logprobs", "message.input_image.image_url"],
  ...["file_search_call.results", "web_search_call.action.sources", "web_search_call.results"],
  ...["computer_call_output.output.image_url", "code_interpreter_call.outputs"],
];

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

function* checkItems({ input }: Body): Generator<Fault> {
  for (const [index, item] of asArray(input).entries()) {
    const path = `input[${index}]`;
    if (!isObject(item)) yield invalidType(path, "an input item", item);
    else yield* checkItem(item, path);
  }
  yield* checkDuplicateIds(asArray(input).filter(isObject));
}

function* checkItem(item: Json, path: string): Generator<Fault> {
  const type = itemType(item);
  const { fields, prefix } = ITEM_TYPES[type] ?? {};
  if (fields === undefined || prefix === undefined) {
    if (!OTHER_ITEM_TYPES.test(type)) yield invalidValue(`${path}.type`, item.type, Object.keys(ITEM_TYPES));
    return;
  }
  const unknownKey = findUnknownKey(item, fields);
  if (unknownKey) yield unknownParameter(`${path}.${unknownKey}`);
  yield* checkItemId(item, { at: path, prefix });
  if (type === "message") yield* checkMessage(item, path);
  if (type === "function_call") yield* checkFunctionCall(item, path);
  if (type === "function_call_output") yield* checkCallOutput(item, path);
  if (type === "web_search_call") yield* checkSearchCall(item, path);
}

/** The type of a message may be missing. */
function itemType({ type, role }: Json): string {
  return type === undefined && role !== undefined ? "message" : String(type);
}

const ITEM_TYPES: Readonly<Record<string, { readonly fields: readonly string[]; readonly prefix: string }>> = {
  message: { fields: ["type", "role", "content", "id", "status", "phase"], prefix: "msg" },
  function_call: {
    fields: ["type", "id", "call_id", "name", "arguments", "status", "namespace", "async", "caller"],
    prefix: "fc",
  },
  function_call_output: { fields: ["type", "id", "call_id", "output", "status", "caller"], prefix: "fc" },
  reasoning: { fields: ["type", "id", "summary", "content", "encrypted_content", "status"], prefix: "rs" },
  web_search_call: { fields: ["type", "id", "status", "action"], prefix: "ws" },
  item_reference: { fields: ["type", "id"], prefix: "" },
};

/** Items of the provider's own tools, which are not checked. */
const OTHER_ITEM_TYPES =
  /^(compaction|configuration_update|program(_output)?|mcp_(list_tools|approval_request|approval_response|call)|tool_search_output|(custom_tool|local_shell|shell|file_search|computer|image_generation|code_interpreter|apply_patch|tool_search)_call(_output)?)$/;

function* checkItemId(
  { id, type }: Json,
  { at: path, prefix }: { readonly at: string; readonly prefix: string },
): Generator<Fault> {
  if (id === undefined || id === null) {
    if (type === "item_reference" || type === "web_search_call") yield missingParameter(`${path}.id`);
    return;
  }
  if (typeof id !== "string") yield invalidType(`${path}.id`, "a string", id);
  else if (!/^[a-zA-Z0-9_-]+$/.test(id))
    yield invalidId(
      id,
      path,
      "contains letters, numbers, underscores, or dashes, but this value contained additional characters",
    );
  else if (id.length > MAX_ID_CHARACTERS)
    yield stringTooLong(`${path}.id`, { maxLength: MAX_ID_CHARACTERS, length: id.length });
  else if (!id.startsWith(prefix)) yield invalidId(id, path, `begins with '${prefix}'`);
}

function invalidId(id: string, path: string, expected: string): Fault {
  return { message: `Invalid '${path}.id': '${id}'. Expected an ID that ${expected}.`, code: "invalid_value" };
}

const MAX_ID_CHARACTERS = 64;

function* checkMessage(item: Json, path: string): Generator<Fault> {
  if (!ROLES.includes(String(item.role))) yield invalidValue(`${path}.role`, item.role, ROLES);
  yield* checkContent(item, path);
}

const ROLES = ["assistant", "system", "developer", "user"];

function* checkContent({ role, content }: Json, path: string): Generator<Fault> {
  const allowed = role === "assistant" ? ["output_text", "refusal"] : ["input_text", "input_image", "input_file"];
  yield* checkParts(content, { path: `${path}.content`, allowed });
}

interface PartContext {
  readonly path: string;
  readonly allowed: readonly string[];
}

function* checkParts(parts: unknown, { path, allowed }: PartContext): Generator<Fault> {
  if (typeof parts === "string") return;
  if (parts === undefined) return yield missingParameter(path);
  if (!Array.isArray(parts)) return yield invalidType(path, "one of a string or array of objects", parts);
  for (const [index, part] of parts.entries()) {
    if (!isObject(part)) yield invalidType(`${path}[${index}]`, "an object", part);
    else yield* checkPart(part, { path: `${path}[${index}]`, allowed });
  }
}

function* checkPart(part: Json, { path, allowed }: PartContext): Generator<Fault> {
  if (part.type === undefined) return yield missingParameter(`${path}.type`);
  if (!allowed.includes(String(part.type))) return yield invalidValue(`${path}.type`, part.type, allowed);
  if (part.type === "input_image") return yield* checkImagePart(part, path);
  const isText = part.type === "input_text" || part.type === "output_text";
  if (isText && part.text === undefined) yield missingParameter(`${path}.text`);
  else if (isText && typeof part.text !== "string") yield invalidType(`${path}.text`, "a string", part.text);
}

function* checkImagePart({ image_url: url, file_id, detail }: Json, path: string): Generator<Fault> {
  yield* checkImageDetail(detail, `${path}.detail`);
  if (typeof file_id === "string" && (url === undefined || url === null)) return;
  if (url === undefined) yield missingParameter(`${path}.image_url`);
  else yield* checkImageUrl(url, `${path}.image_url`);
}

function* checkFunctionCall(item: Json, path: string): Generator<Fault> {
  yield* checkCallId(item.call_id, { path: `${path}.call_id`, maxLength: MAX_ID_CHARACTERS });
  yield* checkName(item.name, `${path}.name`);
  yield* checkArguments(item.arguments, `${path}.arguments`);
}

function* checkCallOutput(item: Json, path: string): Generator<Fault> {
  yield* checkCallId(item.call_id, { path: `${path}.call_id`, maxLength: MAX_ID_CHARACTERS });
  yield* checkOutput(item, path);
}

function* checkOutput({ output }: Json, path: string): Generator<Fault> {
  yield* checkParts(output, { path: `${path}.output`, allowed: ["input_text", "input_image", "input_file"] });
}

function* checkSearchCall({ action }: Json, path: string): Generator<Fault> {
  if (!isObject(action))
    yield action === undefined
      ? missingParameter(`${path}.action`)
      : invalidType(`${path}.action`, "an object", action);
  else if (!SEARCH_ACTIONS.includes(String(action.type)))
    yield invalidValue(`${path}.action.type`, action.type, SEARCH_ACTIONS);
}

const SEARCH_ACTIONS = ["search", "open_page", "find_in_page"];

function* checkDuplicateIds(items: readonly Json[]): Generator<Fault> {
  const id = findDuplicate(items.map((item) => item.id).filter((each) => typeof each === "string"));
  if (id !== undefined)
    yield { message: `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.` };
}

function* checkReasoningItems(body: Body): Generator<Fault> {
  const seenIds = new Set<unknown>();
  const items = asArray(body.input);
  for (const [index, item] of items.entries()) {
    if (!isObject(item)) continue;
    if (item.type === "item_reference" && body.store === false) yield itemNotFound(item);
    if (item.type === "reasoning") {
      yield* checkSummary(item, `input[${index}]`);
      yield* checkEncryptedContent(item, body);
      yield* checkFollowingItem(item, items[index + 1]);
    }
    yield* checkRequiredReasoning(item, seenIds);
    seenIds.add(item.id);
  }
}

function itemNotFound({ id }: Json): Fault {
  return {
    status: 404,
    message: `Item with id '${String(id)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
  };
}

function* checkSummary({ summary }: Json, path: string): Generator<Fault> {
  if (summary === undefined) return yield missingParameter(`${path}.summary`);
  if (!Array.isArray(summary)) return yield invalidType(`${path}.summary`, "an array of objects", summary);
  for (const [index, part] of summary.entries()) {
    const { type, text } = isObject(part) ? part : {};
    if (type !== "summary_text") yield invalidValue(`${path}.summary[${index}].type`, type, ["summary_text"]);
    else if (typeof text !== "string") yield invalidType(`${path}.summary[${index}].text`, "a string", text);
  }
}

/** A summary may be missing, but if present it must match the encrypted content. */
function* checkEncryptedContent(item: Json, { model, store }: Body): Generator<Fault> {
  const { id, encrypted_content: content, summary } = item;
  if (content === undefined || content === null) {
    if (store === false || typeof id !== "string") yield itemNotFound(item);
    return;
  }
  const summaryText = asObjects(summary)
    .map(({ text }) => asString(text))
    .join("");
  const isValid =
    isSealed(asString(model), content) && (summaryText === "" || content === sealText(asString(model), summaryText));
  if (!isValid)
    yield {
      message: `The encrypted content for item ${String(id ?? abbreviate(content))} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
      code: "invalid_encrypted_content",
    };
}

function abbreviate(content: unknown): string {
  return `${String(content).slice(0, 4)}...${String(content).slice(-4)}`;
}

function* checkFollowingItem({ id }: Json, next: unknown): Generator<Fault> {
  if (isObject(next) && isOutput(next) && !(next.type === "reasoning" && hasFollowingItem(id))) {
    const reasoningId = findRequiredReasoningId(next.id);
    if (reasoningId === null || id === undefined || reasoningId === id) return;
  }
  yield {
    message: `Item '${String(id)}' of type 'reasoning' was provided without its required following item.`,
  };
}

function isOutput(item: Json): boolean {
  const kind = itemType(item);
  return kind === "message" ? item.role === "assistant" : !kind.endsWith("_output");
}

function* checkRequiredReasoning(item: Json, seenIds: ReadonlySet<unknown>): Generator<Fault> {
  const reasoningId = findRequiredReasoningId(item.id);
  if (reasoningId === null || seenIds.has(reasoningId)) return;
  yield {
    message: `Item '${String(item.id)}' of type '${itemType(item)}' was provided without its required 'reasoning' item: '${reasoningId}'.`,
  };
}

function* checkToolPairs(body: Body): Generator<Fault> {
  const items = asObjects(body.input);
  const callIds: CallIds = { called: new Set(), answered: new Set(), isComplete: !hasStoredContext(body, items) };
  for (const { type, call_id } of items) {
    if (type === "function_call") yield* checkUniqueCallId(String(call_id), callIds);
    if (type === "function_call_output") yield* checkOutputId(String(call_id), callIds);
  }
  for (const id of callIds.called)
    if (!callIds.answered.has(id)) yield { message: `No tool output found for function call ${id}.` };
}

/** The call ids read so far, and whether the input is the whole conversation. */
interface CallIds {
  readonly called: Set<string>;
  readonly answered: Set<string>;
  readonly isComplete: boolean;
}

/** Whether a call may be in a conversation that the provider stores. */
function hasStoredContext({ previous_response_id, conversation }: Body, items: readonly Json[]): boolean {
  const continuesConversation =
    typeof previous_response_id === "string" || (conversation !== undefined && conversation !== null);
  return continuesConversation || items.some(({ type }) => type === "item_reference");
}

function* checkUniqueCallId(id: string, { called }: CallIds): Generator<Fault> {
  if (called.has(id)) yield { message: `Duplicate 'call_id': ${id}. Every function call needs one of its own.` };
  called.add(id);
}

function* checkOutputId(id: string, { called, answered, isComplete }: CallIds): Generator<Fault> {
  if (answered.has(id)) yield { message: `More than one tool output found for function call ${id}.` };
  if (isComplete && !called.has(id))
    yield { message: `No tool call found for function call output with call_id ${id}.` };
  answered.add(id);
}
