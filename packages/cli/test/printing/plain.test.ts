/** What reaches a terminal: text, and nothing that could steer it or hide in it. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { plain } from "../../src/printing/plain.ts";

const FORBIDDEN = /[[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]--[\n\t]]/v;

const hostile = [
  "\x1b[2J",
  "\x1b]0;title\x07",
  "\x1b]8;;http://evil\x1b\\",
  "\x1b]52;c;ZXZpbA==\x07",
  "\x1bP+q544e\x1b\\",
  "\x9b31m",
  "\x9d0;t\x9c",
  "\r",
  "\b\b\b",
  "\x00",
  "\x7f",
  "\x0e",
  "\u202e",
  "\u2066",
  "\u200f",
  "\u061c",
  "\u200b",
  "\u2060",
  "\ufeff",
  "\u{e0041}",
  "\u{e0101}",
  "\u2028",
  "\u00ad",
  "\u3164",
  "\ud800",
];
const harmless = ["rm -rf build", "a\tb", "ok\n", "naïve", "日本語", "👩‍👩‍👧", "می‌خواهم", "\\x1b"];

/** Two hundred strings: every hostile one in front of, behind, inside and between harmless words. */
const corpus: readonly string[] = hostile.flatMap((evil, at) => {
  const word = harmless[at % harmless.length] ?? "";
  const other = hostile[(at + 7) % hostile.length] ?? "";
  return [
    evil,
    evil + word,
    word + evil,
    word + evil + word,
    evil + other,
    evil.repeat(3),
    `${other}${word}${evil}`,
    `a${evil}\n${evil}b`,
  ];
});

test("PRT6 nothing that steers a terminal or hides in it gets through: two hundred strings", () => {
  expect(corpus.length).toBe(200);
  for (const text of corpus) {
    const shown = plain(text);
    expect(shown).not.toMatch(FORBIDDEN);
    expect(shown.isWellFormed()).toBe(true);
    expect(plain(shown)).toBe(shown);
  }
});

test("PRT6 any string at all becomes plain, once and for all", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const shown = plain(text);
      expect(shown).not.toMatch(FORBIDDEN);
      expect(plain(shown)).toBe(shown);
    }),
  );
});

test.each([
  ["\x1b[31mred\x9b0m", "\\x1b[31mred\\x9b0m"],
  ["user\u202etxt.exe", "user\\u{202e}txt.exe"],
  ["hid\u{e0068}den", "hid\\u{e0068}den"],
  ["half \ud83d", "half \\u{d83d}"],
  ["over\rwritten", "over\\x0dwritten"],
])("PRT6 what hides is shown as an escape: %j", (text, shown) => {
  expect(plain(text)).toBe(shown);
});

test.each(harmless.concat("a\nb\tc", "سنة\u0600", "🇪🇺 ❤️ e\u0301", "\ue0b0"))(
  "PRT6 what people write stays as it is: %j",
  (text) => {
    expect(plain(text)).toBe(text);
  },
);

test("PRT6 a line end of Windows is a line end", () => {
  expect(plain("one\r\ntwo\r\n")).toBe("one\ntwo\n");
});
