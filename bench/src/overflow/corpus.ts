/** Reads refusals, and counts wrong classifications, also with another status, letter case or JSON format. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { classifyRefusal, type Refusal, type RefusalClass } from "@pith/models/overflow";

export interface RefusalCorpus {
  readonly name: string;
  readonly rows: readonly RefusalRow[];
}

export interface RefusalRow {
  readonly provider: string;
  /** Null or "stream" for an error inside a stream. */
  readonly status: number | string | null;
  /** The structured code or type, or null. */
  readonly type: string | null;
  readonly text: string;
  readonly expected: RefusalClass;
}

export function readCorpus(givenPath: string | undefined): RefusalCorpus {
  const path = givenPath ?? DEFAULT_PATHS.find((each) => existsSync(each)) ?? "";
  if (!existsSync(path)) throw new Error(`--corpus: no such file or folder: ${path}`);
  const files = statSync(path).isDirectory() ? listJsonFiles(path) : [path];
  return { name: relative(root, resolve(path)), rows: files.flatMap(readRows) };
}

const root = resolve(import.meta.dirname, "../../..");
/** The specification's table, if it is beside the repository, else our copy. */
const DEFAULT_PATHS = [
  join(root, "../shared/fixtures/overflow.json"),
  join(root, "packages/models/test/overflow/overflow.json"),
];

function listJsonFiles(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  if (names.length === 0) throw new Error(`--corpus: no .json file in ${folder}`);
  return names.sort().map((name) => join(folder, name));
}

function readRows(file: string): readonly RefusalRow[] {
  const rows: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (!Array.isArray(rows) || !rows.every(isRefusalRow)) throw new Error(`--corpus: ${file} is not a list of refusals`);
  return rows.map((row) => ({ ...row, type: row.type ?? null, status: row.status ?? null }));
}

function isRefusalRow(value: unknown): value is RefusalRow {
  if (typeof value !== "object" || value === null) return false;
  return "text" in value && typeof value.text === "string" && "expected" in value;
}

function toRefusal({ provider, status, type, text }: RefusalRow): Refusal {
  return { provider, text, ...(typeof status === "number" && { status }), ...(type !== null && { code: type }) };
}

export function countWrong(rows: readonly RefusalRow[]): number {
  return rows.filter((row) => classifyRefusal(toRefusal(row)).class !== row.expected).length;
}

export function countWrongUnderStatus(rows: readonly RefusalRow[]): number {
  const texts = rows.filter(({ expected }) => expected === "overflow");
  const codes = [null, "context_length_exceeded"];
  const variants = texts.flatMap((row) =>
    TRANSIENT_STATUSES.flatMap((status) =>
      [row, ...codes.map((type) => ({ ...row, type }))].map((each) => ({ ...each, status })),
    ),
  );
  return variants.filter((row) => classifyRefusal(toRefusal(row)).class === "overflow").length;
}

/** Temporary errors, which are never an overflow, whatever their text. */
const TRANSIENT_STATUSES = [408, 425, 429, 500, 502, 503, 504, 529];

export function countWrongInOtherCase(rows: readonly RefusalRow[]): number {
  return countWrong(
    rows.flatMap((row) => [row.text.toUpperCase(), row.text.toLowerCase()].map((text) => ({ ...row, text }))),
  );
}

export function countWrongReformatted(rows: readonly RefusalRow[]): number {
  return countWrong(rows.flatMap((row) => reformat(row.text).map((text) => ({ ...row, text }))));
}

function reformat(text: string): readonly string[] {
  const ownJson = parseJson(text);
  const values = [...envelopes.map((wrap) => wrap(text)), ...(ownJson === null ? [] : [ownJson])];
  return values.flatMap((value) => [
    JSON.stringify(value),
    JSON.stringify(value, null, 2),
    JSON.stringify(reverseKeys(value), null, "\t"),
  ]);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Most texts are not JSON.
    return null;
  }
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

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, child]) => [key, reverseKeys(child)]),
  );
}
