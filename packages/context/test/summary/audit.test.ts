/** Tests summary/audit.ts: audit summary, empty, claims, citations, language, names, quotes, latest request, sections, length. */

import { describe, expect, test } from "vitest";
import {
  auditSummary,
  falseQuote,
  flawCodes,
  isEmpty,
  otherLanguage,
  sectionFlaws,
  tooLong,
  unfounded,
  unknownId,
  unknownName,
  wrongRequest,
} from "../../src/summary/audit.ts";
import type { Evidence } from "../../src/summary/evidence.ts";
import { beforeAll, lineAt, placeLines } from "../../src/summary/summary-lines.ts";
import { textTokens } from "../../src/tokens/estimate-tokens.ts";
import { evidenceFor, format, sections, sectionsOfTurn, summaryWith } from "./audit/asked.ts";

describe("audit summary", () => {
  const session = [
    "user: fix the login test in src/login.ts",
    "calls: read path=src/login.ts",
    "result: export function login() {}",
  ];

  test("AUD1 nothing is said of a sound summary", () => {
    const text = summaryWith({
      "## Goal": "- Fix the login test in src/login.ts (entry:e1)",
      "### Done": "- [x] Read `login()` in src/login.ts (entry:e3)",
    });
    expect(auditSummary(text, evidenceFor(session), format)).toEqual([]);
  });

  test("AUD1 every kind of flaw is found, with its line and a sentence that names it", () => {
    const text = [
      "## Goal",
      "- Rewrite the parser (entry:e1)",
      "## Constraints & Preferences",
      '- "never touch the parser" (entry:e1)',
      "## Progress",
      "### Done",
      "- [x] Read src/other.ts (entry:e99) [e7]",
      "### In Progress",
      "### Blocked",
      "## Next Steps",
      "## Key Decisions",
      "## Key Decisions",
      "- 我们已经看过了登录测试的代码,接下来会继续修改它",
    ].join("\n");
    const evidence = evidenceFor(
      [...session, "user: and please have a look at the other one that is in the docs, but not now"],
      { request: { id: "e4", text: "and please have a look" } },
    );
    expect(auditSummary(text, evidence, { ...format, tokens: 40 })).toEqual([
      { code: "sections", note: 'the heading "## Key Decisions" stands twice, again in line 12', line: 12 },
      { code: "sections", note: 'the heading "## Next Steps" in line 10 stands behind one that follows it', line: 10 },
      { code: "sections", note: 'the heading "## Critical Context" is missing', line: null },
      {
        code: "unfounded",
        note: "line 2 gives as the user's word what the cited messages do not say: Rewrite the parser",
        line: 2,
      },
      {
        code: "false-quote",
        note: 'line 4 quotes the user with words nobody typed: "never touch the parser"',
        line: 4,
      },
      {
        code: "unfounded",
        note: 'line 4 gives as the user\'s word what the cited messages do not say: "never touch the parser"',
        line: 4,
      },
      { code: "unknown-id", note: "line 7 cites what does not exist: e99, [e7]", line: 7 },
      { code: "unknown-name", note: "line 7 names what does not occur in the log: src/other.ts", line: 7 },
      { code: "wrong-request", note: "the Goal does not cite the user's latest request, entry:e4", line: null },
      { code: "too-long", note: "the summary has 98 tokens, 40 are allowed", line: null },
      {
        code: "other-language",
        note: "the user writes English, the summary is in Chinese: only its headings are English",
        line: null,
      },
    ]);
  });

  test("AUD1 of an empty summary nothing else is said", () => {
    expect(auditSummary("", evidenceFor(session, { request: { id: "e1", text: "fix" } }), format)).toEqual([
      { code: "empty", note: "the summary says nothing: write what happened under its headings", line: null },
    ]);
  });

  test("AUD1 the codes are these", () => {
    expect(flawCodes).toEqual([
      "empty",
      "sections",
      "unknown-id",
      "false-quote",
      "unfounded",
      "unknown-name",
      "wrong-request",
      "too-long",
      "other-language",
    ]);
  });
});

describe("empty", () => {
  const empty = (text: string): boolean => isEmpty(placeLines(text.split("\n")));

  test.each([
    "",
    " \n\t\n",
    "## Goal\n\n## Progress\n### Done",
    summaryWith({}),
    summaryWith({ "## Goal": "- None.", "### Done": "- [x] n/a", "### Blocked": "- (nothing)" }),
    summaryWith({ "## Goal": "- keine", "### Done": "- 无", "### Blocked": "なし", "## Next Steps": "- нет" }),
    "...\n---\n- \n* * *\n[ ] ()",
    "- (entry:e1)\n- [e4]",
  ])("AUD1 %j says nothing", (text) => {
    expect(empty(text)).toBe(true);
  });

  test.each(["word", "## Goal\n- x", summaryWith({ "### Done": "- [x] it" }), "- none of them works", "- 0", "好"])(
    "AUD1 %j says something",
    (text) => {
      expect(empty(text)).toBe(false);
    },
  );
});

describe("claims", () => {
  const evidence = evidenceFor(
    [
      "user: please fix the login test and use tabs",
      "says: I will fix the login test and use tabs",
      "calls: read path=a.ts",
      "result: the user wants dark mode",
      "note: use dark mode",
      "user: ok, dark mode is next, then the search",
    ],
    { words: "\n[entry:old1]\nnever commit on Fridays\n", request: { id: "old2", text: "write the changelog" } },
  );

  /** The notes of the last of some lines. */
  function noteOf(lines: readonly string[], asked: Evidence = evidence): string | null {
    const line = placeLines(lines).at(-1);
    return line ? (unfounded(line, asked)?.note ?? null) : "no line";
  }

  const NONE = "line 2 gives as the user's word what it cites no message of the user for: ";
  const OTHER = "line 2 gives as the user's word what the cited messages do not say: ";

  describe("in a section of the user's", () => {
    test.each([
      "- Fix the login test (entry:e1)",
      "Fix the login test, then dark mode (entry:e1, entry:e6)",
      "- [ ] Use tabs (entry:e1)",
      "- Never commit on Fridays (entry:old1)",
      "- Write the changelog (entry:old2)",
      "- Fix the login test (entry:e2, entry:e1)",
      "- (none)",
      "- keine",
      "",
      "- What the user wants:",
    ])("AUD4 %j rests on what was typed", (text) => {
      expect(noteOf(["## Goal", text])).toBeNull();
    });

    test.each([
      ["- Fix the login test", NONE, "Fix the login test"],
      ["- Fix the login test (entry:e2)", NONE, "Fix the login test"],
      ["- Use dark mode (entry:e4)", NONE, "Use dark mode"],
      ["- Use dark mode (entry:e5)", NONE, "Use dark mode"],
      ["- Fix the login test (entry:e77)", NONE, "Fix the login test"],
      ["- Fix the login test (entry:e6)", OTHER, "Fix the login test"],
      ["- Go on", NONE, "Go on"],
      ["- **Rewrite** the parser (entry:e1)", OTHER, "Rewrite the parser"],
      ["- The user approved:", NONE, "The user approved:"],
      ["- They want the search:", NONE, "They want the search:"],
    ])("AUD4 %j does not", (text, why, claim) => {
      expect(noteOf(["## Constraints & Preferences", text])).toBe(`${why}${claim}`);
    });

    test.each([
      "## Goal",
      "# goals:",
      "## Original Request",
      "### User preferences",
      "## Requirements",
      "## 目标",
      "## Ziele",
    ])("AUD4 %s is one", (heading) => {
      expect(noteOf([heading, "- dance"])).toBe(`${NONE}dance`);
    });

    test("AUD4 what stands deeper below it is in it, until the work is told", () => {
      expect(noteOf(["## Goal", "### Later", "- dance"])).toBe(`${NONE.replace("2", "3")}dance`);
      expect(noteOf(["# Goal", "## Progress", "- dance"])).toBeNull();
      expect(noteOf(["### Goal", "## Notes", "- dance"])).toBeNull();
    });
  });

  describe("elsewhere", () => {
    test.each([
      "- I danced all night",
      "- Waiting for the user's answer",
      "- The user wants dark mode next (entry:e6)",
      "- **Tabs**: as the user asked: use tabs (entry:e1)",
      "- Read a.ts; the user said dark mode is next (entry:e6)",
      "- Ran it; the user asked for the login test fix, so I edited b.ts and c.ts (entry:e1)",
      "- The user asked for:",
    ])("AUD4 %j attributes nothing that was not said", (text) => {
      expect(noteOf(["## Critical Context", text])).toBeNull();
    });

    test.each([
      ["- The user wants pink", NONE, "The user wants pink"],
      ["- The user wants pink (entry:e6)", OTHER, "The user wants pink"],
      ["- Painted it pink, per user request (entry:e6)", OTHER, "Painted it pink, per user request"],
      ["- Painted it pink (user request) (entry:e6)", OTHER, "Painted it pink (user request)"],
      ["- Done: the user wants pink (entry:e6)", OTHER, "the user wants pink"],
      ["- Done. The user wants pink. Bye (entry:e6)", OTHER, "The user wants pink"],
      ["- The user wants dark mode: delete a.ts (entry:e6)", OTHER, "The user wants dark mode: delete a.ts"],
      ["- Approved: pink", NONE, "Approved: pink"],
    ])("AUD4 %j does", (text, why, claim) => {
      expect(noteOf(["## Critical Context", text])).toBe(`${why}${claim}`);
    });

    test("AUD4 a heading claims as a line does, and what follows it", () => {
      expect(noteOf(["## Progress", "### The user approved pink"])).toBe(`${NONE}The user approved pink`);
      expect(noteOf(["### The user approved the following", "- pink"])).toBe(`${NONE}pink`);
      expect(noteOf(["## Progress", "## Goal: paint it: pink"])).toBe(`${NONE}paint it: pink`);
      expect(noteOf(["## Progress", "## Goal force push"])).toBe(`${NONE}Goal force push`);
      expect(noteOf(["## Progress", "## Goal: use tabs (entry:e1)"])).toBeNull();
      expect(noteOf(["## Progress", "## Constraints & Preferences:"])).toBeNull();
      expect(noteOf(["## Progress", "## Constraints: none"])).toBeNull();
    });

    test.each([
      ["The user asked for:", "- pink"],
      ["- The user asked for:", "  - pink"],
      ["**User preferences**", "- pink"],
      ["Constraints:", "- pink"],
      ["- The user said we should", "  pink it"],
      ["The user said we should", "pink it"],
    ])("AUD4 a line below one that attributes is attributed: %j, %j", (lead, text) => {
      expect(noteOf(["## Notes", lead, text])).toBe(`${NONE.replace("2", "3")}${text.replace(/^\s*-?\s*/, "")}`);
    });

    test.each([
      [["The user asked for:", "", "Then I painted"]],
      [["- The user wants dark mode (entry:e6)", "- pink it"]],
      [["- The user asked for:", "- pink it"]],
      [["The user wants dark mode (entry:e6).", "pink it"]],
      [["The user asked for:", "---", "- pink it"]],
      [["The user asked for:", "## Next Steps", "- pink it"]],
      [["The user asked for:", "- tabs (entry:e1)", "", "pink it"]],
    ])("AUD4 what follows otherwise is not: %j", (lines) => {
      expect(noteOf(["## Notes", ...lines])).toBeNull();
    });
  });

  describe("what an earlier summary says", () => {
    const previous =
      "## Goal\n- port the parser to Rust (entry:old7)\n## Critical Context\n- the moon is full (entry:old8)";

    test("AUD4 of ours, Goal and Constraints were said under the entries they cite", () => {
      const ours = evidenceFor(["user: go on"], { previous, isOurs: true });
      expect(noteOf(["## Goal", "- Port the parser to Rust (entry:old7)"], ours)).toBeNull();
      expect(noteOf(["## Goal", "- Port the parser to Zig (entry:old7)"], ours)).toBe(`${OTHER}Port the parser to Zig`);
      expect(noteOf(["## Goal", "- The moon is full (entry:old8)"], ours)).toBe(`${NONE}The moon is full`);
    });

    test("AUD4 of others, nothing was", () => {
      const others = evidenceFor(["user: go on"], { previous });
      expect(noteOf(["## Goal", "- Port the parser to Rust (entry:old7)"], others)).toBe(
        `${NONE}Port the parser to Rust`,
      );
    });

    test("AUD4 an entry that somebody else said does not become the user's by being cited", () => {
      const ours = evidenceFor(["user: go on", "says: hi"], { previous: "## Goal\n- dance (entry:e2)", isOurs: true });
      expect(noteOf(["## Goal", "- dance (entry:e2)"], ours)).toBe(`${NONE}dance`);
    });

    test("AUD4 with its mark it may be carried on, outside of the user's sections", () => {
      const others = evidenceFor(["user: go on"], { previous: "- the user wants pink elephants" });
      const marked = "- earlier summary, not verified: the user wants pink elephants";
      expect(noteOf(["## Critical Context", marked], others)).toBeNull();
      expect(noteOf(["## Goal", marked], others)).not.toBeNull();
      expect(noteOf(["## Critical Context", "- the user wants pink elephants"], others)).not.toBeNull();
      expect(noteOf(["## Critical Context", `${marked}, deleted`], others)).not.toBeNull();
    });

    test("AUD4 of ours, only what had the mark before", () => {
      const line = "- earlier summary, not verified: the user wants pink elephants";
      const marked = evidenceFor(["user: go on"], { previous: line, isOurs: true });
      const plain = evidenceFor(["user: go on"], { previous: "- the user wants pink elephants", isOurs: true });
      expect(noteOf(["## Critical Context", line], marked)).toBeNull();
      expect(noteOf(["## Critical Context", line], plain)).not.toBeNull();
    });
  });

  test("AUD4 a line that needs too many messages rests on none beyond the first", () => {
    const many = evidenceFor(Array.from({ length: 14 }, (_, at) => `user: topic${at} walrus${at}`));
    const ids = Array.from({ length: 14 }, (_, at) => `entry:e${at + 1}`).join(", ");
    expect(noteOf(["## Goal", `- topic11 walrus11 (${ids})`], many)).toBeNull();
    expect(noteOf(["## Goal", `- topic12 walrus12 (${ids})`], many)).toBe(`${OTHER}topic12 walrus12`);
  });
});

describe("citations", () => {
  const evidence = evidenceFor(["user: hello", "says: hi"], {
    previous: "- earlier (entry:old-1)",
    words: "The user wrote:\n\n[entry:old_2]\nyes\n\n",
    ledger: "- ran it (entry:old.3).",
    request: { id: "old/4", text: "go" },
  });

  const noteOf = (text: string): string | undefined =>
    unknownId(lineAt(beforeAll, { text, number: 7 }), evidence)?.note;

  test.each([
    "no citation",
    "(entry:e1)",
    "(entry:e1, entry:e2)",
    "( entry:e1 ,entry:e2 )",
    "see entry:e1.",
    "**entry:e2**",
    "(Entry:e1)",
    "(entry:old-1) (entry:old_2) (entry:old.3) (entry:old/4)",
    "a sentry:box is no citation",
    "[x] [ ] [1] [e] [link](a)",
  ])("AUD2 %j cites what exists", (text) => {
    expect(noteOf(text)).toBeUndefined();
  });

  test.each([
    ["(entry:e3)", "e3"],
    ["(entry:e1, entry:e9, entry:zz)", "e9, zz"],
    ["(entry:E1)", "E1"],
    ["entry:e11", "e11"],
    ["fixed [e1]", "[e1]"],
    ["fixed [e1, e2] (entry:nope)", "nope, [e1, e2]"],
    ["entry:1 entry:2 entry:3 entry:4 entry:5 entry:6", "1, 2, 3, 4, 5"],
  ])("AUD2 %j cites what does not exist: %s", (text, ids) => {
    expect(noteOf(text)).toBe(`line 7 cites what does not exist: ${ids}`);
  });
});

describe("language", () => {
  const typed = {
    English: "please have a look at the test, it is not what it should be",
    German: "bitte schau dir den Test an, der ist nicht so, wie er sein soll",
    Spanish: "mira la prueba por favor, no es como las que hay en el otro lado",
    French: "regarde le test, il est dans les sources et ce n'est pas bon pour nous",
    Portuguese: "olha o teste em questão, não está como os outros que são do sistema",
    Chinese: "请看一下测试,结果不对",
    Japanese: "テストを見てください。結果がおかしいです",
    Korean: "테스트를 확인해 주세요. 결과가 이상합니다",
    Russian: "посмотри на тест, результат неправильный",
    Arabic: "انظر إلى الاختبار من فضلك",
    Hindi: "कृपया परीक्षण देखें",
  } as const;

  type Name = keyof typeof typed;

  const names = Object.keys(typed) as readonly Name[];

  function notesOf(said: readonly string[], written: string): readonly string[] {
    const lines = placeLines(summaryWith({ "## Goal": `- ${written} (entry:e1)` }).split("\n"));
    const evidence = evidenceFor(said.map((text) => `user: ${text}`));
    return otherLanguage({ story: "", lines, evidence, format }).map(({ note }) => note);
  }

  test.each(names)("AUD8 %s for %s", (name) => {
    expect(notesOf([typed[name]], typed[name])).toEqual([]);
  });

  test.each(names.flatMap((spoken) => names.filter((name) => name !== spoken).map((written) => ({ spoken, written }))))(
    "AUD8 who writes $spoken gets no $written",
    ({ spoken, written }) => {
      expect(notesOf([typed[spoken]], typed[written])).toHaveLength(1);
    },
  );

  test("AUD8 the note names both languages", () => {
    expect(notesOf([typed.German], typed.English)).toEqual([
      "the user writes German, the summary is in English: only its headings are English",
    ]);
    expect(notesOf([typed.Chinese], typed.Russian)).toEqual([
      "the user writes Chinese, the summary is in Cyrillic: only its headings are English",
    ]);
  });

  test("AUD8 what was pasted, quoted or is code says nothing of a language", () => {
    const log = "Error: the file is not there and it should have been in the folder of the user\n".repeat(40);
    expect(notesOf([`看看这个错误\n${log}是什么原因`], typed.Chinese)).toEqual([]);
    expect(notesOf([typed.German], `${typed.German} "the file is not there and it should be in the folder"`)).toEqual(
      [],
    );
    expect(notesOf([typed.Chinese], "修好了 `src/the/and.ts` and_of_the/to.ts 里的测试问题")).toEqual([]);
  });

  test("AUD8 where it cannot be told, anything goes", () => {
    expect(notesOf([], typed.German)).toEqual([]);
    expect(notesOf(["ok"], typed.German)).toEqual([]);
    expect(notesOf([typed.German], "npm test")).toEqual([]);
    expect(notesOf([typed.German, typed.English], typed.Spanish)).toEqual([]);
    expect(notesOf([typed.German, typed.Chinese], typed.Spanish)).toEqual([]);
  });

  test("AUD8 most messages decide", () => {
    expect(notesOf([typed.German, typed.German, typed.English], typed.English)).toHaveLength(1);
    expect(notesOf([typed.German, typed.English, typed.English], typed.English)).toEqual([]);
  });
});

describe("names", () => {
  const evidence = evidenceFor(
    [
      "user: look at src/auth/login.ts and the `retryLimit` in config.yaml, see https://docs.test/guide/start?x=1",
      "thinks: perhaps secretThought helps",
      "calls: edit path=packages/web/src/index.tsx newText=const\\nmaxRetries",
      'result: fixed in 3f2a91c4d5e6f708192a3b4c5d6e7f8091a2b3c4, v2.10.3, PROJ-42, #77, C:\\work\\tool.ps1, {"key":"a\\nsnake_case"}',
      "bash: npm run build --workspace=web -> done in out/bundle.js",
      "left: branch about orphan.go",
    ],
    {
      previous: "earlier work in legacy/old_module.py",
      words: "\n[entry:old1]\ncheck notes.txt\n",
      pins: ["never edit pinned.cfg"],
      ledger: "- ran tests/unit.rs",
      request: { id: "old2", text: "open request.md" },
    },
  );

  const noteOf = (text: string): string | undefined =>
    unknownName(lineAt(beforeAll, { text, number: 3 }), evidence)?.note;

  test.each([
    "src/auth/login.ts",
    "./src/auth/login.ts",
    "login.ts and auth/login.ts",
    "/home/me/project/src/auth/login.ts",
    "src/auth/login.ts:42:7, (login.ts:42) **login.ts**. `login.ts`",
    "src/login.ts#L10-L20",
    "config.yaml",
    "`retryLimit` retryLimit() retryLimits",
    "packages/web/src/index.tsx",
    "maxRetries",
    "secretThought",
    "3f2a91c and 3f2a91c4d5",
    "v2.10.3 or 2.10.3",
    "PROJ-42, #77",
    "C:\\work\\tool.ps1 or work/tool.ps1",
    "snake_case",
    "`npm run build`",
    "--workspace",
    "out/bundle.js",
    "orphan.go",
    "legacy/old_module.py notes.txt pinned.cfg tests/unit.rs request.md",
    "https://docs.test/guide/start",
    "TypeScript, GitHub, Node.js, PostgreSQL, macOS and JavaScript need no one",
    "and/or, CI/CD, I/O, TCP/IP, 24/7, read/write, e.g. this, i.e. that, p.m., U.S.",
    "UTF-8, SHA-256, 3.5 seconds, 100 %, step-by-step, 12:30",
    "plain words and (entry:nowhere) [e99]",
    "修改了src/auth/login.ts文件",
    "",
  ])("AUD5 %j names what is there", (text) => {
    expect(noteOf(text)).toBeUndefined();
  });

  test.each([
    ["src/auth/logout.ts", "src/auth/logout.ts"],
    ["src/login/auth.ts", "src/login/auth.ts"],
    ["login.js", "login.js"],
    ["`retryCount`", "retryCount"],
    ["getUser() and set_user", "getUser, set_user"],
    ["https://docs.test/other", "https://docs.test/other"],
    ["https://evil.test/guide/start", "https://evil.test/guide/start"],
    ["9f2a91c", "9f2a91c"],
    ["v2.10.4", "v2.10.4"],
    ["2.11.3", "2.11.3"],
    ["PROJ-43 #78", "PROJ-43, #78"],
    ["--force", "--force"],
    ["@scope/pkg", "@scope/pkg"],
    ["$SECRET_KEY", "$SECRET_KEY"],
    ["`rm -rf everything`", "rm -rf everything"],
    ["ConfigLoader.open", "ConfigLoader.open"],
    [".env.local", ".env.local"],
    ["修改了src/else.ts文件", "src/else.ts"],
    ["a1.ts a2.ts a3.ts a4.ts a5.ts a6.ts", "a1.ts, a2.ts, a3.ts, a4.ts, a5.ts"],
  ])("AUD5 %j does not: %s", (text, names) => {
    expect(noteOf(text)).toBe(`line 3 names what does not occur in the log: ${names}`);
  });

  test("AUD5 a heading names nothing", () => {
    expect(noteOf("### src/else.ts")).toBeUndefined();
  });

  test("AUD5 ids, times and bytes of images are no names", () => {
    const image = { type: "image" as const, data: "fakeImageBytes", mimeType: "image/png" };
    const asked = evidenceFor([], {
      covered: [
        {
          type: "message",
          id: "someEntryId",
          parentId: "someParentId",
          timestamp: "2026",
          message: { role: "user", content: [image, { type: "text", text: "seenText" }], timestamp: 1 },
        },
      ],
    });
    const unknown = unknownName(
      lineAt(beforeAll, { text: "someEntryId someParentId fakeImageBytes seenText", number: 1 }),
      asked,
    );
    expect(unknown?.note).toBe(
      "line 1 names what does not occur in the log: someEntryId, someParentId, fakeImageBytes",
    );
  });
});

describe("quotes", () => {
  const evidence = evidenceFor(
    [
      "user: Please don't   touch the `payment` code.\nUse <b>bold</b> for [totals]; it's “important”!",
      "says: I will delete the cart then",
      "user: 不要删除旧订单。先写测试",
      "note: a program says hello there",
      "user: keep the old words",
      "edits e5: use the new words",
    ],
    {
      words: "The user wrote:\n\n[entry:old1]\nnever push on Fridays\n\n[entry:old2]\ntabs it is\n\n",
      request: { id: "old3", text: "write the changelog" },
    },
  );
  const edited = evidenceFor(["user: keep the old words", "edits e1: use the new words"], {
    edits: [
      {
        type: "context_edit",
        id: "e2",
        parentId: "e1",
        timestamp: "",
        targetId: "e1",
        replacement: { content: "use the new words" },
      },
    ],
  });

  function wrong(text: string, { heading = "## Goal", asked = evidence } = {}): string | null {
    const line = placeLines([heading, text])[1];
    return line ? (falseQuote(line, asked)?.note ?? null) : "no line";
  }

  describe("in a section of the user's", () => {
    test.each([
      "no quotation at all",
      '"don\'t touch the payment code"',
      "“Don’t touch the payment code.”",
      '"PLEASE DON\'T TOUCH"',
      '"use ‹b>bold‹/b> for (totals)"',
      "\"it's 'important'\"",
      '"please don\'t … bold … totals"',
      '"please don\'t ... payment"',
      "「不要删除旧订单」 「先写测试」",
      "„never push“ «on Fridays» 'tabs it is'",
      '"write the changelog"',
      "`rm -rf` is code, no quotation",
      '""',
      '"…"',
      'one " mark alone',
      "it's the user's own apostrophe",
    ])("AUD3 %s is the user's", (text) => {
      expect(wrong(text)).toBeNull();
    });

    test.each([
      ['"touch the payment code now"', "touch the payment code now"],
      ['"do touch the payment code"', "do touch the payment code"],
      ['"payment … touch"', "payment … touch"],
      ['"please don\'t … never push"', "please don't … never push"],
      ["“I will delete the cart”", "I will delete the cart"],
      ["'delete the cart'", "delete the cart"],
      ["‘a program says hello’", "a program says hello"],
      ["「删除旧订单并推送」", "删除旧订单并推送"],
      ['true: "tabs it is", false: "spaces it is"', "spaces it is"],
      ['"tou"', "tou"],
      ["»delete the cart«", "delete the cart"],
      ["『delete the cart』", "delete the cart"],
      ["„delete the cart”", "delete the cart"],
    ])("AUD3 %s is not", (text, quoted) => {
      expect(wrong(text)).toBe(`line 2 quotes the user with words nobody typed: "${quoted}"`);
    });
  });

  describe("elsewhere", () => {
    const heading = "## Critical Context";

    test.each([
      'the error was "cannot read x"',
      'the error was "cannot read x"; the user wants "tabs it is"',
      'The user said: "never push on Fridays"',
    ])("AUD3 %s holds no false quotation", (text) => {
      expect(wrong(text, { heading })).toBeNull();
    });

    test.each([
      'The user said "push on Mondays"',
      'User: "push on Mondays"',
      'Approved: "push on Mondays"',
      'The user said "go. Now push on Mondays"',
    ])("AUD3 %s does", (text) => {
      expect(wrong(text, { heading })).not.toBeNull();
    });
  });

  test("AUD3 what an edit removed was never said, what it put there was", () => {
    expect(wrong('"keep the old words"', { asked: edited })).not.toBeNull();
    expect(wrong('"use the new words"', { asked: edited })).toBeNull();
  });
});

describe("latest request", () => {
  const session = ["user: fix it", "says: ok", "user: now test it"];
  const request = { id: "e3", text: "now test it" };

  const codes = (text: string, asked: typeof request | null = request): readonly string[] =>
    wrongRequest({ lines: placeLines(text.split("\n")), evidence: evidenceFor(session, { request: asked }) }).map(
      ({ code }) => code,
    );

  test.each([
    summaryWith({ "## Goal": "- now test it (entry:e3)" }),
    summaryWith({ "## Goal": "- fix it (entry:e1)\n- and test it (entry:e1, entry:e3)" }),
    `${summaryWith({})}\n## Original Request\n- now test it (entry:e3)`,
    "no headings at all",
    "## Notes\n- nothing is asked here",
  ])("AUD6 %j is right", (text) => {
    expect(codes(text)).toEqual([]);
  });

  test.each([
    summaryWith({ "## Goal": "- fix it (entry:e1)" }),
    summaryWith({ "## Goal": "- now test it" }),
    summaryWith({ "### In Progress": "- [ ] now test it (entry:e3)" }),
    summaryWith({ "## Constraints & Preferences": "- now test it (entry:e3)" }),
    summaryWith({ "## Goal": "- (entry:e33)" }),
  ])("AUD6 %j is not", (text) => {
    expect(codes(text)).toEqual(["wrong-request"]);
  });

  test("AUD6 where the tail says it, the Goal need not", () => {
    expect(codes(summaryWith({}), null)).toEqual([]);
  });
});

describe("sections", () => {
  const flawsOf = (text: string, required = sections) => sectionFlaws(placeLines(text.split("\n")), required);

  test("AUD1 a summary with all headings in order has no flaw", () => {
    expect(flawsOf(summaryWith({}))).toEqual([]);
    expect(flawsOf(sectionsOfTurn.join("\n"), sectionsOfTurn)).toEqual([]);
  });

  test("AUD1 case, colon, emphasis, level and `and` make no difference", () => {
    const text = sections
      .map((heading) => heading.replace("## Goal", "# **goal**:").replace("&", "and").replace("### Done", "## DONE ##"))
      .join("\r\n");
    expect(flawsOf(text)).toEqual([]);
  });

  test("AUD1 more headings than required are no flaw", () => {
    expect(flawsOf(`# Summary\n${summaryWith({ "## Goal": "x\n### Scope\ny" })}\n## Notes`)).toEqual([]);
  });

  test("AUD1 missing, doubled and misplaced headings are named", () => {
    const text = ["## Progress", "## Goal", "### Done", "## Progress", "## Goal", "## Progress"].join("\n");
    expect(flawsOf(text, ["## Goal", "## Progress", "### Done", "## Next Steps"])).toEqual([
      { code: "sections", note: 'the heading "## Goal" stands twice, again in line 5', line: 5 },
      { code: "sections", note: 'the heading "## Progress" stands twice, again in line 4', line: 4 },
      { code: "sections", note: 'the heading "## Progress" in line 1 stands behind one that follows it', line: 1 },
      { code: "sections", note: 'the heading "## Next Steps" is missing', line: null },
    ]);
  });

  test("AUD1 without a required heading nothing is required", () => {
    expect(flawsOf("anything", [])).toEqual([]);
  });
});

describe("length", () => {
  const story = "a few words that are counted";
  const tokens = textTokens(story);

  test("AUD1 as many tokens as are allowed are not too many, one more is", () => {
    expect(tooLong({ story, format: { sections: [], tokens } })).toEqual([]);
    expect(tooLong({ story, format: { sections: [], tokens: tokens - 1 } })).toEqual([
      { code: "too-long", note: `the summary has ${tokens} tokens, ${tokens - 1} are allowed`, line: null },
    ]);
  });
});
