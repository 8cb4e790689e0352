/** How the checks of a script speak of what they found. */

import type { Json } from "../wires/shape.ts";

/** What stands there, as one would call it. */
export function called(value: unknown): string {
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null)
    return `an object with ${Object.keys(value).join(", ") || "nothing in it"}`;
  return JSON.stringify(value);
}

export function* strangers(value: Json, at: string, known: readonly string[]): Generator<string> {
  for (const name of Object.keys(value))
    if (!known.includes(name)) yield `${at} has "${name}", which is not known: write ${known.join(", ")}.`;
}
