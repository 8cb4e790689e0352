/** The collected refusals: from the specification, from public threads and made up. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Refusal, RefusalClass } from "../../src/overflow/index.ts";

export interface Row {
  readonly provider: string;
  readonly status: number | null;
  readonly type: string | null;
  readonly text: string;
  readonly expected: RefusalClass;
  readonly source: string;
  readonly limit?: number;
  readonly requested?: number;
}

export const rows: readonly Row[] = read("overflow.json");
export const moreRows: readonly Row[] = read("more.json");

/** A row as the input of the classifier. */
export function refusal({ provider, status, type, text }: Row): Refusal {
  return { provider, text, ...(status !== null && { status }), ...(type !== null && { code: type }) };
}

function read(name: string): readonly Row[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, name), "utf8")) as readonly Row[];
}
