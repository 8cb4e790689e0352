/** Tests the overflow suite on our copy of the fixture, without pi. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { countWrong, readCorpus } from "../src/overflow/corpus.ts";
import { measureOverflow } from "../src/overflow/suite.ts";

const folder = join(import.meta.dirname, "../../packages/models/test/overflow");
const fixture = join(folder, "overflow.json");

test("OVF1 OVF3 OVF10 classifies every refusal of the fixture correctly, with any status, letter case and JSON format", () => {
  const texts: string[] = [];
  const figures = measureOverflow({ corpus: fixture, log: (text) => texts.push(text) });
  expect(figures).toMatchObject({ rows: 64, wrong: 0, wrong_sweep: 0, wrong_case: 0, wrong_reformatted: 0 });
  expect(figures.hostile_growth).toBeGreaterThan(0);
  expect(texts).toEqual(["64 refusals from packages/models/test/overflow/overflow.json"]);
});

test("reads all files of a corpus folder", () => {
  const { rows } = readCorpus(folder);
  expect(rows.length).toBeGreaterThan(200);
  expect(countWrong(rows)).toBe(0);
});

test("countWrong counts each wrong classification", () => {
  const rows = readCorpus(fixture).rows.map((row) => ({ ...row, expected: "other" as const }));
  expect(countWrong(rows)).toBe(64 - 6);
});

test.each([
  ["/nowhere/at/all", "no such file or folder: /nowhere/at/all"],
  [import.meta.dirname, "no .json file in"],
  [join(import.meta.dirname, "../package.json"), "is not a list of refusals"],
])("reports a corpus that cannot be read: %s", (corpus, sentence) => {
  expect(() => readCorpus(corpus)).toThrow(sentence);
});
