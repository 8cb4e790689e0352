/** The price of a compaction, from what is known about the model that writes the summary. */

import { compactionLimits, createBudget, previewCompaction } from "@pith/context";
import { loadBranch } from "@pith/context/store";
import { story } from "@pith/context/testing";
import { expect, test } from "vitest";
import { computePreviewStats, type SummarizerInfo } from "../../src/context-report/compaction-preview.ts";

const long = "a sentence of some words. ".repeat(400);
const exchanges = Array.from({ length: 8 }, (_, at) => [`user: question ${at}`, `says: ${long}`]).flat();
const planned = previewCompaction(
  loadBranch(story(...exchanges)),
  createBudget(compactionLimits, { contextWindow: 24_000 }),
);

const choose = (...summarizers: SummarizerInfo[]) => ({ summarizers, order: "listed" }) as const;

const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

const limits = { provider: "p", model: "m", contextWindow: 24_000, maxTokens: 8_000 };

test("MET20 the previewed cost uses the prices of the summarizer, and is unknown without prices", () => {
  if (planned.type !== "planned") throw new Error(planned.type);
  const price = (prices: SummarizerInfo["prices"]): number | null =>
    computePreviewStats(planned, choose({ ...limits, prices })).costUsd;
  const cheap = price({ input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 }) ?? 0;
  expect(cheap).toBeGreaterThan(0);
  expect(price({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 })).toBeCloseTo(3 * cheap, 9);
  expect(price(undefined)).toBe(null);
});

test("MET20 before the first reply, the previewed cost uses the list prices of the session's model", () => {
  if (planned.type !== "planned") throw new Error(planned.type);
  const stats = computePreviewStats(planned, choose({ ...limits, api: "a", prices }));
  expect(stats).toMatchObject({ summarizer: "p/m", costUsd: expect.any(Number) });
});

test("MET20 a model whose window is too small for any part of the conversation has no previewed cost", () => {
  if (planned.type !== "planned") throw new Error(planned.type);
  expect(computePreviewStats(planned, choose({ ...limits, contextWindow: 500, prices })).costUsd).toBe(null);
});

test("MET23 the preview counts the user messages that stay word for word, and those that are shortened", () => {
  const preview = (words: number, ...lines: readonly string[]) => {
    const limits = { ...compactionLimits, userMessages: { tokens: words, share: 1 } };
    const result = previewCompaction(loadBranch(story(...lines)), createBudget(limits, { contextWindow: 24_000 }));
    if (result.type !== "planned") throw new Error(result.type);
    return computePreviewStats(result, choose()).userMessages;
  };
  const all = exchanges.filter((line) => line.startsWith("user:")).length;
  expect(preview(1_000, ...exchanges)).toEqual({ staying: all, leaving: 0, tokens: 1_000 });
  const lengthy = ["user: please use tabs in every file of this project from now on. ".repeat(20), ...exchanges];
  const few = preview(150, ...lengthy);
  expect(few?.leaving).toBeGreaterThan(0);
  expect((few?.leaving ?? 0) + (few?.staying ?? 0)).toBe(all + 1);
});
