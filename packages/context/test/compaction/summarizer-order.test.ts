/** Tests the order in which several summarizers are tried, and what the receipt says about their cost. */

import { expect, test } from "vitest";
import type { Summarizer, SummaryEstimate } from "../../src/compaction/plan.ts";
import { compactSmall, createSession, repeatWord } from "../support/small-session.ts";

const lines = ["user: fix the login", `says: ${repeatWord(800)}`, "user: and the tests?"];

/** Fails, so that all summarizers are tried. */
function failing(name: string, estimate: SummaryEstimate | null, tried: string[]): Summarizer {
  return {
    name,
    isPaid: false,
    ...(estimate && { estimate: () => estimate }),
    summarize: () => {
      tried.push(name);
      return { type: "failed", why: "no answer" };
    },
  };
}

function createSummarizers(tried: string[]): readonly Summarizer[] {
  return [
    failing("unknown", null, tried),
    failing("chunks", { cost: 0.01, isComplete: false }, tried),
    failing("no-price", { cost: null, isComplete: true }, tried),
    failing("dear", { cost: 0.5, isComplete: true }, tried),
    failing("cheap", { cost: 0.1, isComplete: true }, tried),
  ];
}

test("PFX7 with the order cheapest, the cheapest that reads everything is tried first and those without an estimate last", async () => {
  const tried: string[] = [];
  await compactSmall(await createSession(...lines), {
    summarizers: createSummarizers(tried),
    summarizerOrder: "cheapest",
  });
  expect(tried).toEqual(["cheap", "dear", "no-price", "chunks", "unknown"]);
});

test("PFX7 by default, the summarizers are tried in the listed order", async () => {
  const tried: string[] = [];
  await compactSmall(await createSession(...lines), { summarizers: createSummarizers(tried) });
  expect(tried).toEqual(["unknown", "chunks", "no-price", "dear", "cheap"]);
});

test("PFX8 the receipt has the cost that the summarizer expected", async () => {
  const writer: Summarizer = {
    name: "writer",
    isPaid: false,
    summarize: ({ covered }) => ({
      type: "written",
      candidate: {
        route: "writer",
        narrative: "The login is fixed.",
        notes: "",
        covers: new Set(covered.map(({ id }) => id)),
        expectedCost: 0.25,
      },
    }),
  };
  const outcome = await compactSmall(await createSession(...lines), { summarizers: [writer] });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "writer", cost: 0, expectedCost: 0.25 } });
});
