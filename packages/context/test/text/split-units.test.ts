/** Tests where a text is split into units. */

import { expect, test } from "vitest";
import { splitUnits } from "../../src/text/excerpt.ts";

const splitText = (text: string): readonly string[] =>
  splitUnits(text, { from: 0, to: text.length }).map(({ from, to }) => text.slice(from, to));

test.each([
  ["splits at line ends and keeps the indentation", "one\n\n  two \r\n\r\nthree", ["one", "  two", "three"]],
  [
    "splits at the ends of sentences",
    'It was late. "Go home at once!" He went.',
    ["It was late.", '"Go home at once!"', "He went."],
  ],
  ["does not split at a full stop inside a name", "see fig. a in v1.2 of a.b.c", ["see fig. a in v1.2 of a.b.c"]],
  [
    "splits sentences without spaces",
    "今天的备份已经完成了没有问题。明天还要再做一次完整的检查。",
    ["今天的备份已经完成了没有问题。", "明天还要再做一次完整的检查。"],
  ],
  ["joins a part that is too short to the next one", "No. Yes. It will be done.", ["No. Yes. It will be done."]],
])("SUM1 splitText %s", (_, text, units) => {
  expect(splitText(text)).toEqual(units);
});

test("SUM1 splits JSON on one line between its records", () => {
  const record = (id: number): string => JSON.stringify({ id, name: "x".repeat(150) });
  expect(splitText(`[${[1, 2, 3].map(record).join(",")}]`)).toEqual([
    `[${record(1)},`,
    `${record(2)},`,
    `${record(3)}]`,
  ]);
});

test("SUM1 splits an endless word at a fixed length and never inside a character", () => {
  const units = splitText(`x${"😀".repeat(1_000)}`);
  expect(units.join("")).toBe(`x${"😀".repeat(1_000)}`);
  expect(units.every((unit) => unit.isWellFormed() && unit.length <= 300)).toBe(true);
});
