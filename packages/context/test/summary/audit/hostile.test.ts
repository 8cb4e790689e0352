/** Proves that no text makes the audit or the repair throw, or take longer than its length allows. */

import { expect, test } from "vitest";
import { auditSummary } from "../../../src/summary/audit.ts";
import { repaired } from "../../../src/summary/repair.ts";
import { expectSoon } from "../../soon.ts";
import { evidenceFor, format, summaryWith } from "./asked.ts";

const SIZE = 100_000;
const TOLD = ["user: fix the test in src/a.ts, but do not delete x", "says: ok"];
const INCURABLE: ReadonlySet<string> = new Set(["empty", "sections", "too-long", "other-language"]);

// Two and a half times what each takes on a quiet machine.
test.each([
  ['"', 450],
  ["(", 460],
  ["[", 270],
  ["'a", 2_400],
  ["不", 1_080],
  ["(entry:e1, ", 640],
  ["if x, delete y, ", 1_600],
  ["user, ", 1_440],
] as const)(
  "AUD7 a hundred thousand letters of %j is audited and repaired within %i milliseconds of a processor",
  (unit, milliseconds) => {
    const evidence = evidenceFor(TOLD);
    const body = unit.repeat(Math.ceil(SIZE / unit.length));
    const text = summaryWith({ "## Goal": `- ${body}x`, "## Key Decisions": `- The user said ${body}x` });
    expect(auditSummary(text, evidence, format)).not.toEqual([]);
    const { story } = repaired(text, evidence, format);
    expect(auditSummary(story, evidence, format).filter(({ code }) => !INCURABLE.has(code))).toEqual([]);
    expectSoon(milliseconds, () => {
      const fresh = evidenceFor(TOLD);
      return () => [auditSummary(text, fresh, format), repaired(text, fresh, format)];
    });
  },
);
