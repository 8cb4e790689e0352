/** The lines of an output worth keeping: how it begins and ends, what went wrong, and what stands out. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lineTemplate } from "../../src/keeping/line-template.ts";
import { rareLines } from "../../src/keeping/rare-lines.ts";
import { expectLinear } from "../reading/linear.ts";

const served = (at: number): string =>
  `12:00:${at} GET /users/${at} "agent ${at}" ${at.toString(16)}ff00ff0 in ${at}ms`;
const log = Array.from({ length: 1_000 }, (_, at) => served(at));

test("a line that is like no other is kept with the head and the tail, in the order of the text", () => {
  const text = log.with(700, "cache rebuilt by hand").join("\n");
  const kept = [served(0), served(1), "cache rebuilt by hand", served(998), served(999)];
  expect(rareLines(text, { lines: 5 })).toEqual(kept);
});

test("what went wrong goes before what is merely rare, each kind of it once", () => {
  const text = log.with(5, "a rare line").with(300, "Error: disk 1 full").with(400, "Error: disk 2 full").join("\n");
  expect(rareLines(text, { lines: 3 })).toEqual([served(0), "Error: disk 1 full", served(999)]);
});

test("where everything differs nothing stands out", () => {
  const letters = (at: number): string => String(at).replace(/\d/g, (digit) => "abcdefghij"[Number(digit)] ?? "");
  const names = Array.from({ length: 500 }, (_, at) => letters(at));
  expect(rareLines(names.join("\n"), { lines: 4 })).toEqual(["a", "ejj"]);
});

test("a short text is kept whole, without its blank lines", () => {
  expect(rareLines("one\n\n  \r\ntwo\r\nthree\n", { lines: 3 })).toEqual(["one", "two", "three"]);
  expect(rareLines("", { lines: 3 })).toEqual([]);
  expect(rareLines("one", { lines: 0 })).toEqual([]);
});

test("numbers, times, hashes, paths and quoted words do not make a line another", () => {
  const same = (one: string, other: string): void => expect(lineTemplate(one)).toBe(lineTemplate(other));
  same("at 2026-01-02T03:04:05.678Z took 12ms", "at 2025-11-12T13:14:15.9Z took 7ms");
  same("object 0xdeadbeef at 3f2a9c1", "object 0x0 at 0123456789abcdef");
  same("read src/a.ts in 'one'", "read /home/ada/b.ts in 'two words'");
  same("id 5891b5b5-22d5-4f08-ad0f-f0b110fbd9d2", "id 00000000-0000-4000-8000-000000000000");
  expect(lineTemplate("don't stop, can't stop")).toBe("don't stop, can't stop");
});

test("LED3 whatever the text is, so many lines are kept and no more, none of them longer than 300 letters", () => {
  const lines = fc.array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("a 1", "a 2", "error", "\u001b[31mred\u001b[0m", "x".repeat(400)),
    ),
  );
  fc.assert(
    fc.property(lines, fc.nat({ max: 12 }), (all, most) => {
      const kept = rareLines(all.join("\n"), { lines: most });
      expect(kept.length).toBeLessThanOrEqual(most);
      for (const line of kept) {
        expect(line.length).toBeLessThanOrEqual(300);
        expect(line).not.toMatch(/[\p{Cc}\p{Cs}]/u);
      }
    }),
  );
});

describe("LED3 time is linear in the length of the text", () => {
  const lines: readonly string[] = [
    "a\n",
    served(7),
    `${served(7)}\n`,
    '"',
    "'\n",
    "a/",
    " ",
    "\r",
    "0a",
    `${"'\"`".repeat(99)}\n`,
  ];
  test.each(lines)("LED3 %j", (line) => {
    const [small = "", large = ""] = [400_000, 1_600_000].map((letters) => line.repeat(letters / line.length));
    expectLinear(
      () => rareLines(small, { lines: 8 }),
      () => rareLines(large, { lines: 8 }),
    );
  });

  test("LED3 ten million letters, in lines or in one", () => {
    const text = `${served(7)}\n`.repeat(170_000);
    expect(rareLines(text, { lines: 4 })).toHaveLength(2);
    expect(rareLines("x".repeat(10_000_000), { lines: 4 })).toEqual([`${"x".repeat(299)}…`]);
  });
});
