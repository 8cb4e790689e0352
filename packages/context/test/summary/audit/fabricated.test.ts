/** Proves that nothing a summary invents of the user is left after a repair, and nothing else is touched. */

import { describe, expect, test } from "vitest";
import { auditSummary } from "../../../src/summary/audit.ts";
import type { Evidence } from "../../../src/summary/evidence.ts";
import { repaired } from "../../../src/summary/repair.ts";
import { citedIds } from "../../../src/summary/summary-lines.ts";
import { evidenceFor, format, summaryWith } from "./asked.ts";
import { type Fabricated, fabricated, sessions } from "./fabricated.ts";

test("AUD4 the list is long enough, and no line stands in it twice", () => {
  expect(fabricated.length).toBeGreaterThanOrEqual(60);
  expect(new Set(fabricated.map(({ line }) => line)).size).toBe(fabricated.length);
});

describe("a fabricated line", () => {
  test.each(fabricated)("AUD4 is found: $tongue, $section, $line", (invented) => {
    const codes = auditSummary(told(invented), evidenceFor(sessions[invented.tongue]), format).map(({ code }) => code);
    expect(codes.some((code) => code === "unfounded" || code === "false-quote")).toBe(true);
  });

  test.each(fabricated)("AUD4 is gone after a repair, and it alone: $tongue, $section, $line", (invented) => {
    const evidence = evidenceFor(sessions[invented.tongue]);
    const { story } = repaired(told(invented), evidence, format);
    expect(story).toBe(told({ ...invented, line: inItsPlace(invented, evidence) }));
  });
});

/** Where it stood among the user's wishes and cited a person, that person's own words; else nothing. */
function inItsPlace({ section, line }: Fabricated, { openingOf }: Evidence): string {
  if (section !== "## Goal" && section !== "## Constraints & Preferences") return "- (none)";
  return (
    citedIds(line)
      .map(openingOf)
      .find((opening) => opening !== null) ?? "- (none)"
  );
}

const told = ({ section, line }: Fabricated): string =>
  summaryWith({ "## Next Steps": "1. go on", "## Critical Context": "- the work goes on in src", [section]: line });
