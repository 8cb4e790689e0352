/** Checks the reasoning items of a Responses input, and that every call has one output behind it. */

import { asArray, asObjects, asString, isObject, type Json } from "../json.ts";
import { type Fault, invalidType, invalidValue, missingParameter } from "../openai/errors.ts";
import type { Body } from "../protocol.ts";
import { isSealed, sealText } from "../signature.ts";
import { itemType } from "./item-checks.ts";
import { hasFollowingItem, requiredReasoningId } from "./items.ts";

export function* checkReasoningItems(body: Body): Generator<Fault> {
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

/** A summary may be left out; one that was written by someone else does not belong to what is sealed. */
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
    const reasoningId = requiredReasoningId(next.id);
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
  const reasoningId = requiredReasoningId(item.id);
  if (reasoningId === null || seenIds.has(reasoningId)) return;
  yield {
    message: `Item '${String(item.id)}' of type '${itemType(item)}' was provided without its required 'reasoning' item: '${reasoningId}'.`,
  };
}

export function* checkToolPairs(body: Body): Generator<Fault> {
  const items = asObjects(body.input);
  const callIds: CallIds = { called: new Set(), answered: new Set(), isComplete: !hasStoredContext(body, items) };
  for (const { type, call_id } of items) {
    if (type === "function_call") yield* checkCallId(String(call_id), callIds);
    if (type === "function_call_output") yield* checkOutputId(String(call_id), callIds);
  }
  for (const id of callIds.called)
    if (!callIds.answered.has(id)) yield { message: `No tool output found for function call ${id}.` };
}

/** The call ids met so far, and whether the input is all there is. */
interface CallIds {
  readonly called: Set<string>;
  readonly answered: Set<string>;
  readonly isComplete: boolean;
}

/** A call may lie in what the provider has kept. */
function hasStoredContext({ previous_response_id, conversation }: Body, items: readonly Json[]): boolean {
  const continuesConversation =
    typeof previous_response_id === "string" || (conversation !== undefined && conversation !== null);
  return continuesConversation || items.some(({ type }) => type === "item_reference");
}

function* checkCallId(id: string, { called }: CallIds): Generator<Fault> {
  if (called.has(id)) yield { message: `Duplicate 'call_id': ${id}. Every function call needs one of its own.` };
  called.add(id);
}

function* checkOutputId(id: string, { called, answered, isComplete }: CallIds): Generator<Fault> {
  if (answered.has(id)) yield { message: `More than one tool output found for function call ${id}.` };
  if (isComplete && !called.has(id))
    yield { message: `No tool call found for function call output with call_id ${id}.` };
  answered.add(id);
}
