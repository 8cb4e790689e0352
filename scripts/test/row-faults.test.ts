/** Rows of the documents: each in exactly one of two places. */

import { expect, test } from "vitest";
import { checkRows } from "../rules/row-faults.ts";
import { writeTree } from "./plant.ts";

const all = Array.from({ length: 84 }, (_, at) => at + 1);
const rules = (rows: readonly number[]): string => rows.map((row) => `- **CUT${row}** so it is (B${row})`).join("\n");
const sources = (rows: readonly number[]): string =>
  `# Sources\n\n## Rows still to come\n\n| row | what | with |\n|---|---|---|\n${rows.map((row) => `| B${row} | it | issue 9 |`).join("\n")}\n`;

function sentences(settled: readonly number[], coming: readonly number[]): readonly string[] {
  const root = writeTree({ "docs/rules.md": rules(settled), "docs/sources.md": sources(coming) });
  return checkRows(root).map(({ sentence }) => sentence.split(";")[0] ?? "");
}

test("all rows settled, or to come, are no fault", () => {
  expect(sentences(all, [])).toEqual([]);
  expect(sentences(all.slice(1), [1])).toEqual([]);
});

test("a row in neither place, in both, or past the last is named", () => {
  expect(sentences(all.slice(1), [])).toEqual(["no rule settles B1"]);
  expect(sentences(all, [3])).toEqual(["B3 is settled by a rule"]);
  expect(sentences([...all, 85], [])).toEqual(["there is no row B85"]);
});

test("a row counts only in the brackets at the end of a rule", () => {
  const root = writeTree({ "docs/rules.md": `${rules(all.slice(1))}\nB1 is here`, "docs/sources.md": sources([]) });
  expect(checkRows(root)).toHaveLength(1);
});
