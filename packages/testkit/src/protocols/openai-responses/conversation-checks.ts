/** Checks the reasoning items of a Responses input, and that every call has one output behind it. */

import { isObject, type Json, listOf, objectsIn, textOf } from "../json.ts";
import { type Fault, missing, wrongKind, wrongValue } from "../openai/errors.ts";
import type { Body } from "../protocol.ts";
import { isSealed, sealed } from "../signature.ts";
import { kindOf } from "./item-checks.ts";
import { hadItem, reasoningOf } from "./items.ts";

export function* reasoningFaults(body: Body): Generator<Fault> {
  const seen = new Set<unknown>();
  const items = listOf(body.input);
  for (const [at, item] of items.entries()) {
    if (!isObject(item)) continue;
    if (item.type === "item_reference" && body.store === false) yield forgotten(item);
    if (item.type === "reasoning") {
      yield* summaryFaults(item, `input[${at}]`);
      yield* sealFaults(item, body);
      yield* followingFaults(item, items[at + 1]);
    }
    yield* leadFaults(item, seen);
    seen.add(item.id);
  }
}

function forgotten({ id }: Json): Fault {
  return {
    status: 404,
    message: `Item with id '${String(id)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
  };
}

function* summaryFaults({ summary }: Json, at: string): Generator<Fault> {
  if (summary === undefined) return yield missing(`${at}.summary`);
  if (!Array.isArray(summary)) return yield wrongKind(`${at}.summary`, "an array of objects", summary);
  for (const [index, part] of summary.entries()) {
    const { type, text } = isObject(part) ? part : {};
    if (type !== "summary_text") yield wrongValue(`${at}.summary[${index}].type`, type, ["summary_text"]);
    else if (typeof text !== "string") yield wrongKind(`${at}.summary[${index}].text`, "a string", text);
  }
}

/** A summary may be left out; one that was written by someone else does not belong to what is sealed. */
function* sealFaults(item: Json, { model, store }: Body): Generator<Fault> {
  const { id, encrypted_content: content, summary } = item;
  if (content === undefined || content === null) {
    if (store === false || typeof id !== "string") yield forgotten(item);
    return;
  }
  const words = objectsIn(summary)
    .map(({ text }) => textOf(text))
    .join("");
  const isGenuine = isSealed(textOf(model), content) && (words === "" || content === sealed(textOf(model), words));
  if (!isGenuine)
    yield {
      message: `The encrypted content for item ${String(id ?? shortened(content))} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
      code: "invalid_encrypted_content",
    };
}

function shortened(content: unknown): string {
  return `${String(content).slice(0, 4)}...${String(content).slice(-4)}`;
}

function* followingFaults({ id }: Json, next: unknown): Generator<Fault> {
  if (isObject(next) && isOutput(next) && !(next.type === "reasoning" && hadItem(id))) {
    const owner = reasoningOf(next.id);
    if (owner === null || id === undefined || owner === id) return;
  }
  yield {
    message: `Item '${String(id)}' of type 'reasoning' was provided without its required following item.`,
  };
}

function isOutput(item: Json): boolean {
  const kind = kindOf(item);
  return kind === "message" ? item.role === "assistant" : !kind.endsWith("_output");
}

function* leadFaults(item: Json, seen: ReadonlySet<unknown>): Generator<Fault> {
  const owner = reasoningOf(item.id);
  if (owner === null || seen.has(owner)) return;
  yield {
    message: `Item '${String(item.id)}' of type '${kindOf(item)}' was provided without its required 'reasoning' item: '${owner}'.`,
  };
}

export function* pairingFaults(body: Body): Generator<Fault> {
  const items = objectsIn(body.input);
  const met: Met = { asked: new Set(), answered: new Set(), isWhole: !refersElsewhere(body, items) };
  for (const { type, call_id } of items) {
    if (type === "function_call") yield* callFaults(String(call_id), met);
    if (type === "function_call_output") yield* outputFaults(String(call_id), met);
  }
  for (const id of met.asked)
    if (!met.answered.has(id)) yield { message: `No tool output found for function call ${id}.` };
}

/** The call ids met so far, and whether the input is all there is. */
interface Met {
  readonly asked: Set<string>;
  readonly answered: Set<string>;
  readonly isWhole: boolean;
}

/** A call may lie in what the provider has kept. */
function refersElsewhere({ previous_response_id, conversation }: Body, items: readonly Json[]): boolean {
  const goesOn = typeof previous_response_id === "string" || (conversation !== undefined && conversation !== null);
  return goesOn || items.some(({ type }) => type === "item_reference");
}

function* callFaults(id: string, { asked }: Met): Generator<Fault> {
  if (asked.has(id)) yield { message: `Duplicate 'call_id': ${id}. Every function call needs one of its own.` };
  asked.add(id);
}

function* outputFaults(id: string, { asked, answered, isWhole }: Met): Generator<Fault> {
  if (answered.has(id)) yield { message: `More than one tool output found for function call ${id}.` };
  if (isWhole && !asked.has(id)) yield { message: `No tool call found for function call output with call_id ${id}.` };
  answered.add(id);
}
