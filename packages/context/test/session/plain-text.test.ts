/** S12 what a list shows cannot do anything to the screen. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { plainText } from "../../src/session/plain-text.ts";
import { expectSoon } from "../soon.ts";

test.each([
  ["fix\nthe\r\n\tbug  now ", "fix the bug now"],
  ["\u001b[31mred\u001b[0m and \u001b[1;38;5;7mbold", "red and bold"],
  ["\u001b]0;title\u0007shown", "shown"],
  ["\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\", "link"],
  ["\u009b2Jcleared", "cleared"],
  ["\u001bPdevice\u001b\\control", "control"],
  ["\u001bcreset", "reset"],
  ["a\u0000b\u0008c\u007fd\u0085e", "abcde"],
  ["!\t\u0000\t!", "! !"],
  ["left\u202eright\u2066x\u2069\u200f", "leftrightx"],
  ["zero\u200bwidth\ufeff\u2060", "zerowidth"],
  ["tag\u{e0041}\u{e007f}", "tag"],
  ["half \ud83d pair", "half \ufffd pair"],
  ["line\u2028separator", "line separator"],
  ["漢字 and 😀 stay", "漢字 and 😀 stay"],
  ["\u001b", ""],
  ["", ""],
])("%j becomes %j", (text, shown) => expect(plainText(text)).toBe(shown));

test("a long text is cut to so many letters, and no letter is cut in two", () => {
  expect(plainText("x".repeat(201))).toBe(`${"x".repeat(199)}…`);
  expect(plainText("😀".repeat(500))).toBe(`${"😀".repeat(199)}…`);
  expect(plainText("x".repeat(200))).toHaveLength(200);
});

test("S12 no text leaves a control character, and cleaning again changes nothing", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 250 }), (text) => {
      const shown = plainText(text);
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(plainText(shown)).toBe(shown);
    }),
    { numRuns: 150 },
  );
});

test("S16 a megabyte of half sequences takes no time", () => {
  const parts = ["\u001b[", "\u001b]", "\u001b[1;", "\u001b]8;;", "\u009d", " \n"];
  expectSoon(65, () => {
    const texts = Array.from({ length: 10 }, () => parts.map((part) => part.repeat(200_000))).flat();
    return () => texts.map((text) => plainText(text));
  });
});
