/** Proves for random summaries that a repair leaves nothing behind that it promises to cure, and changes nothing that is sound. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { auditSummary } from "../../../src/summary/audit.ts";
import { repaired } from "../../../src/summary/repair.ts";
import { sections, sectionsOfTurn } from "./asked.ts";
import { evidences, stories } from "./random-story.ts";

const formats = fc.record({
  sections: fc.constantFrom(sections, sectionsOfTurn),
  tokens: fc.oneof({ weight: 3, arbitrary: fc.constant(4000) }, fc.integer({ min: 0, max: 400 })),
});

test("AUD7 after a repair nothing is wrong but what code cannot cure", () => {
  fc.assert(
    fc.property(stories, evidences, formats, (text, evidence, format) => {
      const { story } = repaired(text, evidence, format);
      const left = auditSummary(story, evidence, format).filter(({ code }) => !INCURABLE.has(code));
      expect(left).toEqual([]);
    }),
    { numRuns: RUNS },
  );
});

test("AUD7 what was repaired is not repaired again", () => {
  fc.assert(
    fc.property(stories, evidences, (text, evidence) => {
      const format = { sections: sections, tokens: 4000 };
      const { story } = repaired(text, evidence, format);
      expect(repaired(story, evidence, format)).toEqual({ story, mended: [] });
    }),
    { numRuns: RUNS },
  );
});

const RUNS = 200;
const INCURABLE: ReadonlySet<string> = new Set(["empty", "sections", "too-long", "other-language"]);
