/** Tests what a crash can lose: an incomplete line and an incomplete batch at the end, and nothing that was acknowledged. */

import { describe, expect, test } from "vitest";
import { withTrailer } from "../../src/format/line-checksum.ts";
import {
  batch,
  bytesOf,
  chain,
  checksum,
  damageIn,
  entriesIn,
  file,
  idsIn,
  note,
  numbered,
  ourHeader,
  piHeader,
  read,
  withTrailers,
} from "./specimen.ts";

const [e1 = "", e2 = "", e3 = "", e4 = "", e5 = "", e6 = ""] = chain(6);
const before = withTrailers(ourHeader, e1, e2);
const [first = "", second = "", third = ""] = batch(e3, e4, e5);
const [after = ""] = withTrailers(e6);

describe("LOG3 a batch at the end", () => {
  test("LOG3 counts if all of its lines are intact", () => {
    const bytes = file(before, first, second, third);
    expect(reading(bytes)).toEqual({ ids: "e1 e2 e3 e4 e5", damage: "", cut: 0 });
  });

  test.each([
    ["its first line is missing", [second, third], "torn-batch@4 torn-batch@5"],
    ["its second line is missing", [first, third], "torn-batch@4 torn-batch@5"],
    ["its third line is missing", [first, second], "torn-batch@4 torn-batch@5"],
    ["only its first line is there", [first], "torn-batch@4"],
    ["only its second line is there", [second], "torn-batch@4"],
    ["only its third line is there", [third], "torn-batch@4"],
    ["its first line is damaged", [broken(first), second, third], "torn-batch@4 torn-batch@5 torn-batch@6"],
    ["its second line is damaged", [first, broken(second), third], "torn-batch@4 torn-batch@5 torn-batch@6"],
    ["its third line is damaged", [first, second, broken(third)], "torn-batch@4 torn-batch@5 torn-batch@6"],
    ["only its first line is whole", [first, broken(second), broken(third)], "torn-batch@4 torn-batch@5 torn-batch@6"],
    [
      "its first line stands twice, its third is missing",
      [first, first, second],
      "torn-batch@4 torn-batch@5 torn-batch@6",
    ],
  ])("LOG3 is ignored if %s", (_, lines, damage) => {
    const bytes = file(before, lines);
    expect(reading(bytes)).toEqual({ ids: "e1 e2", damage, cut: file(lines).length });
  });

  test.each([0, 1, 2])("LOG3 is ignored if line %i is cut off at any byte", (at) => {
    const whole = file([first, second, third].slice(0, at));
    const last = bytesOf([first, second, third][at] ?? "");
    for (let length = 1; length < last.length; length++) {
      const bytes = Uint8Array.from([...file(before), ...whole, ...last.subarray(0, length)]);
      expect(entriesIn(read(bytes)).map(({ id }) => id)).toEqual(["e1", "e2"]);
      expect(read(bytes).end).toBe(file(before).length - 1);
    }
  });

  test("LOG3 counts if only its last line end is missing", () => {
    const bytes = file(before, first, second, third).subarray(0, -1);
    expect(reading(bytes)).toEqual({ ids: "e1 e2 e3 e4 e5", damage: "", cut: 0 });
  });

  test.each([
    ["first", [first, first, second, third], 5],
    ["last", [first, second, third, third], 7],
  ])("LOG3 counts if it is complete and its %s line occurs twice", (_, lines, twin) => {
    const found = read(file(before, lines));
    expect([idsIn(entriesIn(found)), damageIn(found)]).toEqual(["e1 e2 e3 e4 e5", `duplicate-line@${twin}`]);
  });

  test("LOG3 does not affect the batch before it", () => {
    const lines = [...batch(e3, e4), ...batch(e5, e6).slice(0, 1)];
    expect(idsIn(entriesIn(read(file(before, lines))))).toBe("e1 e2 e3 e4");
  });

  test.each([
    [[9, 9], "e1 e2"],
    [[999_999_999, 999_999_999], "e1 e2"],
    [[0, 0], "e1 e2 e3"],
    [[0, 2], "e1 e2 e3"],
    [[3, 2], "e1 e2 e3"],
    [[1, 1], "e1 e2 e3"],
  ] as const)("LOG3 does not affect other lines, whatever its mark is: %j", (mark, ids) => {
    expect(idsIn(entriesIn(read(file(before, withTrailer(e3, { batch: mark }, checksum)))))).toBe(ids);
  });
});

describe("LOG3 a batch that is followed by other lines", () => {
  test.each([
    ["its first line is missing", [second, third, after], "e1 e2 (e3) e4 e5 e6", "missing-parent@4"],
    ["its second line is missing", [first, third, after], "e1 e2 e3 (e4) e5 e6", "missing-parent@5"],
    ["its third line is missing", [first, second, after], "e1 e2 e3 e4 (e5) e6", "missing-parent@6"],
    ["its first line is damaged", [broken(first), second, third, after], "e1 e2 (e3) e4 e5 e6", "wrong-checksum@4"],
    ["its third line is damaged", [first, second, broken(third), after], "e1 e2 e3 e4 (e5) e6", "wrong-checksum@6"],
    [
      "a damaged line follows",
      [first, third, broken(after)],
      "e1 e2 e3 (e4) e5 (gap-4)",
      "missing-parent@5 wrong-checksum@6",
    ],
  ])("LOG3 counts if %s", (_, lines, ids, damage) => {
    const bytes = file(before, lines);
    const found = read(bytes);
    expect([idsIn(entriesIn(found), bytes), damageIn(found)]).toEqual([ids, damage]);
  });

  test("LOG3 counts if the line after it is torn", () => {
    const bytes = Uint8Array.from([...file(before, first, third), ...bytesOf(after.slice(0, 20))]);
    expect(reading(bytes)).toEqual({ ids: "e1 e2 e3 (e4) e5", damage: "missing-parent@5 torn-tail@6", cut: 21 });
  });
});

describe("D3 an incomplete line at the end", () => {
  test("D3 is dropped, and every intact line before it stays, for a cut at any byte", () => {
    const bytes = file(before);
    const ends = before.map((_, at) => file(before.slice(0, at + 1)).length);
    for (let length = 1; length <= bytes.length; length++) {
      const found = read(bytes.subarray(0, length));
      expect(found.lines.length).toBe(ends.filter((end, at) => at > 0 && end - 1 <= length).length);
      expect(damageIn(found).replace(/@\d+/g, "")).toBe(damageOfCut(length, ends));
    }
  });

  test("D3 a complete header is never dropped, even if it is damaged and has no line end", () => {
    const changed = bytesOf(withTrailers(ourHeader)[0]?.replace("/home/ada", "/home/bob") ?? "");
    const found = read(changed);
    expect([found.header, found.end, damageIn(found)]).toEqual([null, changed.length, "damaged-header@1"]);
  });

  test("D3 a complete header is not part of a torn batch", () => {
    const changed = withTrailers(ourHeader)[0]?.replace("/home/ada", "/home/bob") ?? "";
    const found = read(file(changed, second));
    expect([found.header, found.end, damageIn(found)]).toEqual([null, changed.length, "damaged-header@1 torn-batch@2"]);
  });
});

test("LOG3 a file of pi has no batches, whatever marks its lines have", () => {
  const theirs = [note("e1", null, ',"batch":[1,3]'), note("e2", "e1", ',"batch":[2,3],"crc":"00000000"')];
  const found = read(file(piHeader, theirs));
  expect(entriesIn(found)).toEqual(numbered(theirs.map((line) => JSON.parse(line))));
  expect(found.damage).toEqual([]);
});

function broken(line: string): string {
  return line.replace('"customType":"note"', '"customType":"nope"');
}

/** What is read, and how many bytes at the end do not count. */
function reading(bytes: Uint8Array): { ids: string; damage: string; cut: number } {
  const found = read(bytes);
  const ended = bytes.at(-1) === 0x0a ? 1 : 0;
  return {
    ids: idsIn(entriesIn(found), bytes),
    damage: damageIn(found),
    cut: Math.max(0, bytes.length - found.end - ended),
  };
}

function damageOfCut(length: number, [header = 0, ...ends]: readonly number[]): string {
  if (length < header - 1) return "no-header torn-tail";
  return [header, ...ends].some((end) => length === end || length === end - 1) ? "" : "torn-tail";
}
