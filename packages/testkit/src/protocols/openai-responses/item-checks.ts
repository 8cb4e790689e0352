/** Checks single items of a Responses input: kinds, fields, ids, arguments and content. */

import { asArray, findUnknownKey, isObject, type Json } from "../json.ts";
import {
  checkArguments,
  checkCallId,
  checkImageDetail,
  checkImageUrl,
  checkName,
  findDuplicate,
} from "../openai/checks.ts";
import {
  type Fault,
  invalidType,
  invalidValue,
  missingParameter,
  stringTooLong,
  unknownParameter,
} from "../openai/errors.ts";
import type { Body } from "../protocol.ts";

export function* checkContent({ role, content }: Json, path: string): Generator<Fault> {
  const allowed = role === "assistant" ? ["output_text", "refusal"] : ["input_text", "input_image", "input_file"];
  yield* checkParts(content, { path: `${path}.content`, allowed });
}

export function* checkOutput({ output }: Json, path: string): Generator<Fault> {
  yield* checkParts(output, { path: `${path}.output`, allowed: ["input_text", "input_image", "input_file"] });
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

/** Of an item's id, and of a call's. */
const MAX_ID_CHARACTERS = 64;

export function* checkItems({ input }: Body): Generator<Fault> {
  for (const [index, item] of asArray(input).entries()) {
    const path = `input[${index}]`;
    if (!isObject(item)) yield invalidType(path, "an input item", item);
    else yield* checkItem(item, path);
  }
  yield* checkDuplicateIds(asArray(input).filter(isObject));
}

/** A message need not say that it is one. */
export function itemType({ type, role }: Json): string {
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

/** What the provider's own tools leave behind: taken as it is. */
const OTHER_ITEM_TYPES =
  /^(compaction|configuration_update|program(_output)?|mcp_(list_tools|approval_request|approval_response|call)|tool_search_output|(custom_tool|local_shell|shell|file_search|computer|image_generation|code_interpreter|apply_patch|tool_search)_call(_output)?)$/;

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

const ROLES = ["assistant", "system", "developer", "user"];

function* checkMessage(item: Json, path: string): Generator<Fault> {
  if (!ROLES.includes(String(item.role))) yield invalidValue(`${path}.role`, item.role, ROLES);
  yield* checkContent(item, path);
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

const SEARCH_ACTIONS = ["search", "open_page", "find_in_page"];

function* checkSearchCall({ action }: Json, path: string): Generator<Fault> {
  if (!isObject(action))
    yield action === undefined
      ? missingParameter(`${path}.action`)
      : invalidType(`${path}.action`, "an object", action);
  else if (!SEARCH_ACTIONS.includes(String(action.type)))
    yield invalidValue(`${path}.action.type`, action.type, SEARCH_ACTIONS);
}

function* checkDuplicateIds(items: readonly Json[]): Generator<Fault> {
  const id = findDuplicate(items.map((item) => item.id).filter((each) => typeof each === "string"));
  if (id !== undefined)
    yield { message: `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.` };
}
