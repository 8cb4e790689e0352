/** Checks single items of a Responses input: kinds, fields, ids, arguments and content. */

import { isObject, type Json, listOf, stranger } from "../json.ts";
import { argumentFaults, callIdFaults, detailFaults, imageUrlFaults, nameFaults, twin } from "../openai/checks.ts";
import { type Fault, missing, tooLong, unknown, wrongKind, wrongValue } from "../openai/errors.ts";
import type { Body } from "../protocol.ts";

export function* contentFaults({ role, content }: Json, at: string): Generator<Fault> {
  const allowed = role === "assistant" ? ["output_text", "refusal"] : ["input_text", "input_image", "input_file"];
  yield* partsFaults(content, { at: `${at}.content`, allowed });
}

export function* outputFaults({ output }: Json, at: string): Generator<Fault> {
  yield* partsFaults(output, { at: `${at}.output`, allowed: ["input_text", "input_image", "input_file"] });
}

interface Place {
  readonly at: string;
  readonly allowed: readonly string[];
}

function* partsFaults(parts: unknown, { at, allowed }: Place): Generator<Fault> {
  if (typeof parts === "string") return;
  if (parts === undefined) return yield missing(at);
  if (!Array.isArray(parts)) return yield wrongKind(at, "one of a string or array of objects", parts);
  for (const [index, part] of parts.entries()) {
    if (!isObject(part)) yield wrongKind(`${at}[${index}]`, "an object", part);
    else yield* partFaults(part, { at: `${at}[${index}]`, allowed });
  }
}

function* partFaults(part: Json, { at, allowed }: Place): Generator<Fault> {
  if (part.type === undefined) return yield missing(`${at}.type`);
  if (!allowed.includes(String(part.type))) return yield wrongValue(`${at}.type`, part.type, allowed);
  if (part.type === "input_image") return yield* pictureFaults(part, at);
  const isText = part.type === "input_text" || part.type === "output_text";
  if (isText && part.text === undefined) yield missing(`${at}.text`);
  else if (isText && typeof part.text !== "string") yield wrongKind(`${at}.text`, "a string", part.text);
}

function* pictureFaults({ image_url: url, file_id, detail }: Json, at: string): Generator<Fault> {
  yield* detailFaults(detail, `${at}.detail`);
  if (typeof file_id === "string" && (url === undefined || url === null)) return;
  if (url === undefined) yield missing(`${at}.image_url`);
  else yield* imageUrlFaults(url, `${at}.image_url`);
}

/** Of an item's id, and of a call's. */
const MOST_CHARACTERS = 64;

export function* itemFaults({ input }: Body): Generator<Fault> {
  for (const [index, item] of listOf(input).entries()) {
    const at = `input[${index}]`;
    if (!isObject(item)) yield wrongKind(at, "an input item", item);
    else yield* oneItem(item, at);
  }
  yield* twinFaults(listOf(input).filter(isObject));
}

/** A message need not say that it is one. */
export function kindOf({ type, role }: Json): string {
  return type === undefined && role !== undefined ? "message" : String(type);
}

const known: Readonly<Record<string, { readonly fields: readonly string[]; readonly prefix: string }>> = {
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
const others =
  /^(compaction|configuration_update|program(_output)?|mcp_(list_tools|approval_request|approval_response|call)|tool_search_output|(custom_tool|local_shell|shell|file_search|computer|image_generation|code_interpreter|apply_patch|tool_search)_call(_output)?)$/;

function* oneItem(item: Json, at: string): Generator<Fault> {
  const kind = kindOf(item);
  const { fields, prefix } = known[kind] ?? {};
  if (fields === undefined || prefix === undefined) {
    if (!others.test(kind)) yield wrongValue(`${at}.type`, item.type, Object.keys(known));
    return;
  }
  const strange = stranger(item, fields);
  if (strange) yield unknown(`${at}.${strange}`);
  yield* idFaults(item, { at, prefix });
  if (kind === "message") yield* messageFaults(item, at);
  if (kind === "function_call") yield* callFaults(item, at);
  if (kind === "function_call_output") yield* answerFaults(item, at);
  if (kind === "web_search_call") yield* searchFaults(item, at);
}

function* idFaults(
  { id, type }: Json,
  { at, prefix }: { readonly at: string; readonly prefix: string },
): Generator<Fault> {
  if (id === undefined || id === null) {
    if (type === "item_reference" || type === "web_search_call") yield missing(`${at}.id`);
    return;
  }
  if (typeof id !== "string") yield wrongKind(`${at}.id`, "a string", id);
  else if (!/^[a-zA-Z0-9_-]+$/.test(id))
    yield idFault(
      id,
      at,
      "contains letters, numbers, underscores, or dashes, but this value contained additional characters",
    );
  else if (id.length > MOST_CHARACTERS) yield tooLong(`${at}.id`, { most: MOST_CHARACTERS, length: id.length });
  else if (!id.startsWith(prefix)) yield idFault(id, at, `begins with '${prefix}'`);
}

function idFault(id: string, at: string, expected: string): Fault {
  return { message: `Invalid '${at}.id': '${id}'. Expected an ID that ${expected}.`, code: "invalid_value" };
}

const roles = ["assistant", "system", "developer", "user"];

function* messageFaults(item: Json, at: string): Generator<Fault> {
  if (!roles.includes(String(item.role))) yield wrongValue(`${at}.role`, item.role, roles);
  yield* contentFaults(item, at);
}

function* callFaults(item: Json, at: string): Generator<Fault> {
  yield* callIdFaults(item.call_id, { at: `${at}.call_id`, most: MOST_CHARACTERS });
  yield* nameFaults(item.name, `${at}.name`);
  yield* argumentFaults(item.arguments, `${at}.arguments`);
}

function* answerFaults(item: Json, at: string): Generator<Fault> {
  yield* callIdFaults(item.call_id, { at: `${at}.call_id`, most: MOST_CHARACTERS });
  yield* outputFaults(item, at);
}

const actions = ["search", "open_page", "find_in_page"];

function* searchFaults({ action }: Json, at: string): Generator<Fault> {
  if (!isObject(action))
    yield action === undefined ? missing(`${at}.action`) : wrongKind(`${at}.action`, "an object", action);
  else if (!actions.includes(String(action.type))) yield wrongValue(`${at}.action.type`, action.type, actions);
}

function* twinFaults(items: readonly Json[]): Generator<Fault> {
  const id = twin(items.map((item) => item.id).filter((each) => typeof each === "string"));
  if (id !== undefined)
    yield { message: `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.` };
}
