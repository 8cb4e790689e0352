/** JSON: records of one shape, over many lines or all on one. */

import { between, type Random } from "@pith/bench/random";
import { digits, filled, pick } from "../languages/filled.ts";
import type { Language } from "../languages/language.ts";
import { enough, type Output, type OutputParts } from "./output.ts";

export function json({ language, letters, next }: OutputParts): Output {
  const indent = next() < 0.5 ? 2 : undefined;
  const written = (value: unknown): string =>
    indent ? JSON.stringify(value, null, indent).replace(/^/gm, "  ") : JSON.stringify(value);
  return {
    before: indent ? "[\n" : "[",
    pieces: enough(letters, (at) => written(record(at, language, next))),
    between: indent ? ",\n" : ",",
    after: indent ? "\n]\n" : "]",
    planted: (text) => written(withText(text, record(between(next, 1_000, 9_999), language, next), next)),
  };
}

function record(at: number, language: Language, next: Random): Readonly<Record<string, unknown>> {
  return {
    id: digits(next, 16, 10),
    number: at,
    owner: filled("{first} {last}", language, next),
    state: pick(language.slots.state, next),
    path: filled("{path}", language, next),
    size: between(next, 100, 90_000),
    ratio: Math.round(next() * 1e4) / 1e4,
    updated: new Date(Date.UTC(2026, 1, 1) + between(next, 0, 2e10)).toISOString(),
    note: filled("{part} {act}", language, next),
  };
}

/** A record of its own, a member more, or the note that every record has. */
function withText(text: string, like: Readonly<Record<string, unknown>>, next: Random): unknown {
  const parsed = asRecord(text);
  if (parsed) return parsed;
  return next() < 0.5 ? { ...like, note: text } : { ...like, remark: text };
}

function asRecord(text: string): unknown {
  if (!/^\s*[{"]/.test(text)) return null;
  try {
    return JSON.parse(text.trimStart().startsWith("{") ? text : `{${text}}`);
  } catch {
    // A sentence that begins with a quote is no JSON, and is planted as it is.
    return null;
  }
}
