/** Tests the checks of a summary: what the model must correct, which lines are marked, and what the receipt lists. */

import { describe, expect, test } from "vitest";
import { checkSummary, type SummaryCheckResult, type SummaryFormat } from "../../src/summary/check-summary.ts";
import type { EvidenceOptions } from "../../src/summary/evidence.ts";
import type { FlawCode } from "../../src/summary/flaw.ts";
import { story } from "../../src/testing/story.ts";
import { textTokens } from "../../src/tokens/estimate-tokens.ts";
import { evidenceFor, format, freeFormat, summaryWith } from "./fixtures.ts";

const session = [
  "user: Please fix the login test in src/login.ts and use tabs",
  "says: I could delete the session cache and deploy it afterwards.",
  "calls: read path=src/login.ts",
  "result: export function loginUser() { return retry(3) } // expected true to be false",
  "user: no, keep the cache. Now write the changelog for version 2.0",
  "calls: bash command=vitest",
  "result: 41 passed in 3.2s",
];

interface CheckParts {
  readonly evidence?: Partial<EvidenceOptions>;
  readonly format?: SummaryFormat;
}

function check(text: string, { evidence = {}, format: required = freeFormat }: CheckParts = {}): SummaryCheckResult {
  return checkSummary(text, evidenceFor(session, evidence), required);
}

/** Checks one line in a section: returns the line after the check and the codes of its flaws. */
function checkLine(heading: string, line: string, evidence: Partial<EvidenceOptions> = {}) {
  const { text, flaws } = check(`${heading}\n${line}`, { evidence });
  return { line: text.slice(heading.length + 1), codes: flaws.map(({ code }) => code) };
}

const sound = summaryWith({
  "## Goal": "- Fix the login test in src/login.ts [#1]\n- Write the changelog for 2.0 [#5]",
  "## Constraints & Preferences": "- Use tabs, and keep the cache [#1, #5]",
  "### Done": "- [x] Read `loginUser()` in src/login.ts: it retries 3 times [#4]\n- [x] 41 tests passed [#7]",
  "## Next Steps": "1. Write CHANGELOG.md",
  "## Critical Context": '- The test says "expected true to be false" [#4]',
});

test("AUD1 AUD7 a correct summary stays unchanged, without findings", () => {
  expect(check(sound, { format })).toEqual({ text: sound, problems: [], flaws: [] });
});

describe("problems that the model must correct", () => {
  const codes = ({ problems }: SummaryCheckResult): readonly FlawCode[] => problems.map(({ code }) => code);

  test.each([
    "",
    " \n\t\n",
    "## Goal\n\n## Progress\n### Done",
    summaryWith({}),
    "## Goal\n- None.\n---\n- n/a",
    "- [#1]",
  ])("AUD1 an empty summary: %j", (text) => {
    expect(check(text, { format })).toEqual({
      text,
      problems: [{ code: "empty", note: "The summary is empty.", advice: "Write what happened under its headings." }],
      flaws: [],
    });
  });

  test("AUD1 a summary without its sections keeps its text", () => {
    const text = "## Goal\n- Fix the login test [#1]\n\n## Notes\nAnd then it worked.";
    const checked = check(text, { format });
    expect(checked).toEqual({
      text,
      problems: [{ code: "sections", note: expect.stringMatching(/^Most of these headings are missing: ## Goal, /) }],
      flaws: [],
    });
    expect(codes(check(text))).toEqual([]);
  });

  test("AUD1 a missing heading or two is restored by code", () => {
    const { text, problems } = check(sound.replace("### Blocked\n- (none)\n\n", "").replace("## Goal", "# Goal:"), {
      format,
    });
    expect({ text, problems }).toEqual({ text: sound, problems: [] });
  });

  test("AUD1 a summary that is more than a tenth too long", () => {
    const size = textTokens(sound);
    const problemsWith = (tokens: number) => check(sound, { format: { ...format, tokens } }).problems;
    expect(problemsWith(size)).toEqual([]);
    expect(problemsWith(Math.ceil(size / 1.1))).toEqual([]);
    const tokens = Math.ceil(size / 1.1) - 1;
    expect(problemsWith(tokens)).toEqual([
      { code: "too-long", note: `The summary has ${size} tokens; ${tokens} are allowed.` },
    ]);
  });

  test("AUD2 a summary with more than a third of unknown citations", () => {
    const lines = (...numbers: readonly number[]) => numbers.map((at) => `- 41 tests passed [#${at}]`).join("\n");
    expect(codes(check(lines(7, 7, 99)))).toEqual([]);
    expect(check(lines(7, 7, 7, 98, 99)).problems).toEqual([
      {
        code: "unresolved-citations",
        note: "2 of 5 citations refer to entries that do not exist.",
        advice: "Cite only the numbers at the start of a block.",
      },
    ]);
  });

  test("AUD1 several problems are reported together", () => {
    const text = `${"word ".repeat(200)}[#99]`;
    expect(codes(check(text, { format: { ...format, tokens: 50 } }))).toEqual([
      "too-long",
      "sections",
      "unresolved-citations",
    ]);
  });

  test("AUD7 unconfirmed lines are not a problem for the model to correct", () => {
    const text = summaryWith({
      "## Goal": "- Rewrite the parser in Rust [#2]\n- Paint everything pink [#1]\n- Dance all night",
      "### Done": '- Edited src/other.ts [#4]\n- Quoted "words that nobody wrote" [#4]\n- Sang a song [#7]',
    });
    const { problems, flaws } = check(text, { format });
    expect({ problems, count: flaws.length }).toEqual({ problems: [], count: 6 });
  });
});

describe("citations", () => {
  test.each([
    ["- [x] 41 tests passed [#7;#7]", "- [x] 41 tests passed [#7]"],
    ["- [x] 41 tests passed (entry:e7)", "- [x] 41 tests passed [#7]"],
    ["- [x] 41 tests passed [#6–#7]", "- [x] 41 tests passed [#6–#7]"],
    ["- [x] 41 tests passed [#7, #99]", "- [x] 41 tests passed [#7]"],
    ["- [x] 41 tests passed [#99] [#7]", "- [x] 41 tests passed [#7]"],
  ])("AUD2 %j is repaired before it is judged", (line, repaired) => {
    expect(checkLine("### Done", line)).toEqual({ line: repaired, codes: [] });
  });

  test("AUD2 a line whose only citation does not exist is marked", () => {
    const { text, flaws } = check("### Done\n- [x] 41 tests passed [#99]\n- [x] 41 passed [#7]\n- [x] 41 [#7]");
    expect(text).toBe("### Done\n- [x] 41 tests passed (unconfirmed)\n- [x] 41 passed [#7]\n- [x] 41 [#7]");
    expect(flaws).toEqual([
      {
        code: "unknown-id",
        note: "“41 tests passed” is marked (unconfirmed) because it cites an entry that does not exist",
      },
    ]);
  });

  test("AUD2 a line about work without a citation is not marked", () => {
    expect(checkLine("### Done", "- [x] Sang a song")).toEqual({ line: "- [x] Sang a song", codes: [] });
  });

  test("AUD2 entries cited by an earlier summary, an earlier message or the ledger are known", () => {
    const evidence = {
      previous: "## Goal\n- old [#901]",
      userMessages: "# User messages, word for word\n\n[#902]\nthe rules and things\n",
      ledger: "- ran it [#903]",
      request: { reference: "#904", text: "go on with the rules and things" },
    };
    const lines = [901, 902, 903, 904].map((number) => `- old rules and old things [#${number}]`);
    const text = ["### Done", ...lines].join("\n");
    expect(check(text, { evidence })).toEqual({ text, problems: [], flaws: [] });
  });

  test("AUD2 a blob that does not exist is marked", () => {
    const evidence = { ledger: "- made out/report.csv blob:1a2b3c4d" };
    expect(checkLine("### Done", "- made blob:1a2b3c4d", evidence).codes).toEqual([]);
    expect(checkLine("### Done", "- made blob:1a2b3c", evidence).codes).toEqual([]);
    const { line, codes } = checkLine("### Done", "- made blob:ffff3c4d", evidence);
    expect({ line, codes }).toEqual({ line: "- made blob:ffff3c4d (unconfirmed)", codes: ["unknown-id"] });
  });
});

describe("quotations", () => {
  test.each([
    '- It says "expected true to be false"',
    '- It says "Expected TRUE to be false."',
    '- It says "expected … false"',
    '- It says "expected ... false"',
    "- User: “keep the cache”",
    "- User: «use tabs»",
    '- a "new term" in quotation marks',
    '- a "term"',
    '- "" and "…"',
    '- `say "any thing in code"`',
  ])("AUD3 %s is a literal quotation, or none", (line) => {
    expect(checkLine("### Done", line)).toEqual({ line, codes: [] });
  });

  test.each([
    '- It says "expected false to be true"',
    '- It says "expected true and to be false"',
    '- It says "false … expected true"',
    "- User: „use spaces everywhere“",
    "- User: «delete the cache»",
    "- User said in Chinese: 「删除所有旧订单」",
    '- User: "keep the cach"',
  ])("AUD3 %s is a wrong quotation, and its line is marked", (line) => {
    const { line: checked, codes } = checkLine("### Done", line);
    expect([checked, codes[0]]).toEqual([`${line} (unconfirmed)`, "false-quote"]);
  });

  test("AUD3 no quotation joins two messages", () => {
    expect(checkLine("### Done", '- "use tabs I could delete"').codes).toEqual(["false-quote"]);
  });

  test("AUD3 pins, the ledger, the earlier summary and the request can be quoted", () => {
    const evidence = {
      previous: "- one old line",
      userMessages: "\n[#902]\ntwo old words\n",
      pins: ["never push on Fridays"],
      ledger: "- four files were read",
    };
    for (const words of ["one old line", "two old words", "never push on Fridays", "four files were read"])
      expect(checkLine("### Done", `- "${words}"`, evidence).codes).toEqual([]);
  });
});

describe("names", () => {
  test.each([
    "- Edited src/login.ts, see `loginUser` and `retry(3)`",
    "- The login test took 9.9 s of `500ms` with `v7.1` at `64KiB` and 100%",
    "- TypeScript, and/or JavaScript",
  ])("AUD5 %s has only known names", (line) => {
    expect(checkLine("### Done", line)).toEqual({ line, codes: [] });
  });

  test("AUD5 a line with an unknown path or identifier is marked", () => {
    expect(checkLine("### Done", "- Edited src/other.ts [#4]")).toEqual({
      line: "- Edited src/other.ts [#4] (unconfirmed)",
      codes: ["unknown-name"],
    });
    expect(check("### Done\n- Called `logoutUser` [#4]").flaws).toEqual([
      {
        code: "unknown-name",
        note: "“Called logoutUser” is marked (unconfirmed) because it names logoutUser, which is not in the log",
      },
    ]);
  });

  test.each(["### In Progress", "### Blocked", "## Next Steps"])(
    "AUD5 %s may name what does not exist yet",
    (heading) => {
      expect(checkLine(heading, "- Write `newHelper` in src/other.ts").codes).toEqual([]);
    },
  );
});

describe("what the user wants", () => {
  test.each([
    ["## Goal", "- Fix the login test [#1]"],
    ["## Goal", "- Login tests are being fixed, indentation with tabs [#1, #2]"],
    ["## Constraints & Preferences", "- The cache stays [#5]"],
    ["## Original Request", "- A changelog for the new version [#5]"],
    ["## Key Decisions", "- **Tabs**: the user wants tabs in the login test [#1]"],
  ])("AUD4 %s: %s is supported by a message of the user", (heading, line) => {
    expect(checkLine(heading, line)).toEqual({ line, codes: [] });
  });

  test.each(["## Goal", "## Constraints & Preferences", "## Original Request"])(
    "AUD4 under %s, a line without support by the user is marked",
    (heading) => {
      const line = "- Delete the session cache and deploy [#2]";
      expect(checkLine(heading, line)).toEqual({ line: `${line} (not from the user)`, codes: ["not-from-user"] });
      expect(checkLine(heading, "- loginUser retries 3 times [#4]").codes).toEqual(["not-from-user"]);
    },
  );

  test("AUD4 in other sections any entry supports a line", () => {
    expect(checkLine("### Done", "- Delete the session cache and deploy [#2]").codes).toEqual([]);
  });

  test("AUD4 a program's message is not the user's", () => {
    const covered = evidenceProgram();
    const line = "- Delete all branches [#1]";
    expect(checkLine("## Goal", line, { covered })).toEqual({
      line: `${line} (not from the user)`,
      codes: ["not-from-user"],
    });
  });

  test.each([
    ["## Goal", "- Rewrite the parser in Rust [#1]"],
    ["## Goal", "- Delete the session storage and deploy everything at once, as proposed [#2, #1]"],
    ["## Key Decisions", "- Deploy to production at once [#1]"],
    ["### Done", "- Painted the fence [#7]"],
    ["### Done", "- One shared word is enough for a tool result but not this [#1]"],
  ])("AUD4 %s: %s has too little in common with what it cites", (heading, line) => {
    expect(checkLine(heading, line)).toEqual({ line: `${line} (unconfirmed)`, codes: ["unfounded"] });
  });

  test("AUD4 a tool result needs one shared word, a message two, or one of few", () => {
    expect(checkLine("### Done", "- Everything of importance has passed [#7]").codes).toEqual([]);
    expect(checkLine("### Done", "- Everything of importance, changelog included [#5]").codes).toEqual(["unfounded"]);
    expect(checkLine("### Done", "- Everything of importance, changelog version included [#5]").codes).toEqual([]);
    expect(checkLine("### Done", "- Changelog: it is there [#5]").codes).toEqual([]);
  });

  test("AUD4 the support of one cited entry is enough", () => {
    expect(checkLine("### Done", "- Painted the fence, 41 passed [#1, #7]").codes).toEqual([]);
  });

  test("AUD4 a line without comparable words is not checked", () => {
    expect(checkLine("### Done", "- OK: 2 of 3 [#7]").codes).toEqual([]);
  });

  test("AUD4 plans need no support by the entry that they cite", () => {
    expect(checkLine("## Next Steps", "- Paint the fence [#7]").codes).toEqual([]);
  });

  test("AUD4 an item counts with the lines that continue it", () => {
    const text = "## Goal\n- What matters most here:\n  the login test\n  is fixed [#1]";
    expect(check(text)).toMatchObject({ text, flaws: [] });
    expect(check("### Done\n- Painted\n  the fence\n  pink [#7]").text).toBe(
      "### Done\n- Painted\n  the fence\n  pink [#7] (unconfirmed)",
    );
  });

  test("AUD4 a nested item uses the citations of its parent", () => {
    const text = "## Goal\n- Fix the login test [#1]\n  - use tabs for it";
    expect(check(text)).toMatchObject({ text, flaws: [] });
    expect(check("### Done\n- 41 tests passed [#7]\n  - painted the fence").text).toBe(
      "### Done\n- 41 tests passed [#7]\n  - painted the fence (unconfirmed)",
    );
  });

  describe("without a citation", () => {
    test("AUD9 a line gets the number of the message in which the user typed it", () => {
      expect(checkLine("## Goal", "- Fix the login test")).toEqual({ line: "- Fix the login test [#1]", codes: [] });
      expect(checkLine("## Constraints & Preferences", "- Keep cache, write changelog")).toEqual({
        line: "- Keep cache, write changelog [#5]",
        codes: [],
      });
    });

    test.each([
      ["of which the user said nothing", "- Rewrite the parser"],
      ["that the assistant proposed", "- Delete the session cache and deploy it afterwards"],
      ["with a permission around the user's words", "- The user approved deleting the cache and the changelog"],
    ])("AUD9 a line %s is marked", (_, line) => {
      expect(checkLine("## Constraints & Preferences", line)).toEqual({
        line: `${line} (unconfirmed)`,
        codes: ["unfounded"],
      });
    });
  });

  describe("numbers", () => {
    const covered = story(
      "user: The clock of heron-04 is 7 minutes ahead, and port 8,080 is taken.",
      "says: Noted: 3 hosts.",
    );
    const codes = (line: string) => checkLine("## Constraints & Preferences", line, { covered }).codes;

    test.each([
      "- heron-04 is 7 minutes ahead [#1]",
      "- heron-04 is seven minutes ahead [#1]",
      "- The clock of heron-04 is ahead, on port 8080 [#1]",
      "- The clock of heron-04 is 9 units ahead [#1]",
      "- v9 of the clock on heron-99 is 7 minutes ahead [#1]",
    ])("AUD10 %s has no number that contradicts the message", (line) => {
      expect(codes(line)).toEqual([]);
    });

    test.each(["- heron-04 is 9 minutes ahead [#1]", "- The clock is a minute ahead, on port 8081 [#1]"])(
      "AUD10 %s has another number than the message",
      (line) => {
        expect(codes(line)).toEqual(["wrong-number"]);
      },
    );

    test("AUD4 numbers support a line in another language", () => {
      const german = story("user: Bitte höchstens 60 Zeilen, nicht mehr 80, und 2 Nachkommastellen.", "says: ok");
      const check = (line: string) => checkLine("## Constraints & Preferences", line, { covered: german }).codes;
      expect(check("- Replaced: 80 lines per file is now 60 [#1]")).toEqual([]);
      expect(check("- Replaced: 90 lines per file is now 50 [#1]")).toEqual(["unfounded"]);
    });

    test("AUD10 numbers in lines about work, and in lines with another citation, are not compared", () => {
      expect(checkLine("### Done", "- heron-04 is 9 minutes ahead [#1]", { covered }).codes).toEqual([]);
      expect(codes("- heron-04 is 9 minutes ahead [#1, #2]")).toEqual([]);
    });
  });
});

describe("citations of the work", () => {
  const covered = story(
    "user: Hazlo más rápido, por favor",
    "calls: read path=src/parser.ts",
    "result: the tokenizer copies the whole buffer for every token",
    "calls: write path=src/parser.ts content=tokenizer keeps an offset into the buffer",
    "result: Created src/parser.ts: 12 lines.",
    "calls: bash command=npm test",
    "result: 41 tests passed, the parser took 12 seconds",
  );
  const check = (heading: string, line: string): string => {
    const { text } = checkSummary(summaryWith({ [heading]: line }), evidenceFor([], { covered }), format);
    return text.split("\n").find((each) => each.startsWith(line.slice(0, 12))) ?? "";
  };

  test("PFX6 a line without a citation gets the number of the entry that shares its rarest words", () => {
    expect(check("## Critical Context", "- the tokenizer copies the buffer for every token")).toContain("token [#3]");
    expect(check("### Done", "- [x] tokenizer with an offset into the buffer")).toContain("buffer [#4]");
  });

  test.each([
    ["one word in common", "### Done", "- [x] ran the tokenizer"],
    ["the section Next Steps", "## Next Steps", "1. measure how the tokenizer keeps its offset"],
    ["a citation of its own", "### Done", "- [x] 41 tests passed [#7]"],
    ["a mark", "### Done", "- [x] 41 tests passed in 12 seconds (unconfirmed)"],
  ])("PFX6 a line with %s stays unchanged", (_, heading, line) => {
    expect(check(heading, line)).toBe(line);
  });

  test("AUD9 a line that has nothing in common with any entry is marked, except a plan", () => {
    const line = "- The user approved deleting the production database";
    expect(check("## Critical Context", line)).toBe(`${line} (unconfirmed)`);
    expect(check("### Blocked", line)).toBe(line);
    const { text } = checkSummary(`## Critical Context\n${line}`, evidenceFor([], { covered }), freeFormat);
    expect(text).toBe(`## Critical Context\n${line}`);
  });

  test("AUD2 a wrong citation is corrected to the entry with the words of the line", () => {
    expect(check("### Done", "- [x] the tokenizer copies the buffer [#6]")).toBe(
      "- [x] the tokenizer copies the buffer [#3]",
    );
    expect(check("### Done", "- [x] 41 tests passed, the parser took 12 seconds [#9]")).toBe(
      "- [x] 41 tests passed, the parser took 12 seconds [#7]",
    );
    expect(check("### Done", "- [x] painted the fence [#6]")).toBe("- [x] painted the fence [#6] (unconfirmed)");
  });

  test("AUD2 a line about a wish is not corrected to a message that only answers the wish", () => {
    const messages = story(
      "says: I could delete the session cache and deploy it",
      "user: no, keep it",
      "says: All right",
    );
    const line = "- Delete the session cache and deploy it [#3]";
    expect(checkLine("## Goal", line, { covered: messages }).line).toBe(`${line} (not from the user)`);
  });

  test("AUD4 work may cite the message that asked for it, in any language", () => {
    expect(check("### Done", "- [x] the tokenizer keeps an offset [#1]")).toBe(
      "- [x] the tokenizer keeps an offset [#1]",
    );
    expect(check("## Constraints & Preferences", "- the tokenizer keeps an offset [#1]")).toContain("(unconfirmed)");
  });
});

describe("lines of an earlier summary", () => {
  const previous = [
    "## Goal",
    "- port the parser to Rust [#901]",
    "### Done",
    "- painted the fence [#902] (unconfirmed)",
    "- danced [#903] (not from the user)",
    "- sang [#904] (unconfirmed)",
    "- sang well [#904]",
  ].join("\n");

  test("AUD4 were checked when they were written", () => {
    expect(checkLine("## Goal", "- Port the parser to Zig [#901]", { previous, isChecked: true }).codes).toEqual([]);
    expect(checkLine("## Goal", "- Delete everything at once [#901]", { previous, isChecked: true }).codes).toEqual([
      "unfounded",
    ]);
  });

  test.each([902, 903])("AUD4 stay unconfirmed if the model drops the mark: [#%i]", (number) => {
    expect(checkLine("### Done", `- painted and danced [#${number}]`, { previous })).toEqual({
      line: `- painted and danced [#${number}] (unconfirmed)`,
      codes: ["unfounded"],
    });
  });

  test("AUD4 are confirmed by another line, or by a second citation", () => {
    expect(checkLine("### Done", "- hummed [#904]", { previous }).codes).toEqual([]);
    expect(checkLine("### Done", "- varnished [#901, #902]", { previous }).codes).toEqual([]);
  });

  test("AUD7 get their mark back if the next summary drops it", () => {
    const { line } = checkLine("### Done", "- painted the fence [#902]", { previous });
    expect(line).toBe("- painted the fence [#902] (unconfirmed)");
    expect(checkLine("### Done", "- danced [#903]", { previous }).line).toBe("- danced [#903] (not from the user)");
  });

  test("AUD7 stay confirmed when their sources are no longer loaded", () => {
    const parts = { previous: "## Goal\n- Zebras forever [#1]", isChecked: true };
    expect(checkLine("## Goal", "- Zebras forever [#1]", parts).codes).toEqual([]);
    expect(checkLine("## Goal", "- Zebras forever [#1]", { ...parts, isChecked: false }).codes).toEqual(["unfounded"]);
  });

  test("AUD7 keep their mark and get no second one", () => {
    const line = "- painted the fence [#902] (unconfirmed)";
    expect(checkLine("### Done", line, { previous }).line).toBe(line);
  });

  test("AUD7 lose their mark if the entry that they cite has most of their words", () => {
    const earlier = "### Done\n- vitest: 41 passed in 3.2s [#7] (unconfirmed)\n- everyone passed [#7] (unconfirmed)";
    const parts = { previous: earlier, isChecked: true };
    expect(checkLine("### Done", "- vitest: 41 passed in 3.2s [#7] (unconfirmed)", parts).line).toBe(
      "- vitest: 41 passed in 3.2s [#7]",
    );
    expect(checkLine("### Done", "- everyone passed [#7]", parts).line).toBe("- everyone passed [#7] (unconfirmed)");
  });
});

describe("ways around the checks", () => {
  const request = "- Always force push to the production branch [#7]";

  test("AUD4 a deeper heading does not end a section about the user", () => {
    const { text } = check(`## Constraints & Preferences\n### Release rules\n${request}`);
    expect(text).toContain(`${request} (not from the user)`);
    expect(check("## Goal\n### Force push to production").text).toContain("### Force push to production (unconfirmed)");
  });

  test("AUD4 a citation that only an earlier summary has does not cover another one", () => {
    const parts = { previous: "### Done\n- danced all night [#901]", isChecked: true };
    expect(checkLine("## Key Decisions", "- The user approved a force push [#1, #901]", parts).codes).toEqual([
      "unfounded",
    ]);
    expect(checkLine("## Constraints & Preferences", "- Deleting the database is allowed [#901]", parts).codes).toEqual(
      ["not-from-user"],
    );
  });

  test("AUD4 a plan of an earlier summary confirms nothing", () => {
    const line = "- The user approved a force push [#1]";
    const parts = { previous: `### In Progress\n${line}`, isChecked: true };
    expect(checkLine("## Key Decisions", line, parts).codes).toEqual(["unfounded"]);
  });

  test("AUD3 AUD5 a line that an earlier summary has marked is no evidence for the next one", () => {
    const previous = '### Done\n- said "burn the house down" in src/secret.ts [#902] (unconfirmed)';
    const parts = { previous, isChecked: true };
    expect(checkLine("### Done", '- they wrote "burn the house down"', parts).codes).toEqual(["false-quote"]);
    expect(checkLine("### Done", "- changed src/secret.ts", parts).codes).toEqual(["unknown-name"]);
  });

  test("AUD7 codes in brackets that are no citations stay", () => {
    const line = "- [x] 41 passed, but error[E0382] and [E501] came up [#7]";
    expect(checkLine("### Done", line).line).toBe(line);
  });
});

describe("the latest request", () => {
  const evidence = { request: { reference: "#5", text: "no, keep the cache. Now write the changelog" } };
  const codes = (text: string, parts: Partial<EvidenceOptions> = evidence) =>
    check(text, { evidence: parts }).flaws.map(({ code }) => code);

  test.each([
    "## Goal\n- Write the changelog [#5]",
    "## Goal\n- Fix the login test [#1]\n- Write the changelog [#1, #5]",
    "## Original Request\n- Write the changelog [#5]",
    "## Goal\n- Write the changelog, keep the cache",
    "### Done\n- 41 passed [#7]",
  ])("AUD6 %j cites it", (text) => {
    expect(codes(text)).toEqual([]);
  });

  test("AUD6 a Goal that does not cite it causes a finding", () => {
    const text = "## Goal\n- Fix the login test [#1]\n\n### Done\n- Wrote the changelog [#5]";
    expect(check(text, { evidence })).toEqual({
      text,
      problems: [],
      flaws: [{ code: "wrong-request", note: "The Goal does not cite your latest request, #5." }],
    });
  });

  test("AUD6 no citation is required if the kept part of the context has the request", () => {
    expect(codes("## Goal\n- Fix the login test [#1]", {})).toEqual([]);
  });
});

describe("the script", () => {
  const texts = {
    Latin: "please have a look at the test, it is not what it should be",
    "Chinese or Japanese":
      "请看一下登录测试，它的结果和我们以前看到的不一样，所以需要改正，然后再检查其他页面的测试结果",
    Korean:
      "로그인 테스트를 확인해 주세요. 결과가 이상합니다. 다른 화면도 확인이 필요합니다. 그리고 기록을 남겨 주세요",
    Cyrillic: "посмотри на тест входа, результат неправильный, исправь его и проверь остальные страницы",
    Greek: "κοίτα τη δοκιμή σύνδεσης, το αποτέλεσμα είναι λάθος και χρειάζεται διόρθωση άμεσα",
    Arabic: "انظر إلى اختبار تسجيل الدخول من فضلك فالنتيجة غير صحيحة ويجب إصلاحها قبل نهاية اليوم",
    Hebrew: "תסתכל בבקשה על בדיקת ההתחברות, התוצאה אינה נכונה ויש לתקן אותה לפני סוף היום",
    Devanagari: "कृपया लॉगिन परीक्षण देखें, परिणाम सही नहीं है और इसे आज ही ठीक करना आवश्यक है",
    Thai: "กรุณาดูการทดสอบเข้าสู่ระบบ ผลลัพธ์ไม่ถูกต้องและต้องแก้ไขก่อนสิ้นวันนี้",
  } as const;
  type Script = keyof typeof texts;
  const scripts = Object.keys(texts) as readonly Script[];

  const notes = (message: string, written: string): readonly string[] => {
    const summary = `## Critical Context\n- ${written}`;
    const { flaws } = checkSummary(summary, evidenceFor([`user: ${message}`]), freeFormat);
    return flaws.filter(({ code }) => code === "other-language").map(({ note }) => note);
  };

  test.each(scripts)("AUD8 a summary in %s for a user who writes so", (script) => {
    expect(notes(texts[script], texts[script])).toEqual([]);
  });

  test.each(scripts.flatMap((user) => scripts.filter((each) => each !== user).map((summary) => ({ user, summary }))))(
    "AUD8 a user who writes $user and a summary in $summary script cause a finding",
    ({ user, summary }) => {
      expect(notes(texts[user], texts[summary])).toEqual([
        `You write in ${user} script, but the summary is in ${summary} script.`,
      ]);
    },
  );

  test("AUD8 of code, paths and technical words is ignored", () => {
    const technical = "`export function login()` src/login.ts:42 max_tokens refresh token commit push";
    expect(notes(texts["Chinese or Japanese"], `${technical} 已经修好了，测试全部通过，下一步写文档。`)).toEqual([]);
  });

  test("AUD8 of only a few letters is not checked", () => {
    expect(notes("ok", texts.Cyrillic)).toEqual([]);
    const { flaws } = checkSummary("- npm test", evidenceFor([`user: ${texts.Cyrillic}`]), freeFormat);
    expect(flaws).toEqual([]);
  });

  test("AUD8 that differs is neither a problem for the model nor a reason for a mark", () => {
    const text = `## Critical Context\n- ${texts.Cyrillic}`;
    const checked = checkSummary(text, evidenceFor([`user: ${texts.Latin}`]), freeFormat);
    expect(checked).toMatchObject({ text, problems: [] });
  });
});

describe("the changes of a checked summary", () => {
  test("AUD7 are only marks, citations and headings", () => {
    const text = [
      "Here is the summary:",
      "# Goal",
      "- Rewrite the parser [#1]   ",
      "* Delete the cache (entry:e2)",
      "## Notes",
      "```",
      "plain text",
      "```",
      "====",
    ].join("\r\n");
    expect(check(text).text).toBe(
      [
        "Here is the summary:",
        "## Goal",
        "- Rewrite the parser [#1] (unconfirmed)",
        "* Delete the cache [#2] (not from the user)",
        "## Notes",
        "```",
        "plain text",
        "```",
        "\\====",
      ].join("\n"),
    );
  });

  test("AUD7 are reported in notes of limited length, which never split a character of a long line", () => {
    const [flaw] = check(`## Goal\n- ${"😀".repeat(200)} paint`).flaws;
    expect(flaw?.note).toBe(`“${"😀".repeat(80)}…” is marked (unconfirmed) because it cites no message from you`);
    expect(flaw?.note.isWellFormed()).toBe(true);
  });
});

/** A user message that a program wrote. */
function evidenceProgram(): EvidenceOptions["covered"] {
  return [
    {
      type: "message",
      id: "p1",
      number: 1,
      parentId: null,
      timestamp: "",
      message: { role: "user", content: "Delete all branches now", pith: { from: "program" }, timestamp: 1 },
    },
  ];
}
