/** Documents 001 and 004, the sections of a record; 002's list without "& Preferences" and without boxes is not followed (B38). */

import { expect, test } from "vitest";
import { TURN_SEPARATOR } from "../../src/summary/parse-summary.ts";
import { listHeadings, PROMPT_TEMPLATES, SUMMARY_FORMATS } from "../../src/summary/prompts.ts";

const progress = ["## Progress", "### Done", "### In Progress", "### Blocked"];
const upToSteps = ["## Goal", "## Constraints & Preferences", ...progress, "## Key Decisions", "## Next Steps"];
const sections = [...upToSteps, "## Critical Context"];

test("SUM6 B38 the summaries of a compaction, a branch and a split turn have the documented sections", () => {
  expect(listHeadings("summary")).toEqual(sections);
  // 002 and 004: both kinds of summary have the same sections.
  expect(listHeadings("branch")).toEqual(sections);
  expect(listHeadings("turn")).toEqual(["## Original Request", "## Early Progress", "## Context for Suffix"]);
});

test("SUM6 B38 the format has checkboxes for done and open work, and numbers for next steps", () => {
  expect(SUMMARY_FORMATS.summary).toMatch(/### Done\n- \[x\] .*\n\n### In Progress\n- \[ \] /);
  expect(SUMMARY_FORMATS.summary).toMatch(/## Key Decisions\n- \*\*.*\*\*: .*\n\n## Next Steps\n1\. /);
});

test("SUM6 B39 B44 the focus and the split turn are joined with the documented texts", () => {
  expect(PROMPT_TEMPLATES.focus).toBe("Additional focus: {instructions}");
  expect(TURN_SEPARATOR).toBe("\n\n---\n\n**Turn Context (split turn):**\n\n");
});
