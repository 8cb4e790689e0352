/** Tests the short version of `pnpm eval rules`, and the functions that measure it. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { type Budget, type CompactionEntry, compactionLimits, createBudget, textTokens } from "@pith/context";
import { beforeAll, describe, expect, test } from "vitest";
import { readRecording } from "../../evals/src/played/recording.ts";
import { findNumbers, parseRequestParts, type RequestPart } from "../../evals/src/rules/compacted-request.ts";
import { planRuleSession } from "../../evals/src/rules/generated-session.ts";
import { hasWordsOf, LANGUAGES, rewordSentence } from "../../evals/src/rules/languages.ts";
import {
  type CompactionMeasures,
  findNoticedNumbers,
  findOverruns,
  measureCompaction,
} from "../../evals/src/rules/measure-compaction.ts";
import { listUserRows, readRecordedRules } from "../../evals/src/rules/recorded-session.ts";
import type { Rule } from "../../evals/src/rules/rule.ts";
import { planPasteFlood, planShortRules } from "../../evals/src/rules/special-sessions.ts";
import {
  createSummaryScript,
  type KnownRule,
  parseSummaryRequest,
  type SummarizerName,
} from "../../evals/src/rules/summarizers.ts";

/** The share of the recorded rules before messages left one by one. */
const REACHABLE_BEFORE = 0.528;

describe("after every compaction of the short version", () => {
  let figures: Readonly<Record<string, number>> = {};
  let log = "";

  beforeAll(() => {
    const args = [join(import.meta.dirname, "../../evals/src/run.ts"), "rules", "--quick", "--json"];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 1e8 });
    expect(status, stderr).toBe(0);
    figures = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    log = stderr;
  });

  /** The names of the runs, and what the log says about a figure. */
  const logOf = (figure: string): string =>
    log
      .split("\n")
      .filter((line) => !line.startsWith("  ") || line.startsWith(`  ${figure}`))
      .join("\n");

  // The recorded drafts were told not to repeat messages, and carry over none of the oldest, which do not all fit: see decision 0084.
  test("the request has more rules of the recorded session than before, and none is lost", () => {
    expect(log).toMatch(/^ {2}the user's messages have [\d,]+ tokens; [\d,]+ fit$/m);
    expect(figures.rules_reachable_a, logOf("rules_")).toBeGreaterThan(REACHABLE_BEFORE);
    expect(figures.rules_lost_a, logOf("rules_")).toBe(0);
  });

  test("the request has every rule if the summary is honest", () => {
    const shares = Object.entries(figures).filter(([name]) => /^rules_reachable_.*_honest/.test(name));
    expect(shares.length).toBeGreaterThanOrEqual(12);
    const unreachable = shares.filter(([, share]) => share < 1);
    expect(unreachable, logOf("rules_")).toEqual([]);
  });

  test.each([
    ["no rule is lost", "rules_lost"],
    ["no replaced rule looks valid", "superseded_as_valid"],
    ["no message is missing without notice", "silent_evictions"],
    ["no budget is exceeded", "budget_overruns"],
  ])("%s with any summarizer", (_, figure) => {
    expect(figures[figure], logOf(figure)).toBe(0);
  });

  test("every compaction level was used", () => {
    expect(figures.levels).toBe(6);
  });
});

const RULES: readonly Rule[] = [
  makeRule("Never use default exports.", { message: 0, words: ["never", "default exports"] }),
  makeRule("Output is CSV.", { message: 1, words: ["output", "csv"], replacedBy: 3 }),
  makeRule("Commit every step.", { message: 2, words: ["commit", "step"] }),
  makeRule("Output is JSON.", { message: 3, words: ["output", "json"] }),
];

function makeRule(
  text: string,
  { message, words, replacedBy = null }: { message: number; words: readonly string[]; replacedBy?: number | null },
): Rule {
  const isStatedIn = (line: string): boolean => words.every((word) => line.toLowerCase().includes(word));
  return { text, message, statements: [{ quote: text, isStatedIn }], replacedBy };
}

const MESSAGES = RULES.map(({ text }, index) => ({ number: (index + 1) * 10, text: `Do the next step. ${text}` }));
const WORDS = ["# User messages, word for word\n", ...MESSAGES.map(({ number, text }) => `[#${number}]\n${text}\n`)];

function measure(
  parts: Readonly<Record<string, string>>,
  options: { readonly noticed?: readonly number[]; readonly tail?: readonly number[] } = {},
): CompactionMeasures {
  const list = Object.entries(parts).map(([kind, text]): RequestPart => ({ kind, text }));
  const tail = MESSAGES.filter(({ number }) => options.tail?.includes(number));
  const request = parseRequestParts(list, tail);
  return measureCompaction({ rules: RULES, messages: MESSAGES, request, noticed: new Set(options.noticed) });
}

const NOTHING_WRONG = { holding: 3, unreachable: [], lost: [], supersededAsValid: [], silentEvictions: [] };

describe("a rule", () => {
  test("is reachable in the user's messages, the latest request and the kept messages", () => {
    expect(measure({ words: WORDS.join("\n") })).toEqual(NOTHING_WRONG);
    const request = `# The user's latest request, still open [#30]\n${MESSAGES[2]?.text}`;
    const [title = "", first = "", second = ""] = WORDS;
    expect(measure({ words: [title, first, second].join("\n"), request }, { tail: [40] })).toEqual(NOTHING_WRONG);
    const reply = WORDS.join("\n").replace("[#20]", "[#20] (in reply to the assistant: Which format?)");
    expect(measure({ words: reply })).toEqual(NOTHING_WRONG);
  });

  test("is reachable if an unmarked line that cites its message says the same", () => {
    const words = WORDS.join("\n").replace(" Never use default exports.", " […]");
    const omitted = "# User messages that are not shown word for word\nThe summary's lines carry over #10.";
    const measureLine = (line: string): CompactionMeasures =>
      measure({ words, omitted, story: `## Constraints & Preferences\n- ${line}` }, { noticed: [10] });
    expect(measureLine("default exports are never used [#10]")).toEqual(NOTHING_WRONG);
    const lost = {
      ...NOTHING_WRONG,
      unreachable: ["#10 Never use default exports."],
      lost: ["#10 Never use default exports."],
    };
    expect(measureLine("default exports are never used [#10] (unconfirmed)")).toEqual(lost);
    expect(measureLine("default exports are never used [#30]")).toEqual(lost);
    expect(measureLine("exports are fine [#10, #30]")).toEqual(lost);
  });

  test("is lost if its message is removed as carried over and its line is dropped", () => {
    const words = WORDS.filter((_, index) => index !== 1).join("\n");
    const omitted = "# User messages that are not shown word for word\nThe summary's lines that cite #10 state it.";
    const story = "## Constraints & Preferences\n- never use default exports [#10]";
    expect(measure({ words, omitted, story }, { noticed: [10] })).toEqual(NOTHING_WRONG);
    const { lost, silentEvictions } = measure({ words, omitted, story: "## Goal\n- (none)" }, { noticed: [10] });
    expect([lost, silentEvictions]).toEqual([["#10 Never use default exports."], []]);
  });

  test("is unreachable but not lost if its message is a stub, shortened or counted", () => {
    const missing = { ...NOTHING_WRONG, unreachable: ["#10 Never use default exports."] };
    const words = WORDS.filter((_, index) => index !== 1).join("\n");
    const title = "# User messages that are not shown word for word";
    const noticed = [10];
    expect(measure({ words, omitted: `${title}\n[#10] Do the next step…` }, { noticed })).toEqual(missing);
    const range = "Not shown and not carried over: 1 message, #10; `read #N` opens one";
    expect(measure({ words, omitted: `${title}\n${range}` }, { noticed })).toEqual(missing);
    const mark = "[… 9 of about 12 tokens are left out here; #10 opens all of it …]";
    expect(measure({ words: WORDS.join("\n").replace("Never use default exports.", mark) }, { noticed })).toEqual(
      missing,
    );
    expect(measure({ words }, { noticed }).lost).toEqual(["#10 Never use default exports."]);
  });

  test("counts as valid although it was replaced, unless the request mentions the newer message", () => {
    const words = WORDS.slice(0, 4).join("\n");
    const noticed = [40];
    const wrong = ["#20 Output is CSV."];
    expect(measure({ words }, { noticed }).supersededAsValid).toEqual(wrong);
    expect(measure({ words, omitted: "[#40] Do the next step…" }, { noticed }).supersededAsValid).toEqual([]);
    expect(measure({ words, story: "- JSON is the output now [#40]" }, { noticed }).supersededAsValid).toEqual([]);
    expect(measure({ words }, { noticed, tail: [40] }).supersededAsValid).toEqual([]);
    const lineOnly = WORDS.filter((_, index) => ![2, 4].includes(index)).join("\n");
    expect(measure({ words: lineOnly, story: "- the output is CSV [#20]" }).supersededAsValid).toEqual(wrong);
    expect(measure({ words: lineOnly }).supersededAsValid).toEqual([]);
  });
});

describe("a missing message", () => {
  const words = WORDS.slice(0, 2).join("\n");
  const describeMessage = (index: number): string => `#${MESSAGES[index]?.number} ${MESSAGES[index]?.text}`;

  test("is silent unless both the request and the receipt mention it", () => {
    const noticed = [20, 30, 40];
    const range = "Not shown and not carried over: 3 messages, #20–#40; `read #N` opens one";
    expect(measure({ words, omitted: range }, { noticed }).silentEvictions).toEqual([]);
    expect(measure({ words, omitted: range }, { noticed: [20] }).silentEvictions).toEqual([2, 3].map(describeMessage));
    expect(measure({ words }, { noticed }).silentEvictions).toEqual([1, 2, 3].map(describeMessage));
  });

  test("is silent if the range in the request counts too few messages", () => {
    const range = "Not shown and not carried over: 2 messages, #20–#40; `read #N` opens one";
    expect(measure({ words, omitted: range }, { noticed: [20, 30, 40] }).silentEvictions).toEqual([describeMessage(3)]);
  });

  test("is carried over if the lines of the summary cite it or older messages", () => {
    const omitted = "The summary's lines that cite #40 or 1 older message state it; […] marks the missing text.";
    const story = "- commit each step [#30]\n- JSON is the output [#40]";
    expect(measure({ words, omitted, story }, { noticed: [20, 30, 40] }).silentEvictions).toEqual([describeMessage(1)]);
  });
});

test("is found by the numbers in the notes of a receipt, except those of marked lines", () => {
  const compaction = makeCompaction([], {
    findings: [
      { code: "user-messages-evicted", note: "2 user messages are no longer shown: #5, #23" },
      { code: "user-messages-shortened", note: "#7–#9 are shortened" },
      { code: "unfounded", note: "“a” is marked (unconfirmed) because it has nothing in common with #30" },
    ],
  });
  expect(findNoticedNumbers(compaction)).toEqual([5, 23, 7, 8, 9]);
  expect(findNumbers("`read #N` opens one of #3 – #5")).toEqual([3, 4, 5]);
});

test("finds parts that exceed their budget at the compaction level and with the calibration", () => {
  const budget: Budget = createBudget(compactionLimits, {
    contextWindow: 24_000,
    model: { api: "anthropic-messages", provider: "anthropic", model: "m" },
  });
  const makeWords = (count: number): string => Array.from({ length: count }, () => "apple").join(" ");
  const words = { kind: "words", text: makeWords(2_000) };
  const omitted = { kind: "omitted", text: makeWords(600) };
  expect(findOverruns(makeCompaction([words], { rung: "whole" }), budget)).toEqual([]);
  expect(findOverruns(makeCompaction([words, omitted], { rung: "whole" }), budget)).toHaveLength(1);
  expect(findOverruns(makeCompaction([words], { rung: "quarter" }), budget)).toHaveLength(1);
  const calibration = { "anthropic/m": { factor: 1.5 } };
  expect(findOverruns(makeCompaction([words], { rung: "whole" }, calibration), budget)).toHaveLength(1);
  const story = { kind: "story", text: `# Summary (a report)\n${makeWords(1_750)}` };
  const notes = { kind: "notes", text: makeWords(200) };
  expect(findOverruns(makeCompaction([story], { rung: "reduced" }), budget)).toEqual([]);
  expect(findOverruns(makeCompaction([story, notes], { rung: "reduced" }), budget)).toHaveLength(1);
});

function makeCompaction(parts: readonly RequestPart[], receipt: object, calibration = {}): CompactionEntry {
  const front = parts.map(({ kind, text }) => ({ kind, length: text.length, tokens: 0 }));
  const wholeReceipt = { route: "model", withoutProgress: 0, tokens: { before: 0, after: 0, limit: null }, ...receipt };
  return {
    type: "compaction",
    id: "c1",
    parentId: null,
    timestamp: "",
    summary: parts.map(({ text }) => text).join(""),
    firstKeptEntryId: "c1",
    tokensBefore: 0,
    details: { pith: { front, receipt: wholeReceipt, calibration } },
  };
}

describe("a summarizer", () => {
  const previous = `## Goal
- now: tests [#4]

## Constraints & Preferences
- one commit per step [#2]
- tabs and never spaces [#3]
- output is CSV [#5]

## Progress
### Done
- [x] the steps so far`;
  const leaving = ["[#7]\nWrite lib/a. Never use default exports.", "[#8]\nOutput is JSON.", "[#9]\nyes"].join("\n\n");
  const task = `It has these sections, in this order:\n\n## Goal\n\nRules:\n- End every line with [#3].\n- Write at most 900 tokens`;
  const transcript = [
    `<previous-summary w1>\n${previous}\n</previous-summary w1>`,
    `<leaving-messages w1>\n${leaving}\n</leaving-messages w1>`,
    "<conversation w1>\n[User]: [#11] fix the login\n\n[Assistant]: [#12] done\n</conversation w1>",
    task,
  ].join("\n\n");
  const samePrefix = [
    {
      role: "user",
      content: `# User messages, word for word\n\n[#1]\nhello\n\n# Summary (a report)\n${previous}\n\n# Earlier entries`,
    },
    { role: "assistant", content: "done" },
    {
      role: "user",
      content: `${task}\n\n[#11] “fix the login”\n\n<leaving-messages w2>\n${leaving}\n</leaving-messages w2>`,
    },
  ];
  const bodies = [{ messages: [{ role: "user", content: transcript }] }, { messages: samePrefix }];
  const knownRules: Readonly<Record<number, Partial<KnownRule>>> = {
    5: { quote: "Output is CSV.", isReplaced: true, isStatedIn: (line) => line.includes("CSV") },
    7: { quote: "Never use default exports.", line: "never default exports" },
    8: { quote: "Output is JSON.", line: "JSON is output", replaces: 5 },
  };
  const findRules = (number: number): readonly KnownRule[] => {
    const rule = knownRules[number];
    return rule ? [{ quote: "", line: "", isReplaced: false, replaces: null, isStatedIn: () => false, ...rule }] : [];
  };
  const writeSummary = (name: SummarizerName, body: Readonly<Record<string, unknown>>): string =>
    createSummaryScript(
      name,
      findRules,
    )({ body })
      .parts.map((part) => (part.type === "text" ? part.text : ""))
      .join("");
  const writeConstraints = (name: SummarizerName, body: Readonly<Record<string, unknown>>): string =>
    writeSummary(name, body)
      .split(/^## .*$/m)[2]
      ?.trim() ?? "";

  test("reads the messages that leave, the previous summary and the size limit from both kinds of requests", () => {
    for (const body of bodies)
      expect(parseSummaryRequest(body)).toMatchObject({
        leaving: [{ number: 7 }, { number: 8, text: "Output is JSON.\n\n" }, { number: 9 }],
        earlierLines: ["one commit per step [#2]", "tabs and never spaces [#3]", "output is CSV [#5]"],
        newest: { number: 11, text: "fix the login" },
        parts: { summary: true, turn: false },
        tokens: 900,
      });
  });

  test("carries over all rules, half of them, or none, as configured", () => {
    for (const body of bodies) {
      expect(writeConstraints("honest", body)).toBe(
        "- one commit per step [#2]\n- tabs and never spaces [#3]\n- never default exports [#7]\n- JSON is output (replaces #5) [#8]",
      );
      expect(writeConstraints("lazy", body)).toBe("- one commit per step [#2]\n- never default exports [#7]");
      expect(writeConstraints("junk", body)).not.toMatch(/\[#|export|commit/);
      expect(writeConstraints("junk-cites-all", body)).toMatch(/#7, #8, #9.*\]$/);
    }
  });

  test("stays within the size that the request allows", () => {
    const body = { messages: [{ role: "user", content: transcript.replace("900", "90") }] };
    expect(textTokens(writeSummary("junk-cites-all", body))).toBeLessThanOrEqual(90);
  });
});

test("the recorded rules quote the user's messages", () => {
  const rows = listUserRows(readRecording("played-rules"));
  const rules = readRecordedRules(rows);
  expect([rows.length, rules.length]).toEqual([29, 41]);
  expect(rules.filter(({ replacedBy }) => replacedBy !== null)).toHaveLength(5);
  const clock = rules.find(({ text }) => text.includes("heron-04"))?.statements[0];
  expect(clock?.isStatedIn("heron-04 is 7 minutes ahead")).toBe(true);
  expect(clock?.isStatedIn("heron-04 is 9 minutes ahead")).toBe(false);
});

test("generated sessions state every rule in its message, and replace rules later", () => {
  for (const plan of [planRuleSession(1), planShortRules(1), planPasteFlood(1)])
    for (const { message, statements, replacedBy } of plan.rules) {
      for (const { quote } of statements) expect(plan.messages[message]?.text).toContain(quote);
      if (replacedBy !== null) expect(replacedBy).toBeGreaterThan(message);
    }
  const { messages, rules } = planRuleSession(1);
  expect([messages.length, rules.length]).toEqual([120, 50]);
  expect(rules.filter(({ replacedBy }) => replacedBy !== null)).toHaveLength(10);
  expect(planShortRules(1).messages).toHaveLength(1_500);
});

test("a reworded rule matches its original, and no other rule does", () => {
  for (const { name, rules } of LANGUAGES)
    for (const { text } of rules) {
      const line = rewordSentence(text, name);
      expect(line).not.toBe(text);
      expect(rules.filter((other) => hasWordsOf(line, other.text, name))).toEqual([expect.objectContaining({ text })]);
    }
});
