/** Checks that every row of the source documents, B1 to B84, has a rule or is listed as still to come. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Fault } from "../fault.ts";

const rulesFile = "docs/rules.md";
const sourcesFile = "docs/sources.md";
const LAST = 84;

export function rowFaults(root: string): readonly Fault[] {
  const settled = rowsIn(readFileSync(join(root, rulesFile), "utf8"));
  const coming = comingRows(readFileSync(join(root, sourcesFile), "utf8"));
  const rows = Array.from({ length: LAST }, (_, at) => at + 1);
  return [
    ...rows.filter((row) => !settled.has(row) && !coming.has(row)).map(missing),
    ...rows.filter((row) => settled.has(row) && coming.has(row)).map(surplus),
    ...[...settled, ...coming].filter((row) => row < 1 || row > LAST).map(unknown),
  ];
}

/** Those in the brackets of rules. */
function rowsIn(text: string): ReadonlySet<number> {
  const brackets = text.split("\n").flatMap((line) => /^- \*\*.*\((B\d[^()]*)\)\s*$/.exec(line)?.[1] ?? []);
  return new Set(brackets.flatMap((inside) => Array.from(inside.matchAll(/B(\d+)/g), ([, row]) => Number(row))));
}

/** Those in the first column of the table under this heading; the second says what brings each. */
function comingRows(text: string): ReadonlySet<number> {
  const [, section = ""] = text.split("## Rows still to come\n");
  const rows = Array.from(section.split("\n## ")[0]?.matchAll(/^\| B(\d+) \| *\S[^|]*\| *\S[^|]*\|$/gm) ?? []);
  return new Set(rows.map(([, row]) => Number(row)));
}

function missing(row: number): Fault {
  const sentence = `no rule settles B${row}; write it in brackets behind the rule that does, or into "Rows still to come" of ${sourcesFile}`;
  return { path: rulesFile, line: 1, sentence };
}

function surplus(row: number): Fault {
  return { path: sourcesFile, line: 1, sentence: `B${row} is settled by a rule; take it out of "Rows still to come"` };
}

function unknown(row: number): Fault {
  return { path: rulesFile, line: 1, sentence: `there is no row B${row}; the last is B${LAST}` };
}
