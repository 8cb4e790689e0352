/** Tests text/safe-text.ts: text for a terminal, text for the editor, JSON lines. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escapeControls, stripControls, toJsonLine } from "../../src/text/safe-text.ts";

describe("text for a terminal", () => {
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

  test("PRT6 two hundred hostile strings have no control or hidden characters after escaping", () => {
    expect(corpus.length).toBe(200);
    for (const text of corpus) {
      const shown = escapeControls(text);
      expect(shown).not.toMatch(FORBIDDEN);
      expect(shown.isWellFormed()).toBe(true);
      expect(escapeControls(shown)).toBe(shown);
    }
  });

  test("PRT6 any string has no control characters after escaping, and escaping again changes nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const shown = escapeControls(text);
        expect(shown).not.toMatch(FORBIDDEN);
        expect(escapeControls(shown)).toBe(shown);
      }),
    );
  });

  test.each([
    ["\x1b[31mred\x9b0m", "\\x1b[31mred\\x9b0m"],
    ["user\u202etxt.exe", "user\\u{202e}txt.exe"],
    ["hid\u{e0068}den", "hid\\u{e0068}den"],
    ["half \ud83d", "half \\u{d83d}"],
    ["over\rwritten", "over\\x0dwritten"],
  ])("PRT6 control and hidden characters become visible escapes: %j", (text, shown) => {
    expect(escapeControls(text)).toBe(shown);
  });

  test.each(harmless.concat("a\nb\tc", "سنة\u0600", "🇪🇺 ❤️ e\u0301", "\ue0b0"))(
    "PRT6 ordinary text stays unchanged: %j",
    (text) => {
      expect(escapeControls(text)).toBe(text);
    },
  );

  test("PRT6 CRLF becomes LF", () => {
    expect(escapeControls("one\r\ntwo\r\n")).toBe("one\ntwo\n");
  });
});

describe("text for the editor", () => {
  test.each([
    ["\x1b[31mred\x1b[0m words", "red words"],
    ["\x1b]0;title\x07left", "left"],
    ["a\x9b31mb", "ab"],
    ["a\r\nb\rc\td", "a\nb\nc\td"],
    ["a\u202eb\u200bc\ufeff\u00add", "abcd"],
    ["tag\u{e0041}s", "tags"],
    ["half \ud800 letter", "half  letter"],
    ["👩‍👩‍👧 stays", "👩‍👩‍👧 stays"],
  ])("TYP8 control and hidden characters are removed from pasted text: %j", (text, words) => {
    expect(stripControls(text)).toBe(words);
  });
});

describe("JSON lines", () => {
  test("JSON7 any value becomes one line of printable JSON with the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const line = toJsonLine(value);
        expect(line.endsWith("\n")).toBe(true);
        expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("JSON7 characters that a reader could take for a line end are escaped", () => {
    expect(toJsonLine("\u2028\u2029\u0085\u{e0041}\u202e\ud800")).toBe(
      '"\\u2028\\u2029\\u0085\\udb40\\udc41\\u202e\\ud800"\n',
    );
  });
});
