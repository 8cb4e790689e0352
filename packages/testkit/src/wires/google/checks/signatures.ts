/** What Google refuses about thought signatures: one that is missing in the current turn, and one that it did not make. */

import { isObject, type Json, objectsIn, textOf } from "../../shape.ts";
import type { Body } from "../../wire.ts";
import { serverSignature } from "../search.ts";
import { callSignature, textSignature } from "../signed.ts";

export function* signatureFaults(body: Body, model: string): Generator<string> {
  const contents = objectsIn(body.contents);
  for (const { role, parts } of contents) if (role === "model") yield* changedFaults(objectsIn(parts), model);
  if (!thinks(model)) return;
  const begin = contents.findLastIndex(isAsked);
  for (const [at, content] of contents.entries()) if (at > begin) yield* missingFaults(content, at);
}

function* changedFaults(parts: readonly Json[], model: string): Generator<string> {
  for (const [at, part] of parts.entries()) {
    const { thoughtSignature } = part;
    if (thoughtSignature === undefined || STAND_INS.includes(textOf(thoughtSignature))) continue;
    if (!rightSignatures(parts, at, model).includes(textOf(thoughtSignature))) yield "Corrupted thought signature.";
  }
}

/** Documented for calls that the model did not make itself. */
const STAND_INS = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];

function rightSignatures(parts: readonly Json[], at: number, model: string): readonly string[] {
  const call = parts[at]?.functionCall;
  const { toolCall, toolResponse } = parts[at] ?? {};
  if (isObject(toolCall)) return [serverSignature(model, toolCall.args ?? {})];
  if (isObject(toolResponse)) return [serverSignature(model, toolResponse.response ?? {})];
  if (isObject(call)) return [callSignature(model, textOf(call.name), call.args ?? {})];
  return endings(parts, at).map((text) => textSignature(model, text));
}

// A client may join the pieces of a stream or leave them apart, and may leave thoughts out.
function endings(parts: readonly Json[], at: number): readonly string[] {
  const texts: string[] = [];
  for (const { text } of parts.slice(0, at + 1).reverse()) {
    if (typeof text !== "string") break;
    texts.push(text + (texts.at(-1) ?? ""));
  }
  return texts;
}

function thinks(model: string): boolean {
  return /^gemini-([3-9]|\d\d)/.test(model);
}

/** The current turn begins where somebody last said something that was no result. */
function isAsked({ role, parts }: Json): boolean {
  return role !== "model" && objectsIn(parts).some(({ functionResponse }) => functionResponse === undefined);
}

function* missingFaults({ role, parts }: Json, at: number): Generator<string> {
  const first = objectsIn(parts).find(({ functionCall }) => isObject(functionCall));
  if (role !== "model" || !first || first.thoughtSignature !== undefined) return;
  const name = isObject(first.functionCall) ? textOf(first.functionCall.name) : "";
  yield `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${at + 1}.`;
}
