/** Checks that every row of the source documents, B1 to B84, has a rule or is listed as still to come. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Fault } from "../fault.ts";

const RULES_FILE = "docs/rules.md";
const SOURCES_FILE = "docs/sources.md";
const LAST_ROW = 84;

export function checkRows(root: string): readonly Fault[] {
  const settledRows = listSettledRows(readFileSync(join(root, RULES_FILE), "utf8"));
  const pendingRows = listPendingRows(readFileSync(join(root, SOURCES_FILE), "utf8"));
  const rows = Array.from({ length: LAST_ROW }, (_, index) => index + 1);
  return [
    ...rows.filter((row) => !settledRows.has(row) && !pendingRows.has(row)).map(missingRow),
    ...rows.filter((row) => settledRows.has(row) && pendingRows.has(row)).map(redundantRow),
    ...[...settledRows, ...pendingRows].filter((row) => row < 1 || row > LAST_ROW).map(unknownRow),
  ];
}

/** Those in the brackets of rules. */
function listSettledRows(text: string): ReadonlySet<number> {
  const brackets = text.split("\n").flatMap((line) => /^- \*\*.*\((B\d[^()]*)\)\s*$/.exec(line)?.[1] ?? []);
  return new Set(brackets.flatMap((inside) => Array.from(inside.matchAll(/B(\d+)/g), ([, row]) => Number(row))));
}

/** Those in the first column of the table under this heading; the second says what brings each. */
function listPendingRows(text: string): ReadonlySet<number> {
  const [, section = ""] = text.split("## Rows still to come\n");
  const rows = Array.from(section.split("\n## ")[0]?.matchAll(/^\| B(\d+) \| *\S[^|]*\| *\S[^|]*\|$/gm) ?? []);
  return new Set(rows.map(([, row]) => Number(row)));
}

function missingRow(row: number): Fault {
  const sentence = `no rule settles B${row}; write it in brackets behind the rule that does, or into "Rows still to come" of ${SOURCES_FILE}`;
  return { path: RULES_FILE, line: 1, sentence };
}

function redundantRow(row: number): Fault {
  return { path: SOURCES_FILE, line: 1, sentence: `B${row} is settled by a rule; take it out of "Rows still to come"` };
}

function unknownRow(row: number): Fault {
  return { path: RULES_FILE, line: 1, sentence: `there is no row B${row}; the last is B${LAST_ROW}` };
}
