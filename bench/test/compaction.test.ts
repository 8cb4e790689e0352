/** Tests the costs of compactions in a task with the built program, and how they are computed from the server's ledger. */

import { expect, test } from "vitest";
import { computeCosts, type LedgerRow } from "../src/compaction/ledger.ts";
import { listPreviewCases } from "../src/compaction/preview-grid.ts";
import { measureCompaction, QUICK_SHAPE, toCostFigures, toPreviewFigures } from "../src/compaction/suite.ts";
import { createTask } from "../src/compaction/task.ts";

test("PFX10 a task that fills the window once is compacted once, its summarizer sees every line, and the receipt has the server's cost", async () => {
  const figures = await measureCompaction({
    shape: QUICK_SHAPE,
    seed: 1,
    previewCases: 1,
    routeCases: 2,
    log: () => {},
  });
  expect(figures).toMatchObject({ compactions: 1, seen_share: 1, preview_cases: 1 });
  expect(figures.context_k).toBeGreaterThanOrEqual(84);
  expect(figures.context_k).toBeLessThan(88);
  expect(figures.receipt_x_actual).toBeCloseTo(1, 6);
  expect(figures.preview_x_actual).toBeLessThanOrEqual(1.5);
  expect(figures.cached_share).toBeGreaterThanOrEqual(0.982);
  expect(figures.over_cheapest).toBeLessThanOrEqual(1.1);
  expect(figures.expected_x_actual).toBeLessThanOrEqual(1.5);
  // Another route would have cost more, so the choice mattered.
  expect(figures.dearest_x_chosen).toBeGreaterThan(1.2);
  expect(figures.summary_equivalent_k).toBeLessThan(Number(figures.context_k));
  expect(figures.whole_task_equivalent_k).toBeGreaterThan(Number(figures.summary_equivalent_k));
  expect(figures).not.toHaveProperty("cost_x_pi");
  // The prepared summary leaves a context of the same size, so the task does not cost more.
  expect(figures).toMatchObject({ prepared_compactions: 1, prepared_seen_share: 1, prepared_summary_requests: 1 });
  expect(Number(figures.prepared_whole_task_equivalent_k) / Number(figures.whole_task_equivalent_k)).toBeLessThan(1.02);
});

const row = (
  kind: LedgerRow["kind"],
  [uncached, cached, output]: readonly [number, number, number],
  ...lines: string[]
) => ({ kind, uncached, cached, output, lines: new Set(lines) }) satisfies LedgerRow;

test("consecutive summary requests are one compaction, and cached input counts a tenth", () => {
  const costs = computeCosts([
    row("work", [1_000, 0, 10], "a"),
    row("work", [200, 1_000, 10], "a", "b", "c"),
    row("summary", [300, 700, 50], "a"),
    row("summary", [100, 900, 30], "b"),
    row("work", [400, 100, 10], "c", "d"),
  ]);
  expect(costs).toEqual({
    compactions: 1,
    requestsPerCompaction: 2,
    contextTokens: 1_235,
    cachedShare: 0.8,
    summaryEquivalent: 560,
    summaryOutput: 80,
    seenShare: 1,
    rebuiltUncached: 400,
    taskEquivalent: 2_270,
  });
});

test("a prepared summary belongs to the compaction that uses it", () => {
  const costs = computeCosts([
    row("work", [1_000, 0, 10], "a", "b"),
    row("summary", [100, 1_000, 50], "a", "b"),
    row("work", [200, 1_000, 10], "a", "b", "c"),
    row("work", [400, 0, 10], "c", "d"),
  ]);
  expect(costs).toMatchObject({ compactions: 1, summaryEquivalent: 200, seenShare: 1, rebuiltUncached: 400 });
});

test("a line that leaves the context and is in no summary request was not seen", () => {
  const costs = computeCosts([
    row("work", [1_000, 0, 10], "a", "b", "c", "d"),
    row("summary", [300, 0, 50], "a"),
    row("work", [400, 0, 10], "d"),
  ]);
  expect(costs.seenShare).toBeCloseTo(1 / 3, 9);
});

test("costs are compared with pi per compaction and for the whole task, if pi ran", () => {
  const pi = computeCosts([row("work", [100, 0, 1], "a"), row("summary", [40, 0, 1], "a"), row("work", [60, 0, 1])]);
  const pith = computeCosts([
    row("work", [100, 0, 1], "a"),
    row("summary", [10, 100, 1], "a"),
    row("work", [60, 0, 1]),
  ]);
  expect(toCostFigures({ pith, prepared: pith, pi })).toMatchObject({
    cost_x_pi: 0.5,
    whole_task_x_pi: 0.9,
    prepared_whole_task_x_pi: 0.9,
    pi_cached_share: 0,
  });
  expect(toCostFigures({ pith, prepared: pith })).not.toHaveProperty("pi_cached_share");
});

test("an estimate of the cost that is too low counts like one that is too high", () => {
  const [base] = listPreviewCases(1, 1);
  if (!base) throw new Error("no case");
  const figures = toPreviewFigures([
    { ...base, preview: 2, actual: 4, receipt: 4 },
    { ...base, preview: 3, actual: 2, receipt: 2 },
    { ...base, preview: 1, actual: 1, receipt: 1 },
  ]);
  expect(figures).toMatchObject({
    preview_cases: 3,
    preview_x_actual: 2,
    preview_x_actual_median: 1.5,
    receipt_x_actual: 1,
  });
});

test("the cases of the preview use every value of every axis, and the seed decides which values meet", () => {
  const cases = listPreviewCases(12, 7);
  const countValues = (axis: keyof (typeof cases)[number]): number => new Set(cases.map((each) => each[axis])).size;
  expect([
    countValues("model"),
    countValues("rounds"),
    countValues("summaryLines"),
    countValues("idleMinutes"),
  ]).toEqual([4, 3, 3, 2]);
  expect(listPreviewCases(12, 7)).toEqual(cases);
  expect(listPreviewCases(12, 8)).not.toEqual(cases);
});

test("a request with the last command's result counts as work even if a note follows, and one that repeats an earlier request as a summary", async () => {
  const { script, kinds } = createTask({ rounds: 2, resultBytes: 100, summaryLines: 1 });
  if (typeof script !== "function") throw new Error("the script is a list");
  const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "…" });
  const prompt = { role: "user", content: "Look at the files." };
  const instruction = { type: "text", text: "Summarize.\n\n## Goal\n- the goal\n\n## Next Steps\n1. the next step" };
  const send = (...messages: object[]) =>
    script({
      number: 1,
      wire: "anthropic-messages",
      model: "m",
      isStreaming: true,
      tools: [],
      text: "",
      resultCount: 0,
      body: { messages },
    });
  await send(prompt);
  await send(prompt, { role: "user", content: [result("toolu_0001")] });
  const summary = await send(prompt, { role: "user", content: [result("toolu_0001"), instruction] });
  const note = { type: "text", text: "Today is Tuesday." };
  const last = await send(prompt, { role: "user", content: [result("toolu_0002"), note] });
  expect(kinds).toEqual(["work", "work", "summary", "work"]);
  expect(String(summary).match(/^## .*$/gm)).toEqual(["## Goal", "## Next Steps"]);
  expect(last).toBe("All of them are read.");
});
