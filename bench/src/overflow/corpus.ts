/** The refusals to classify: a JSON file of rows, or all such files of a folder. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { Refusal, RefusalClass } from "@pith/models/overflow";

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
