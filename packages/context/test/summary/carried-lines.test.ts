/** Tests summary/carried-lines.ts: which sentences lines carry over, what remains of a message, and which lines are put back. */

import { describe, expect, test } from "vitest";
import {
  compareLines,
  createCarryCheck,
  findCarryingLines,
  putBackLines,
  removeCarriedSentences,
  splitSentences,
} from "../../src/summary/carried-lines.ts";
import { textTokens } from "../../src/tokens/estimate-tokens.ts";

/** A summary with these lines under Constraints. */
const summarize = (...lines: readonly string[]): string =>
  `## Goal\n- build the tool [#1]\n\n## Constraints & Preferences\n${lines.map((line) => `- ${line}`).join("\n") || "- (none)"}\n\n## Progress\n- (none)\n\n## Key Decisions\n- (none)`;

const isCarried = (sentence: string, ...lines: readonly string[]): boolean =>
  createCarryCheck(summarize(...lines))("#5", [sentence])[0] === true;

describe("a sentence", () => {
  test.each([
    ["in the same words", "Never add npm dependencies.", "never add npm dependencies [#5]"],
    ["reworded", "Tests are named *.spec.mjs and live in spec/.", "tests live in spec/, named `*.spec.mjs` [#5]"],
    ["in German", "Fehlermeldungen gehen nach stderr.", "Fehlermeldungen immer nach stderr [#5]"],
    ["in Chinese", "所有日期都写成 2026-11-20 这种格式。", "日期都写成 2026-11-20 这种格式 [#5]"],
    ["of one short word", "Use tabs.", "use tabs, not spaces [#5]"],
  ])("KEEP9 is carried over by a line %s", (_, sentence, line) => {
    expect(isCarried(sentence, line)).toBe(true);
  });

  test("KEEP9 may be divided among lines", () => {
    const sentence = "All code is .mjs under lib/, the entry is bin/logmill.mjs, and there are no default exports.";
    expect(isCarried(sentence, "code is .mjs under lib/, entry bin/logmill.mjs [#5]", "no default exports [#5]")).toBe(
      true,
    );
  });

  test.each([
    ["another rule with some of its words", "Never use default exports in tests.", "tests never use snapshots [#5]"],
    ["another number", "The clock is 7 minutes ahead.", "the clock is 9 minutes ahead [#5]"],
    ["half of it", "Exit with 2 on wrong usage and print the usage to stderr.", "print the usage [#5]"],
    ["the same verb", "Drop CSV.", "drop the cache [#5]"],
    ["another language", "Never add dependencies.", "niemals Abhängigkeiten hinzufügen [#5]"],
    ["another citation", "Never add npm dependencies.", "never add npm dependencies [#6]"],
  ])("KEEP9 is not carried over by %s", (_, sentence, line) => {
    expect(isCarried(sentence, line)).toBe(false);
  });

  test("KEEP9 is not carried over by words that lines need for other sentences of the message", () => {
    const sentences = ["Error messages begin with the name of the tool.", "Begin with the tool."];
    const check = createCarryCheck(summarize("error messages begin with the name of the tool [#5]"));
    expect(check("#5", sentences)).toEqual([true, false]);
  });

  test("KEEP9 that is still shown is not carried over by a line whose own sentence has left", () => {
    const summary = summarize("error messages begin with the name of the tool [#5]");
    const check = createCarryCheck(summary, findCarryingLines(summary));
    expect(check("#5", ["Messages begin with the name."])).toEqual([false]);
  });
});

describe("a line that carries over", () => {
  test("KEEP9 is unmarked, cites an entry, and stands under Constraints or Key Decisions", () => {
    const summary =
      "## Goal\n- a [#1]\n## Constraints & Preferences\n- b [#2]\n- c\n- d [#4] (unconfirmed)\n## Key Decisions\n- e [#5]\n## Critical Context\n- f [#6]";
    expect(findCarryingLines(summary).map(({ text }) => text)).toEqual(["- b [#2]", "- e [#5]"]);
  });
});

describe("what remains of a message", () => {
  const remove = (text: string, ...carried: readonly string[]): string =>
    removeCarriedSentences(text, (sentences) => sentences.map((each) => carried.includes(each.trim()))).text;

  test("KEEP9 has one mark for each run of carried sentences", () => {
    const text = "One is here. Two is here. Three is here.\n- four\n- five\nSix is here.";
    expect(remove(text, "Two is here.")).toBe("One is here. […] Three is here.\n- four\n- five\nSix is here.");
    expect(remove(text, "Two is here.", "Three is here.", "- four")).toBe("One is here. […]\n- five\nSix is here.");
  });

  test("KEEP9 keeps one mark when more sentences leave later", () => {
    expect(remove("One is here. […] Three is here. Four is here.", "Three is here.")).toBe(
      "One is here. […] Four is here.",
    );
    expect(remove("[…] Three is here. […]", "Three is here.")).toBe("");
  });

  test("KEEP9 is nothing if every sentence is carried over", () => {
    expect(removeCarriedSentences("One. Two.", (sentences) => sentences.map(() => true))).toEqual({
      text: "",
      isChanged: true,
    });
    expect(removeCarriedSentences("One. Two.", (sentences) => sentences.map(() => false)).isChanged).toBe(false);
  });

  test("KEEP9 sentences of a text join to the text", () => {
    for (const text of ["a. b! c?\n\n- d\n  e […] f", "你好。再见！", "", "\n\n", "x […]\n[…] y"])
      expect(splitSentences(text).join("")).toBe(text);
  });
});

describe("lines of the previous summary", () => {
  const carried = new Set(["#5", "#7"]);
  const previous = summarize("never add npm dependencies [#5]", "exit with code 2 on wrong usage [#7]");
  const compare = (summary: string) =>
    compareLines({ previous, summary, carried, isUserMessage: (reference) => reference !== "#40" });
  const missingTexts = (summary: string): readonly string[] => compare(summary).missing.map(({ text }) => text);

  test("KEEP10 are put back if the new summary has no line for them", () => {
    const summary = summarize("tests live in spec/ [#9]");
    const result = putBackLines(summary, compare(summary), 1_000);
    expect(result).toContain(
      "- tests live in spec/ [#9]\n- never add npm dependencies [#5]\n- exit with code 2 on wrong usage [#7]\n\n## Progress",
    );
    expect(compare(result)).toEqual({ missing: [], uncited: [] });
    expect(putBackLines(result, compare(result), 1_000)).toBe(result);
  });

  test("KEEP10 take the place of (none), or get their heading, before the part about a split turn", () => {
    const summary = `${summarize()}\n\n---\n\n**Turn Context (split turn):**\n\n## Original Request\n- go on [#9]`;
    expect(putBackLines(summary, compare(summary), 1_000)).toContain(
      "## Constraints & Preferences\n- never add npm dependencies [#5]\n- exit with code 2 on wrong usage [#7]\n\n## Progress",
    );
    const free = "We did this and that.";
    expect(putBackLines(free, compare(free), 1_000)).toBe(
      "We did this and that.\n\n## Constraints & Preferences\n- never add npm dependencies [#5]\n- exit with code 2 on wrong usage [#7]",
    );
  });

  test("KEEP10 are kept by a line that cites the same message and has half of their words", () => {
    expect(missingTexts(summarize("no npm dependencies, never [#5]", "wrong usage: exit code 2 [#7]"))).toEqual([]);
    expect(missingTexts(summarize("the parser is in lib/ [#5]", "wrong usage: exit code 2 [#7]"))).toEqual([
      "- never add npm dependencies [#5]",
    ]);
  });

  test("KEEP10 are replaced by a new line that cites a newer message of the user; it then cites both", () => {
    const summary = summarize("npm dependencies are allowed now [#9]", "exit with code 2 on wrong usage [#7]");
    expect(compare(summary)).toMatchObject({ missing: [], uncited: [{ references: ["#5"] }] });
    const result = putBackLines(summary, compare(summary), 1_000);
    expect(result).toContain("- npm dependencies are allowed now [#9, #5]\n");
    expect(compare(result)).toEqual({ missing: [], uncited: [] });
  });

  test.each([
    ["an older message", "npm dependencies are allowed now [#4]"],
    ["an entry that is not a message of the user", "npm dependencies are allowed now [#40]"],
    ["a newer message, with other words", "all files are modules [#9]"],
  ])("KEEP10 are not replaced by a line that cites %s", (_, line) => {
    expect(missingTexts(summarize(line, "exit with code 2 on wrong usage [#7]"))).toEqual([
      "- never add npm dependencies [#5]",
    ]);
  });

  test("KEEP10 are not replaced by a line that stood beside them before", () => {
    const both = summarize("never add npm dependencies [#5]", "npm dependencies for tests are listed in docs [#9]");
    const summary = summarize("npm dependencies for tests are listed in docs [#9]");
    const { missing } = compareLines({ previous: both, summary, carried, isUserMessage: () => true });
    expect(missing.map(({ text }) => text)).toEqual(["- never add npm dependencies [#5]"]);
  });

  test("KEEP10 that carry over nothing may go", () => {
    const summary = summarize("tests live in spec/ [#9]");
    expect(compareLines({ previous, summary, carried: new Set(), isUserMessage: () => true }).missing).toEqual([]);
  });

  test("KEEP10 are put back only as far as the summary keeps its size", () => {
    const summary = summarize("tests live in spec/ [#9]");
    const result = putBackLines(summary, compare(summary), textTokens(summary) + 20);
    expect(result).toContain("never add npm dependencies");
    expect(result).not.toContain("exit with code 2");
    expect(textTokens(result)).toBeLessThanOrEqual(textTokens(summary) + 20);
  });
});
