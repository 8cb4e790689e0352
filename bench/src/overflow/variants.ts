/** The same refusals in other clothes: another status, another case, another form of JSON. */

import { classifyRefusal } from "@pith/models/overflow";
import { type Row, refusalOf } from "./corpus.ts";

/** These mean "not now"; none of them is an overflow, whatever the text says. */
const transient = [408, 425, 429, 500, 502, 503, 504, 529];

export function wrongOf(rows: readonly Row[]): number {
  return rows.filter((row) => classifyRefusal(refusalOf(row)).class !== row.expected).length;
}

export function wrongUnderStatus(rows: readonly Row[]): number {
  const texts = rows.filter(({ expected }) => expected === "overflow");
  const codes = [null, "context_length_exceeded"];
  const swept = texts.flatMap((row) =>
    transient.flatMap((status) =>
      [row, ...codes.map((type) => ({ ...row, type }))].map((each) => ({ ...each, status })),
    ),
  );
  return swept.filter((row) => classifyRefusal(refusalOf(row)).class === "overflow").length;
}

export function wrongInCase(rows: readonly Row[]): number {
  return wrongOf(
    rows.flatMap((row) => [row.text.toUpperCase(), row.text.toLowerCase()].map((text) => ({ ...row, text }))),
  );
}

export function wrongReformatted(rows: readonly Row[]): number {
  return wrongOf(rows.flatMap((row) => forms(row.text).map((text) => ({ ...row, text }))));
}

const envelopes: readonly ((message: string) => unknown)[] = [
  (message) => message,
  (message) => ({ message }),
  (message) => ({ error: message }),
  (message) => ({ detail: message }),
  (message) => [{ error: { message } }],
  (message) => ({ type: "error", error: { type: "invalid_request_error", message, param: null }, request_id: "r" }),
  (message) => ({ error: { metadata: { raw: JSON.stringify({ message }), provider_name: "x" } } }),
];

function forms(text: string): readonly string[] {
  const own = parsed(text);
  const values = [...envelopes.map((wrap) => wrap(text)), ...(own === null ? [] : [own])];
  return values.flatMap((value) => [
    JSON.stringify(value),
    JSON.stringify(value, null, 2),
    JSON.stringify(turned(value), null, "\t"),
  ]);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Most texts are no JSON; then there is no form of their own to change.
    return null;
  }
}

/** The same with the last key first. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, turned(inner)]),
  );
}
