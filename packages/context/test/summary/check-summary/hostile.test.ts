/** Tests that no text makes a check throw or take more than linear time. */

import { expect, test } from "vitest";
import { checkSummary } from "../../../src/summary/check-summary.ts";
import { expectFasterThan } from "../../support/expect-speed.ts";
import { evidenceFor, format, summaryWith } from "../fixtures.ts";

const SIZE = 100_000;
const SESSION = ["user: fix the test in src/a.ts, but do not delete x", "says: ok"];

// Two and a half times what each takes on a quiet machine.
test.each([
  ["`", 450],
  ["(entry:e1, ", 250],
  ["(entry:a ", 200],
  ["[#1, ", 200],
  ["[#1-", 200],
  ["#1 ", 250],
  ["if x, delete y, ", 200],
  ["a/", 200],
  ["/", 200],
  [":1", 200],
  ["https://", 200],
  ["src/a.ts ", 400],
  ["`aB` ", 250],
  ["blob:aaaaaaa ", 200],
  ['"fix the test" ', 1_000],
  ["(unconfirmed) ", 200],
  [" \n", 2_100],
  ["- x\n", 3_300],
  ["  - x [#1]\n", 1_800],
  ["# x\n", 800],
  ["=\n", 1_500],
  ["## Notes\n", 300],
  ["```\n", 600],
  ["**Turn Context (split turn):**\n", 300],
] as const)(
  "AUD7 a hundred thousand letters of %j are checked within %i milliseconds of a processor",
  (unit, milliseconds) => {
    const body = unit.repeat(Math.ceil(SIZE / unit.length));
    const text = summaryWith({ "## Goal": `- ${body}x`, "## Key Decisions": `- The user wants ${body}x [#1]` });
    expect(checkSummary(text, evidenceFor(SESSION), format).text.length).toBeGreaterThan(SIZE);
    expectFasterThan(milliseconds, () => {
      const evidence = evidenceFor(SESSION);
      return () => checkSummary(text, evidence, format);
    });
  },
);

test("AUD7 a session of half a million characters is searched for names and quotations within a second of CPU time", () => {
  const log = Array.from({ length: 50_000 }, (_, at) => `word${at.toString(36)}`).join(" ");
  const lines = Array.from(
    { length: 60 },
    (_, at) => `- "word${at} and other words" in \`file_${at}\` and src/f${at}.ts`,
  );
  const text = ["## Critical Context", ...lines].join("\n");
  expectFasterThan(1_000, () => {
    const evidence = evidenceFor(["user: run it", "calls: bash command=make", `result: ${log}`]);
    return () => expect(checkSummary(text, evidence, { sections: [], tokens: 9_000 }).flaws).toHaveLength(60);
  });
});
