/** Proves where a text may be parted, and where not. */

import { expect, test } from "vitest";
import { splitUnits } from "../../src/text/score-units.ts";

const parted = (text: string): readonly string[] =>
  splitUnits(text, { from: 0, to: text.length }).map(({ from, to }) => text.slice(from, to));

test.each([
  ["lines, with what stands before them", "one\n\n  two \r\n\r\nthree", ["one", "  two", "three"]],
  ["sentences", 'It was late. "Go home at once!" He went.', ["It was late.", '"Go home at once!"', "He went."]],
  ["not where a name has a full stop", "see fig. a in v1.2 of a.b.c", ["see fig. a in v1.2 of a.b.c"]],
  [
    "sentences without spaces",
    "今天的备份已经完成了没有问题。明天还要再做一次完整的检查。",
    ["今天的备份已经完成了没有问题。", "明天还要再做一次完整的检查。"],
  ],
  ["what is too short goes with what follows", "No. Yes. It will be done.", ["No. Yes. It will be done."]],
])("SUM1 %s", (_, text, units) => {
  expect(parted(text)).toEqual(units);
});

test("SUM1 records of JSON on one line, as long as they are not too long", () => {
  const record = (at: number): string => JSON.stringify({ at, name: "x".repeat(150) });
  expect(parted(`[${[1, 2, 3].map(record).join(",")}]`)).toEqual([`[${record(1)},`, `${record(2)},`, `${record(3)}]`]);
});

test("SUM1 an endless word, at every so many letters and in the middle of none", () => {
  const units = parted(`x${"😀".repeat(1_000)}`);
  expect(units.join("")).toBe(`x${"😀".repeat(1_000)}`);
  expect(units.every((unit) => unit.isWellFormed() && unit.length <= 300)).toBe(true);
});
