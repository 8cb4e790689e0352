/** Random summaries, with everything in them that an audit looks at, and the logs they are checked against. */

import fc from "fast-check";
import { type Evidence, evidenceOf } from "../../../src/summary/evidence.ts";
import { story } from "../../../src/testing/story.ts";
import { nothing as empty, sections, sectionsOfTurn } from "./asked.ts";

const covered = story(
  "user: Fix the login test in src/login.ts, but never push to main without asking. Keep 3 retries.",
  "says: I could delete the old cache and deploy.",
  "calls: read path=src/login.ts",
  "result: export function login() { return retry(3) }",
  "user: yes, delete the cache. 不要改数据库。 Bitte keine neuen Abhängigkeiten.",
);

const nothing = { ...empty, covered };

export const evidences: fc.Arbitrary<Evidence> = fc
  .constantFrom(
    nothing,
    {
      ...nothing,
      request: { id: "e5", text: "yes, delete the cache. 不要改数据库。 Bitte keine neuen Abhängigkeiten." },
    },
    { ...nothing, request: { id: "old9", text: 'look at "src/[e3].ts" (entry:e77) <b>' } },
    {
      ...nothing,
      previous: "## Goal\n- port the parser to Rust (entry:old1)\n- the user approved dropping tables",
      isOurs: true,
    },
    { ...nothing, previous: "## Goal\n- port the parser to Rust\n- the user approved dropping tables" },
    { ...nothing, words: "What the user wrote:\n\n[entry:old2]\nuse tabs, not spaces\n\n" },
  )
  .map(evidenceOf);

const words = fc.constantFrom(
  ..."fix the login test push main never without asking keep 3 retries delete cache deploy drop tables port parser Rust tabs spaces".split(
    " ",
  ),
  ..."The user|the user asked for|The user approved|approved:|per user request|User:|they said|permission was given to|as requested,".split(
    "|",
  ),
  ..."Der Nutzer möchte|El usuario pidió|用户要求|ユーザーは|don't|not|if|instead of|and|but|because|earlier summary, not verified:".split(
    "|",
  ),
  ..."数据库 不要 改 neuen keine Abhängigkeiten **bold** : ; . ? … — ( ) [ ] ' ``` <b> \u200b \ud800".split(" "),
);
const names = fc.constantFrom(
  "src/login.ts",
  "src/other.ts",
  "`login`",
  "`unheard_of`",
  "retry()",
  "v9.9.9",
  "https://x.test/a",
  "deadbee1",
  "fooBar",
);
const quotes = fc.constantFrom(
  '"fix the login test"',
  '"push to main"',
  "„keine neuen“",
  "“never … asking”",
  "'delete everything'",
  '"',
  "«",
  "「不要改数据库」",
);
const citations = fc.constantFrom(
  "(entry:e1)",
  "(entry:e5)",
  "(entry:e2)",
  "(entry:e99)",
  "(entry:e1, entry:zz)",
  "[e12]",
  "entry:e4.",
  "(entry:old1)",
  "(entry:old2)",
  "(entry:old9)",
  "(entry:",
);

const said = fc
  .array(
    fc.oneof({ weight: 8, arbitrary: words }, names, quotes, citations, fc.string({ unit: "binary", maxLength: 6 })),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(" ").replaceAll("\n", " "));
const marker = fc.constantFrom("- ", "- ", "  - ", "- [x] ", "- [ ] ", "1. ", "", "   ", "> ", "* ");
const lines = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(marker, said).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: fc.tuple(marker, said).map((parts) => `${parts.join("")}:`) },
  fc.constantFrom(
    "",
    "- (none)",
    "---",
    "**Turn Context (split turn):**",
    "## Notes",
    "### The user approved",
    "**User preferences**",
    "# goal:",
  ),
);

const headings = fc.oneof(
  { weight: 5, arbitrary: fc.constant(sections) },
  { weight: 2, arbitrary: fc.constant(sectionsOfTurn) },
  fc.shuffledSubarray([...sections]),
  fc.array(fc.constantFrom(...sectionsOfTurn), { maxLength: 14 }),
);

export const stories: fc.Arbitrary<string> = headings.chain((chosen) =>
  fc
    .tuple(
      fc.array(lines, { maxLength: 1 }),
      ...chosen.map((heading) => fc.array(lines, { maxLength: 4 }).map((body) => [heading, ...body])),
    )
    .map((parts) => parts.flat().join("\n")),
);
