/** Reads the refusals to classify, and counts wrong classes, also with another status, letter case or form of JSON. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { classifyRefusal, type Refusal, type RefusalClass } from "@pith/models/overflow";

export interface Row {
  readonly provider: string;
  /** None, or "stream", for an error inside a stream. */
  readonly status: number | string | null;
  /** Its structured code or type, where it had one. */
  readonly type: string | null;
  readonly text: string;
  readonly expected: RefusalClass;
}

export interface Corpus {
  readonly name: string;
  readonly rows: readonly Row[];
}

const root = resolve(import.meta.dirname, "../../..");
/** The specification's own table where it lies beside the repository, else our copy of it. */
const usual = [
  join(root, "../shared/fixtures/overflow.json"),
  join(root, "packages/models/test/overflow/overflow.json"),
];

export function readCorpus(path: string | undefined): Corpus {
  const place = path ?? usual.find((each) => existsSync(each)) ?? "";
  if (!existsSync(place)) throw new Error(`--corpus: there is no file or folder ${place}`);
  const files = statSync(place).isDirectory() ? jsonFilesIn(place) : [place];
  return { name: relative(root, resolve(place)), rows: files.flatMap(rowsIn) };
}

/** A row as a caller would hand it in. */
export function refusalOf({ provider, status, type, text }: Row): Refusal {
  return { provider, text, ...(typeof status === "number" && { status }), ...(type !== null && { code: type }) };
}

function jsonFilesIn(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  if (names.length === 0) throw new Error(`--corpus: there is no .json file in ${folder}`);
  return names.sort().map((name) => join(folder, name));
}

function rowsIn(file: string): readonly Row[] {
  const rows: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (!Array.isArray(rows) || !rows.every(isRow)) throw new Error(`--corpus: ${file} is not a list of refusals`);
  return rows.map((row) => ({ ...row, type: row.type ?? null, status: row.status ?? null }));
}

function isRow(value: unknown): value is Row {
  if (typeof value !== "object" || value === null) return false;
  return "text" in value && typeof value.text === "string" && "expected" in value;
}

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
