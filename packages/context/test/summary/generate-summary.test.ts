/** Tests the generation of a summary: thinking level, shape, number of requests, and which answer is used. */

import { describe, expect, test } from "vitest";
import { ENVIRONMENT_TYPE, type Entry } from "../../src/entry.ts";
import type { Request } from "../../src/model.ts";
import type { FlawCode } from "../../src/summary/flaw.ts";
import {
  clampThinking,
  createSummaryShape,
  type GenerateSummaryOptions,
  generateSummary,
  type SummaryResult,
  type SummaryShapeOptions,
} from "../../src/summary/generate-summary.ts";
import { TURN_SEPARATOR } from "../../src/summary/parse-summary.ts";
import { listHeadings } from "../../src/summary/prompts.ts";
import { type ScriptedReply, scriptedModel, testRuntime } from "../../src/testing/scripted-model.ts";
import { story } from "../../src/testing/story.ts";
import { textTokens } from "../../src/tokens/estimate-tokens.ts";
import { repeatWord } from "../support/small-session.ts";
import { createAnsweringModel, requestKind, requestText } from "../support/summary-models.ts";
import { summaryWith } from "./fixtures.ts";

describe("thinking level", () => {
  test.each([
    ["off", "off"],
    ["minimal", "minimal"],
    ["low", "low"],
    ["medium", "medium"],
    ["high", "medium"],
    ["xhigh", "medium"],
    ["max", "medium"],
  ])("SUM10 a session with thinking %s has summaries with thinking %s", (level, expected) => {
    expect(clampThinking(level)).toBe(expected);
  });
});

describe("shape", () => {
  const JOIN = "\n\n---\n\n**Turn Context (split turn):**\n\n";
  const turn = "## Original Request\n- fix it\n\n## Early Progress\n- (none)\n\n## Context for Suffix\n- (none)";
  const before = "## Goal\n- fix it\n\n## Critical Context\n- it is broken";

  /** The requested format, and the summary that an answer becomes. */
  function shaped(parts: Partial<SummaryShapeOptions>, answer: string) {
    const {
      format,
      sections,
      previous,
      tokens,
      parseAnswer: read,
      toSummary: story,
    } = createSummaryShape({
      hasHistory: true,
      hasTurn: false,
      tokens: 1_000,
      ...parts,
    });
    return { format, sections, previous, tokens, narrative: story(read(answer)) };
  }

  const calls = (format: "summary" | "branch") => ({
    format,
    sections: listHeadings(format),
    previous: "",
    tokens: 1_000,
  });

  describe("without a split turn", () => {
    test.each(["summary", "branch"] as const)("SUM7 the answer is the summary: %s", (format) => {
      expect(shaped({ format }, `\n${before}\n\n`)).toStrictEqual({ ...calls(format), narrative: before });
    });

    test("SUM7 B46 B49 the prompt shows the previous summary without its file lists", () => {
      const previous = [
        "## Goal",
        "- fix it",
        "",
        "<read-files>",
        "a.ts",
        "</read-files>",
        "",
        "<modified-files>",
        "b.ts",
        "</modified-files>",
      ].join("\n");
      expect(createSummaryShape({ hasHistory: true, hasTurn: false, tokens: 1_000, previous }).previous).toBe(
        "## Goal\n- fix it",
      );
    });

    test("SUM6 a custom prompt may be answered in any form", () => {
      const parts = { replaceInstructions: true, hasTurn: true, previous: before };
      expect(shaped(parts, " a poem ")).toStrictEqual({
        format: "summary",
        sections: [],
        previous: before,
        tokens: 1_000,
        narrative: "a poem",
      });
    });
  });

  describe("with a split turn and no history", () => {
    test.each([
      ["", "No prior history."],
      [before, before],
      [`${before}\n\n<read-files>\na.ts\n</read-files>`, before],
    ])("SUM7 B45 the previous summary is kept unchanged and only the turn is requested: %j", (previous, lead) => {
      expect(shaped({ hasHistory: false, hasTurn: true, previous, isChecked: true }, `${turn}\n`)).toStrictEqual({
        format: "turn",
        sections: listHeadings("turn"),
        previous: "",
        tokens: 1_000 - textTokens(`${lead}${JOIN}`),
        narrative: `${lead}${JOIN}${turn}`,
      });
    });

    test.each([
      ["that has a turn of its own", `${before}${JOIN}${turn}`, true],
      ["that leaves too little room", `${before}${" word".repeat(600)}`, true],
      ["that nobody has checked", before, false],
    ])("SUM7 B45 a previous summary %s is updated, without a part about the turn", (_, previous, isChecked) => {
      const parts = { hasHistory: false, hasTurn: true, previous, isChecked };
      expect(shaped(parts, `${before}\n`)).toStrictEqual({
        format: "summary",
        sections: listHeadings("summary"),
        previous,
        tokens: 1_000,
        narrative: before,
      });
    });
  });

  describe("with history and a split turn in one request", () => {
    const read = (answer: string) => shaped({ hasTurn: true }, answer).narrative;

    test("SUM7 B43 the sections of both formats are required", () => {
      expect(shaped({ hasTurn: true }, "")).toStrictEqual({
        format: "summary",
        sections: [...listHeadings("summary"), ...listHeadings("turn")],
        previous: "",
        tokens: 1_000,
        narrative: "",
      });
    });

    test.each([
      JOIN,
      "\n",
      "\n\n",
      "\n---\n",
      "\n\n-----\n\n",
      "\n---\nTurn Context (split turn):\n",
      "\n\n**Turn Context (split turn):**\n\n",
      "\n\n**Turn Context**\n\n---\n\n",
      "\r\n\r\n---\r\n\r\n**Turn Context (split turn):**\r\n\r\n",
      "\n\n---\n\n---\n\n  **Turn Context (split turn)**:  \n\n",
    ])("SUM7 B44 the standard separator replaces what the model wrote: %j", (seam) => {
      expect(read(`${before}${seam}${turn}`)).toBe(`${before}${JOIN}${turn}`);
    });

    test("SUM7 B44 text about lines and turns stays", () => {
      const odd = `${before}\n\n---\n\n**Turn Context** is what it is about\n- so there`;
      expect(read(`${odd}\n${turn}`)).toBe(`${odd}${JOIN}${turn}`);
    });

    test("SUM7 an answer without the part about the turn stays as it is", () => {
      expect(read(` ${before}\n`)).toBe(before);
    });
  });
});

describe("number of requests", () => {
  const entries = story(
    "user: Fix the login test in src/login.ts and use tabs",
    "calls: read path=src/login.ts",
    "result: export function loginUser() {}",
    "says: The name is not escaped.",
  );
  const honest = summaryWith({
    "## Goal": "- Fix the login test in src/login.ts [#1]",
    "### Done": "- [x] Read `loginUser()` in src/login.ts [#3]",
    "## Critical Context": "- The name is not escaped [#4]",
  });
  const noSections = "The login test in src/login.ts was read.";
  const unknownCitations = honest.replace("[#3]", "[#98]").replace("[#4]", "[#99]");
  /** The honest summary, extended to so many tokens. */
  function longer(tokens: number): string {
    const tokensPerWord = textTokens(" word".repeat(100)) / 100;
    const missing = Math.ceil((tokens - textTokens(honest)) / tokensPerWord);
    return honest.replace("is not escaped", `is not escaped${" word".repeat(missing)}`);
  }

  async function generate(replies: readonly ScriptedReply[], parts: Partial<GenerateSummaryOptions> = {}) {
    const model = scriptedModel(...replies);
    const result = await generateSummary({ model, runtime: testRuntime(), entries, tokens: 1_000, ...parts });
    return { result, requests: model.requests };
  }

  const summaryOf = (result: SummaryResult): string => (result.type === "summarized" ? result.summary : result.type);
  const codesOf = (result: SummaryResult): readonly FlawCode[] =>
    result.type === "summarized" ? result.flaws.map(({ code }) => code) : [];

  describe("SUM7 what a split turn is requested with", () => {
    const [request] = entries;
    const environment = {
      type: "custom_message",
      customType: ENVIRONMENT_TYPE,
      content: "Today is Monday.",
      display: false,
    };
    const note = { ...environment, id: "note", parentId: null, timestamp: "" } as Entry;
    const previous = `No prior history.${TURN_SEPARATOR}## Original Request\n- Fix the login test in src/login.ts [#1]`;
    const promptOf = async (parts: Partial<GenerateSummaryOptions>): Promise<readonly boolean[]> => {
      const { requests } = await generate([honest, honest], parts);
      const text = requestText(requests[0] as Request);
      const task = text.slice(text.lastIndexOf("</"));
      return ["## Goal", "## Original Request"].map((heading) => task.includes(`\n${heading}\n`));
    };

    test.each<[string, Partial<GenerateSummaryOptions>, readonly boolean[]]>([
      [
        "history and the beginning of a turn: both parts",
        { entries: story("user: hello", "says: hi"), turn: entries },
        [true, true],
      ],
      ["history and only the user's message: one part", { turn: request ? [request] : [] }, [true, false]],
      ["a note about the environment is no history: the turn", { entries: [note], turn: entries }, [false, true]],
      [
        "the previous summary begins the turn: one part",
        { entries: [], turn: entries, previous, isChecked: true },
        [true, false],
      ],
    ])("%s", async (_, parts, expected) => {
      expect(await promptOf(parts)).toEqual(expected);
    });
  });

  test("SUM9 a correct summary takes one request", async () => {
    const { result, requests } = await generate([honest]);
    expect(requests).toHaveLength(1);
    expect(result).toMatchObject({ type: "summarized", summary: honest, flaws: [] });
    expect(result.type === "summarized" && [...result.covers]).toEqual(["e1", "e2", "e3", "e4"]);
  });

  test("SUM9 AUD7 a summary with unconfirmed lines takes one request, and they are marked", async () => {
    const doubtful = summaryWith({
      "## Goal": "- Fix the login test [#1]\n- Deploy to production [#4]",
      "### Done": '- [x] Edited src/other.ts [#3]\n- [x] It said "all is well now" [#3]',
    });
    const { result, requests } = await generate([doubtful]);
    expect(requests).toHaveLength(1);
    expect(summaryOf(result)).toBe(
      doubtful
        .replace("production [#4]", "production [#4] (not from the user)")
        .replace("other.ts [#3]", "other.ts [#3] (unconfirmed)")
        .replace('now" [#3]', 'now" [#3] (unconfirmed)'),
    );
    expect(codesOf(result)).toEqual(["not-from-user", "unknown-name", "false-quote"]);
  });

  test("SUM9 AUD1 headings and a few unknown citations are repaired without another request", async () => {
    const text = honest.replace("### Blocked\n- (none)\n\n", "").replace("[#4]", "[#99]");
    const { result, requests } = await generate([text]);
    expect(requests).toHaveLength(1);
    expect(summaryOf(result)).toBe(honest.replace(" [#4]", " (unconfirmed)"));
  });

  test("SUM9 AUD1 a summary that is up to a tenth too long takes one request", async () => {
    const { result, requests } = await generate([longer(1_090)]);
    expect(textTokens(longer(1_090))).toBeGreaterThan(1_050);
    expect({ count: requests.length, codes: codesOf(result) }).toEqual({ count: 1, codes: [] });
  });

  const cases: readonly (readonly [string, string, string])[] = [
    ["says nothing", summaryWith({}), "- The summary is empty. Write what happened under its headings."],
    ["has no sections", noSections, `- Most of these headings are missing: ${listHeadings("summary").join(", ")}`],
    ["is too long", longer(1_300), `- The summary has ${textTokens(longer(1_300))} tokens; 1000 are allowed.`],
    [
      "cites too many entries that do not exist",
      unknownCitations,
      "- 2 of 3 citations refer to entries that do not exist. Cite only the numbers at the start of a block.",
    ],
  ];

  test.each(cases)(
    "SUM9 AUD1 AUD2 a summary that %s is requested once more, and the better one is used",
    async (...at) => {
      const [, text, finding] = at;
      const { result, requests } = await generate([text, honest]);
      expect(requests).toHaveLength(2);
      expect(result).toMatchObject({ type: "summarized", summary: honest, flaws: [] });
      const [, answer, correction] = requests[1]?.messages ?? [];
      expect(answer).toMatchObject({ role: "assistant", content: [{ type: "text", text }] });
      expect(correction).toMatchObject({
        role: "user",
        content: [{ text: expect.stringContaining(`<findings nonce-1>\n${finding}\n</findings nonce-1>`) }],
      });
    },
  );

  describe("a second answer that is no better", () => {
    test.each([
      ["empty", summaryWith({})],
      ["sections", noSections],
    ])("SUM9 a summary with the same problem is rejected: %s", async (code, text) => {
      const { result, requests } = await generate([text, text]);
      expect(requests).toHaveLength(2);
      expect(result).toMatchObject({ type: "failed", failure: { code } });
    });

    test("SUM9 a summary that is more than a third too long is rejected", async () => {
      const { result } = await generate([longer(1_500), longer(1_400)]);
      expect(result).toMatchObject({ type: "failed", failure: { code: "too-long" } });
    });

    test("SUM9 a summary that is less than a third too long is used, with a finding", async () => {
      const { result } = await generate([longer(1_500), longer(1_200)]);
      expect(summaryOf(result)).toBe(longer(1_200));
      expect(codesOf(result)).toEqual(["too-long"]);
    });

    test("SUM9 AUD2 a summary with citations that do not exist is used with marks and findings", async () => {
      const { result } = await generate([unknownCitations, unknownCitations]);
      expect(summaryOf(result)).toBe(honest.replace("[#3]", "(unconfirmed)").replace("[#4]", "(unconfirmed)"));
      expect(codesOf(result)).toEqual(["unresolved-citations", "unknown-id", "unknown-id"]);
    });

    test("SUM9 the first answer is used if only that one is usable", async () => {
      const { result } = await generate([longer(1_200), noSections]);
      expect(summaryOf(result)).toBe(longer(1_200));
    });

    test("SUM9 if the correction fails, the first answer is used, or rejected if it is unusable", async () => {
      const failure = { failure: { kind: "refused" as const, message: "no" } };
      expect(summaryOf((await generate([longer(1_200), failure])).result)).toBe(longer(1_200));
      expect((await generate([noSections, failure])).result).toMatchObject({
        type: "failed",
        failure: { code: "sections" },
      });
    });

    test("SUM9 there is never a third request", async () => {
      const { requests, result } = await generate([noSections, noSections, honest]);
      expect({ count: requests.length, type: result.type }).toEqual({ count: 2, type: "failed" });
    });
  });

  test("SUM9 all calls are counted", async () => {
    const { result } = await generate([noSections, honest]);
    expect(result.calls).toHaveLength(2);
  });

  test("SUM9 an aborted correction cancels the summary", async () => {
    const aborted = { failure: { kind: "aborted" as const, message: "stopped" } };
    expect((await generate([noSections, aborted])).result.type).toBe("cancelled");
  });

  test("SUM6 a custom prompt is answered in any form with one request", async () => {
    const parts = { instructions: "Write a poem.", replaceInstructions: true };
    const { result, requests } = await generate(["Roses are red"], parts);
    expect({ text: summaryOf(result), count: requests.length }).toEqual({ text: "Roses are red", count: 1 });
  });

  test("SUM9 the steps are reported", async () => {
    const steps: string[] = [];
    await generate([noSections, honest], { progress: ({ step }) => void steps.push(step) });
    expect(steps).toEqual(["asking", "auditing", "repairing", "asking"]);
  });

  test("SUM5 AUD2 citations in a summary by chunks are the numbers of the entries", async () => {
    const long = story(
      ...Array.from({ length: 10 }, (_, at) => `${at % 2 ? "says" : "user"}: ${repeatWord(60, `m${at}x`)}`),
    );
    const notes = summaryWith({ "### Done": "- [x] m1x3 m1x4 [#2]" });
    const merged = summaryWith({ "## Goal": "- m8x0 m8x1 m8x2 [#9]", "### Done": "- [x] m1x3 m1x4 (entry:e2)" });
    const requests: Request[] = [];
    const answer = (request: Request): string => {
      requests.push(request);
      return requestKind(request) === "merge" ? merged : notes;
    };
    const model = createAnsweringModel(answer, { contextWindow: 5_200, maxTokens: 500 });
    const result = await generateSummary({ model, runtime: testRuntime(), entries: long, tokens: 1_000 });
    const last = requests.at(-1) as Request;
    expect({ kind: requestKind(last), hasParts: requests.length > 2 }).toEqual({ kind: "merge", hasParts: true });
    expect(requests.flatMap(numbersIn)).toEqual(long.map(({ number }) => `#${number}`));
    expect(requestText(last)).toContain("- [x] m1x3 m1x4 [#2]");
    expect(result).toMatchObject({ type: "summarized", summary: merged.replace("(entry:e2)", "[#2]"), flaws: [] });
  });

  /** The numbers of the blocks that a request shows. */
  const numbersIn = (request: Request): readonly string[] =>
    [...requestText(request).matchAll(/^\[(?:User|Assistant)\]: \[(#\d+)\]/gm)].map(([, number = ""]) => number);
});
