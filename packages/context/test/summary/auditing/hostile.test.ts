/** Proves that no text makes the audit or the repair throw, or take longer than its length allows. */

import { expect, test } from "vitest";
import { auditSummary } from "../../../src/summary/auditing/audit-summary.ts";
import { repaired } from "../../../src/summary/auditing/repair.ts";
import { evidenceFor, format, summaryWith } from "./asked.ts";

const SIZE = 100_000;
const INCURABLE: ReadonlySet<string> = new Set(["empty", "sections", "too-long", "other-language"]);

test.each(['"', "(", "[", "'a", "不", "(entry:e1, ", "if x, delete y, ", "user, "])(
  "AUD7 a hundred thousand letters of %j is audited and repaired in linear time",
  (unit) => {
    const evidence = evidenceFor(["user: fix the test in src/a.ts, but do not delete x", "says: ok"]);
    const body = unit.repeat(Math.ceil(SIZE / unit.length));
    const text = summaryWith({ "## Goal": `- ${body}x`, "## Key Decisions": `- The user said ${body}x` });
    const began = process.cpuUsage();
    expect(auditSummary(text, evidence, format)).not.toEqual([]);
    const { story } = repaired(text, evidence, format);
    const { user } = process.cpuUsage(began);
    expect(auditSummary(story, evidence, format).filter(({ code }) => !INCURABLE.has(code))).toEqual([]);
    expect(user / 1e6).toBeLessThan(8);
  },
);
