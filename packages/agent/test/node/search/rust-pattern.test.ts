/** Compares the built-in engine with ripgrep over patterns in ripgrep's syntax: it finds the same lines, or refuses with advice. */

import { rgPath } from "@vscode/ripgrep";
import { describe, expect, test } from "vitest";
import { createSearchFolder, grepLines } from "../../support/file-tools.ts";

const text = [
  ...[
    "foo",
    "FOO bar",
    "foobar",
    "barfoo",
    "food fight",
    "a foo b",
    "fo",
    "fooo",
    "foo.bar",
    "foo(bar)",
    "foo[0]",
    "foo{1}",
  ],
  ...[
    "straße STRASSE",
    "ÄÖÜ äöü",
    "naïve café",
    "Ελλάδα",
    "日本語 text",
    "x_1 y-2",
    "v1.2.3",
    "tab\tbetween",
    "two  blanks",
  ],
  ...[
    "aa",
    "aaa",
    "aaaa",
    "abab",
    "a+b",
    "a*b",
    "-dash",
    "]bracket",
    "^caret",
    "a&b",
    "a~b",
    "#hash # comment",
    "0x1F 10",
    "end$",
  ],
  ...[
    "",
    " ",
    "back\\slash",
    "quote\"s'",
    "é e\u0301",
    "\u00a0nbsp",
    "٣ arabic digit",
    "bell\x07",
    "abc123",
    "ABC",
    "aBc",
  ],
].join("\n");

const translated: readonly string[] = [
  ...[
    "foo",
    "^foo$",
    "fo+",
    "(?i)foo",
    "(?i)straße",
    "foo(?i)BAR",
    "(?i:FOO)bar",
    "(?i)a(?-i)bc",
    "a(?i)b|C",
    "(?i)äöü",
  ],
  ...[
    "(?x) f o o",
    "(?x)[ a b ]{2}",
    "(?s)a.b",
    "(?m)^fo$",
    "(?U)fo+",
    "(?P<name>foo)bar",
    "(?<name>foo)bar",
    "(?:foo|bar)fight|food",
  ],
  ...[
    "[[:alpha:]]+\\d",
    "[[:^alpha:]]{3}",
    "[[:upper:][:digit:]]+",
    "[[:punct:]]",
    "[[:blank:]]{2}",
    "[[:word:]]-",
    "[^[:ascii:]]",
  ],
  ...[
    "\\bfoo\\b",
    "\\<foo\\>",
    "\\<foo",
    "foo\\>",
    "\\b{start}foo\\b{end}",
    "foo\\b{end-half}",
    "\\Bfoo",
    "\\w+\\s\\w+",
    "\\W",
    "\\d",
    "\\D\\d",
  ],
  ...["\\s\\s", "\\S{8}", "\\pL\\pL\\pL\\s", "\\p{Greek}", "\\p{greek}", "\\p{Lu}{3}", "\\P{ASCII}", "\\p{Letter}{7}"],
  ...["a{3}", "a{2,3}$", "a{3,}", "(ab){2}", "a++", "a*+b", "fo??$", "a{2}{2}", "^*foo", "(a|b)*?c"],
  ...[
    "[]b]",
    "[^]a]foo",
    "[a-c&&b-z]+1",
    "[a-z--b-z]b",
    "[\\w--\\d]_",
    "[a-c[x-z]]_",
    "[-a]d",
    "[a-]d",
    "[--a]d",
    "[\\^\\]]",
    "[\\d.]+\\.",
    "[^\\n]{14}",
  ],
  ...[
    "\\x41",
    "\\x{e9}",
    "\\u00e4",
    "\\u{65e5}",
    "\\U0001F600|foo\\[",
    "\\a",
    "\\t",
    "\\.",
    "\\#",
    "\\-dash",
    "a\\*b",
    "\\{1\\}",
    "foo\\(",
    "]",
    "}",
    "$",
    "^$",
    "",
    "a|",
    "(|a)b",
  ],
  ...["naïve", "caf\\w", "日\\w+", "é|ü", "(?i)é", "[à-ü]+", "\\w\\b\\W", "e\\b"],
];

const refusedByBoth: readonly string[] = [
  ...[
    "(?=foo)",
    "(?!foo)",
    "(?<=f)oo",
    "(?<!f)oo",
    "(a)\\1",
    "\\h",
    "\\Z",
    "\\e",
    "\\K",
    "\\cA",
    "\\Qa.b\\E",
    "(?>foo)",
  ],
  ...[
    "(foo",
    "foo)",
    "[foo",
    "*foo",
    "foo{",
    "foo{x}",
    "foo{3,1}",
    "{1}",
    "[b-a]",
    "[a-\\d]",
    "foo\\",
    "\\x{110000}",
    "(?y)foo",
    "\\p{Nonsense}",
    "x{,3}",
    "\\p{^L}",
    "a\\nb",
  ],
];

const refusedByBuiltIn: readonly string[] = ["foo\\z", "\\Afoo", "(?-u)foo", "(?-m)^foo", "foo\\r", "[a-c~~b-d]"];

async function search(pattern: string, ripgrep: string | null): Promise<readonly string[]> {
  const { put, search: open } = createSearchFolder();
  put({ "text.txt": text });
  return await grepLines(open(ripgrep), { pattern });
}

describe("SEEK18 a pattern in ripgrep's syntax", () => {
  test.each(translated)("%s finds the same lines without ripgrep", async (pattern) => {
    const found = await search(pattern, null);
    expect(found).toEqual(await search(pattern, rgPath));
    expect(found.join("\n")).not.toContain("refused");
    expect(found).not.toEqual([]);
  });

  test.each(refusedByBoth)("%s is refused with and without ripgrep", async (pattern) => {
    for (const ripgrep of [rgPath, null]) expect((await search(pattern, ripgrep))[0]).toMatch(/^refused: /);
  });

  test.each(refusedByBuiltIn)("%s is refused without ripgrep, with advice", async (pattern) => {
    expect(await search(pattern, null)).toEqual([
      expect.stringMatching(
        /^refused: the built-in search does not support .*; write it differently, set literal, or ask/,
      ),
    ]);
  });
});
