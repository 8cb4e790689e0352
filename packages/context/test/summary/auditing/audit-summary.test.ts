/** Proves what an audit says of a whole summary, in which order, and when it says nothing. */

import { expect, test } from "vitest";
import { auditSummary } from "../../../src/summary/auditing/audit-summary.ts";
import { flawCodes } from "../../../src/summary/auditing/flaw.ts";
import { evidenceFor, format, summaryWith } from "./asked.ts";

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
