/** Proves which lines need a message of the user to rest on, and what is said of those that have none. */

import { describe, expect, test } from "vitest";
import { unfounded } from "../../../../src/summary/auditing/checks/footing.ts";
import type { Evidence } from "../../../../src/summary/auditing/evidence.ts";
import { placeLines } from "../../../../src/summary/auditing/story/place-lines.ts";
import { evidenceFor } from "../asked.ts";

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
