/** What is refused about a call, wherever one is written down: its id, and arguments that are no text of JSON. */

import { type Fault, missing, tooLong, tooShort, unlike, wrongKind } from "./fault.ts";

export interface IdRule {
  readonly at: string;
  readonly most: number;
  /** The letters it may have, as a pattern. */
  readonly pattern?: string;
}

export function* callIdFaults(id: unknown, { at, most, pattern = "^[a-zA-Z0-9_-]+$" }: IdRule): Generator<Fault> {
  if (id === undefined) yield missing(at);
  else if (typeof id !== "string") yield wrongKind(at, "a string", id);
  else if (id === "") yield tooShort(at, "string");
  else if (id.length > most) yield tooLong(at, { most, length: id.length });
  else if (!new RegExp(pattern).test(id)) yield unlike(at, pattern);
}

export function* argumentFaults(json: unknown, at: string): Generator<Fault> {
  yield* argumentKindFaults(json, at);
  if (typeof json === "string" && !isJson(json))
    yield { message: `Invalid '${at}': expected a string of valid JSON.`, code: "invalid_value" };
}

/** Where any text will do, JSON or not. */
export function* argumentKindFaults(json: unknown, at: string): Generator<Fault> {
  if (json === undefined) yield missing(at);
  else if (typeof json !== "string") yield wrongKind(at, "a string", json);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Not JSON is the answer, not a failure.
    return false;
  }
}
