/** What OpenAI Responses refuses about reasoning: items it cannot read or no longer has, and items parted from their reasoning. */

import { type Fault, missing, wrongKind, wrongValue } from "../../openai/fault.ts";
import { isObject, type Json, listOf, objectsIn, textOf } from "../../shape.ts";
import { isSealed, sealed } from "../../signature.ts";
import type { Body } from "../../wire.ts";
import { hadItem, reasoningOf } from "../ids.ts";
import { kindOf } from "./items.ts";

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
