/** Generates random summaries with everything that the checks read, and the sessions they are checked against. */

import fc from "fast-check";
import { collectEvidence, type Evidence } from "../../../src/summary/evidence.ts";
import { story } from "../../../src/testing/story.ts";
import { noEvidence, sections, turnSections } from "../fixtures.ts";

const log = {
  ...noEvidence,
  covered: story(
    "user: Fix the login test in src/login.ts, but never push to main without asking. Keep 3 retries.",
    "says: I could delete the old cache and deploy.",
    "calls: read path=src/login.ts",
    "result: export function login() { return retry(3) }",
    "user: yes, delete the cache. 不要改数据库。 Bitte keine neuen Abhängigkeiten.",
  ),
};

export const evidences: fc.Arbitrary<Evidence> = fc
  .constantFrom(
    log,
    { ...log, request: { reference: "#5", text: "yes, delete the cache. 不要改数据库。" } },
    { ...log, request: { reference: "#90", text: 'look at "src/[#3].ts" (entry:e77) <b>' } },
    { ...log, previous: "## Goal\n- port the parser to Rust [#91]\n- drop the tables [#92] (unconfirmed)" },
    { ...log, userMessages: "# User messages, word for word\n\n[#93]\nuse tabs, not spaces\n\n" },
  )
  .map(collectEvidence);

const words = fc.constantFrom(
  ..."fix the login test push main never without asking keep 3 retries delete cache deploy drop tables port parser".split(
    " ",
  ),
  ..."The user wants|User:|because|and|none|#12|issue #7|数据库|不要|改|neuen|keine|Abhängigkeiten|ログイン|테스트|вход".split(
    "|",
  ),
  ..."**bold** : ; . ? … — ( ) [ ] ' ``` <b> \u200b \ud800 = # ~ |".split(" "),
);
const names = fc.constantFrom(
  ...["src/login.ts", "src/other.ts", "`login`", "`unknown_name`", "`retry(3)`", "`v9.9.9`", "https://x.test/a"],
  ...["`deadbee1`", "`fooBar`", "blob:1a2b3c4d"],
);
const quotations = fc.constantFrom(
  ...[
    '"fix the login test"',
    '"push to main"',
    "„keine neuen“",
    "“never … asking”",
    '"delete everything at once"',
    '"',
  ],
  ...["«", "「不要改数据库」"],
);
const citations = fc.constantFrom(
  ...[
    "[#1]",
    "[#5]",
    "[#2]",
    "(#4)",
    "[e4]",
    "[#1–#4]",
    "[#1, #99]",
    "(entry:e1)",
    "(entry:e1, entry:zz)",
    "【#5】",
    "[#1",
  ],
  ...["[#90]", "[#91]", "[#92]", "[#93]"],
);
const unknownCitations = fc.constantFrom("[#99]", "(entry:zz)", "[#98–#99]");
const marks = fc.constantFrom("(unconfirmed)", "(not from the user)");
const markers = fc.constantFrom("- ", "- ", "  - ", "- [x] ", "- [ ] ", "1. ", "", "   ", "> ", "* ");

const texts = fc.array(
  fc.oneof({ weight: 8, arbitrary: words }, names, quotations, fc.string({ unit: "binary", maxLength: 6 })),
  { maxLength: 10 },
);
const endings = fc
  .tuple(
    fc.array(fc.oneof({ weight: 3, arbitrary: citations }, unknownCitations), { maxLength: 2 }),
    fc.option(marks, { freq: 3, nil: "" }),
  )
  .map(([cited, mark]) => [...cited, mark].join(" ").trim());

const lines = fc.oneof(
  {
    weight: 7,
    arbitrary: fc
      .tuple(markers, fc.constantFrom("fixed", "wrote", "数据库"), texts, endings)
      .map(([marker, verb, text, ending]) => `${marker}${[verb, ...text, ending].join(" ")}`.replace(/\s/g, " ")),
  },
  fc.constantFrom("", "- (none)", "- n/a", "---", "====", "## Notes", "# goal:", "#### Details", "```"),
);

const headings = fc.oneof(
  { weight: 5, arbitrary: fc.constant(sections) },
  { weight: 2, arbitrary: fc.constant(turnSections) },
  fc.shuffledSubarray([...sections]),
  fc.array(fc.constantFrom(...turnSections), { maxLength: 14 }),
);

export const summaries: fc.Arbitrary<string> = headings.chain((chosen) =>
  fc
    .tuple(
      fc.array(lines, { maxLength: 1 }),
      ...chosen.map((heading) => fc.array(lines, { maxLength: 4 }).map((body) => [heading, ...body])),
    )
    .map((parts) => parts.flat().join("\n")),
);

export const formats = fc.record({
  sections: fc.constantFrom(sections, turnSections, []),
  tokens: fc.constantFrom(4_000, 40),
});
