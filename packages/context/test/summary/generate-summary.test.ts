/** Tests summary/generate-summary.ts: size limits, shape. */

import { describe, expect, test } from "vitest";
import { moderate, type ShapeParts, shapeOf } from "../../src/summary/generate-summary.ts";
import { headings } from "../../src/summary/prompts.ts";
import { textTokens } from "../../src/tokens/estimate-tokens.ts";

describe("size limits", () => {
  test.each([
    ["off", "off"],
    ["minimal", "minimal"],
    ["low", "low"],
    ["medium", "medium"],
    ["high", "medium"],
    ["xhigh", "medium"],
    ["max", "medium"],
  ])("SUM10 a session that thinks at %s has its summaries written at %s", (level, asked) => {
    expect(moderate(level)).toBe(asked);
  });
});

describe("shape", () => {
  const JOIN = "\n\n---\n\n**Turn Context (split turn):**\n\n";
  const turn = "## Original Request\n- fix it\n\n## Early Progress\n- (none)\n\n## Context for Suffix\n- (none)";
  const before = "## Goal\n- fix it\n\n## Critical Context\n- it is broken";

  /** What is asked for, and what becomes of an answer. */
  function shaped(parts: Partial<ShapeParts>, answer: string) {
    const { format, sections, previous, tokens, read, story } = shapeOf({
      hasHistory: true,
      hasTurn: false,
      tokens: 1_000,
      ...parts,
    });
    return { format, sections, previous, tokens, story: story(read(answer)) };
  }

  const asked = (format: "summary" | "branch") => ({ format, sections: headings(format), previous: "", tokens: 1_000 });

  describe("without a turn that is cut", () => {
    test.each(["summary", "branch"] as const)("SUM7 the answer is the story: %s", (format) => {
      expect(shaped({ format }, `\n${before}\n\n`)).toStrictEqual({ ...asked(format), story: before });
    });

    test("SUM7 B46 B49 the record so far is shown without its lists of files", () => {
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
      expect(shapeOf({ hasHistory: true, hasTurn: false, tokens: 1_000, previous }).previous).toBe("## Goal\n- fix it");
    });

    test("SUM6 a task of the host's own may be answered in any form", () => {
      const parts = { replaceInstructions: true, hasTurn: true, previous: before };
      expect(shaped(parts, " a poem ")).toStrictEqual({
        format: "summary",
        sections: [],
        previous: before,
        tokens: 1_000,
        story: "a poem",
      });
    });
  });

  describe("where nothing lies before the turn", () => {
    test.each([
      ["", "No prior history."],
      [before, before],
      [`${before}\n\n<read-files>\na.ts\n</read-files>`, before],
    ])("SUM7 B45 code writes what was told before, and asks for the turn alone: %j", (previous, lead) => {
      expect(shaped({ hasHistory: false, hasTurn: true, previous, isChecked: true }, `${turn}\n`)).toStrictEqual({
        format: "turn",
        sections: headings("turn"),
        previous: "",
        tokens: 1_000 - textTokens(`${lead}${JOIN}`),
        story: `${lead}${JOIN}${turn}`,
      });
    });

    test.each([
      ["that has a turn of its own", `${before}${JOIN}${turn}`, true],
      ["that leaves too little room", `${before}${" word".repeat(600)}`, true],
      ["that nobody has checked", before, false],
    ])("SUM7 B45 a record so far %s is brought up to date, not carried on", (_, previous, isChecked) => {
      const parts = { hasHistory: false, hasTurn: true, previous, isChecked };
      expect(shaped(parts, `${before}${JOIN}${turn}`)).toStrictEqual({
        format: "summary",
        sections: [...headings("summary"), ...headings("turn")],
        previous,
        tokens: 1_000,
        story: `${before}${JOIN}${turn}`,
      });
    });
  });

  describe("where both are asked for in one call", () => {
    const read = (answer: string) => shaped({ hasTurn: true }, answer).story;

    test("SUM7 B43 the sections are those of both", () => {
      expect(shaped({ hasTurn: true }, "")).toStrictEqual({
        format: "summary",
        sections: [...headings("summary"), ...headings("turn")],
        previous: "",
        tokens: 1_000,
        story: "",
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
    ])("SUM7 B44 between them stands the documents' join, however the model wrote it: %j", (seam) => {
      expect(read(`${before}${seam}${turn}`)).toBe(`${before}${JOIN}${turn}`);
    });

    test("SUM7 B44 what the record says of lines and turns stays", () => {
      const odd = `${before}\n\n---\n\n**Turn Context** is what it is about\n- so there`;
      expect(read(`${odd}\n${turn}`)).toBe(`${odd}${JOIN}${turn}`);
    });

    test("SUM7 an answer without the turn's part is left as it is, for the audit to find fault with", () => {
      expect(read(` ${before}\n`)).toBe(before);
    });
  });
});
