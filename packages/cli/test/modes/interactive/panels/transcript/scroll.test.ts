/** Words that stand out. */

import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hasMatch, highlightMatches } from "../../../../../src/modes/interactive/panels/transcript/scroll.ts";
import { createTheme } from "../../../../../src/modes/interactive/render/theme.ts";

const theme = createTheme("none");
const [red, end] = ["\x1b[31m", "\x1b[0m"];

test.each([
  ["a Word here", "word", `a \x1b[7mWord${end} here`],
  [`${red}a word here${end}`, "word", `${red}a \x1b[7mword${end}${red} here${end}`],
  [`wo${red}rd${end}s`, "word", `\x1b[7mwo${end}${red}\x1b[7mrd${end}${red}${end}s`],
  ["a.b axb", "a.b", `\x1b[7ma.b${end} axb`],
  ["no such thing", "word", "no such thing"],
  ["nothing was looked for", "", "nothing was looked for"],
])("RES26 in the line %j, the matches of %j are highlighted", (line, query, drawn) => {
  expect(highlightMatches(line, query, theme)).toBe(drawn);
});

test("RES26 highlighting any query keeps every character of the line", () => {
  const piece = fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom(red, end, "word", "[", "\\", "ß", "İ"));
  fc.assert(
    fc.property(fc.array(piece), fc.string({ unit: "grapheme" }), (pieces, query) => {
      const line = pieces.join("").replaceAll(/\p{Cc}(?!\[(?:31|0)m)/gu, "");
      expect(stripVTControlCharacters(highlightMatches(line, query, theme))).toBe(stripVTControlCharacters(line));
      if (!hasMatch(line, query)) expect(highlightMatches(line, query, theme)).toBe(line);
    }),
  );
});
