/** Proves that no text makes the audit or the repair throw, or take longer than its length allows. */

import { expect, test } from "vitest";
import { auditSummary } from "../../../src/summary/auditing/audit-summary.ts";
import { repaired } from "../../../src/summary/auditing/repair.ts";
import { evidenceFor, format, summaryWith } from "./asked.ts";

const SIZE = 100_000;
const TOLD = ["user: fix the test in src/a.ts, but do not delete x", "says: ok"];
const INCURABLE: ReadonlySet<string> = new Set(["empty", "sections", "too-long", "other-language"]);

test.each(['"', "(", "[", "'a", "不", "(entry:e1, ", "if x, delete y, ", "user, "])(
  "AUD7 a hundred thousand letters of %j is audited and repaired in linear time",
  (unit) => {
    const evidence = evidenceFor(TOLD);
    const body = unit.repeat(Math.ceil(SIZE / unit.length));
    const text = summaryWith({ "## Goal": `- ${body}x`, "## Key Decisions": `- The user said ${body}x` });
    expect(auditSummary(text, evidence, format)).not.toEqual([]);
    const { story } = repaired(text, evidence, format);
    expect(auditSummary(story, evidence, format).filter(({ code }) => !INCURABLE.has(code))).toEqual([]);
    expect(Math.min(secondsFor(text), secondsFor(text))).toBeLessThan(3);
  },
);

/** Of the processor, for an audit and a repair; others use the machine too, so the better of two counts. */
function secondsFor(text: string): number {
  const evidence = evidenceFor(TOLD);
  const began = process.cpuUsage();
  auditSummary(text, evidence, format);
  repaired(text, evidence, format);
  return process.cpuUsage(began).user / 1e6;
}
