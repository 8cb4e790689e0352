/** Well-formed Unicode: half of a surrogate pair makes a body that strict JSON parsers refuse. */

import type { Request } from "../../../request.ts";
import type { Check } from "../rule.ts";
import { type Fields, fields, listAt, messagePlaces } from "./places.ts";

export const loneSurrogates: Check = (request) =>
  sentValues(request)
    .filter(([, value]) => !isWellFormed(value))
    .map(([at]) => `${at}: lone surrogate`);

type PlacedValue = readonly [at: string, value: unknown];

function sentValues(request: Request): readonly PlacedValue[] {
  return [
    ...listAt(request, "system").map((section, index): PlacedValue => [`system[${index}]`, section]),
    ...listAt(request, "tools").map((tool, index): PlacedValue => [`tools[${index}]`, tool]),
    ...messagePlaces(request).map(({ at, message }): PlacedValue => [at, sentParts(message)]),
  ];
}

/** What stays at home, such as a result's details, may be as broken as it likes. */
function sentParts(message: Fields): readonly unknown[] {
  return ["content", "sections", "toolsAdded", "toolCallId", "toolName"].map((key) => message[key]);
}

/** Without recursion, so that no depth of arguments overflows the stack. */
function isWellFormed(value: unknown): boolean {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string" && !next.isWellFormed()) return false;
    for (const part of parts(next)) waiting.push(part);
  }
  return true;
}

function parts(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return Object.entries(fields(value)).flat();
}
