/** Proves how much is too much, and how much of each thing is kept, for any window. */

import { describe, expect, test } from "vitest";
import { createBudget } from "../../src/compaction/budget.ts";
import { compactionLimits, toTokenAmount } from "../../src/settings.ts";

const to = { api: "anthropic-messages", provider: "anthropic", model: "large" };
const limitOf = (
  thresholds: (typeof compactionLimits)["thresholds"],
  setting: Parameters<typeof createBudget>[1],
): number => createBudget({ ...compactionLimits, thresholds }, setting).limit;

describe("the threshold", () => {
  test.each([
    [8_000, 6_000],
    [16_384, 12_288],
    [32_000, 24_000],
    [65_536, 49_152],
    [128_000, 111_616],
    [200_000, 183_616],
    [1_000_000, 983_616],
  ])("DUE3 of a window of %i tokens is %i by default", (contextWindow, limit) => {
    expect(createBudget(compactionLimits, { contextWindow }).limit).toBe(limit);
  });

  test("DUE2 is a number, a percentage or a reserve", () => {
    expect(limitOf([{ tokens: 50_000 }], { contextWindow: 200_000 })).toBe(50_000);
    expect(limitOf([{ percent: 60 }], { contextWindow: 200_000 })).toBe(120_000);
    expect(limitOf([{ reserve: { tokens: 30_000 } }], { contextWindow: 200_000 })).toBe(170_000);
  });

  test("DUE8 an amount is a number of tokens or a share of the window; of a setting, 1 is one token (B26)", () => {
    const reserves = [0, 0.1, 0.25, 0.4, 1, 1.5].map((setting) =>
      limitOf([{ reserve: toTokenAmount(setting) }], { contextWindow: 200_000 }),
    );
    expect(reserves).toEqual([200_000, 180_000, 150_000, 150_000, 199_999, 199_998]);
    const amounts = [{ tokens: 0 }, { share: 0.05 }, { share: 0.1 }, { tokens: 9_000 }, { tokens: 1 }];
    const tails = amounts.map((amount) => {
      const tail = { ...compactionLimits.tail, tokens: Number.POSITIVE_INFINITY, ...amount };
      return createBudget({ ...compactionLimits, tail }, { contextWindow: 8_000 }).tail;
    });
    expect(tails).toEqual([0, 400, 800, 1_600, 1]);
    const rooms = [0, 0.1, 16_384].map((setting) => {
      return createBudget({ ...compactionLimits, branchReserve: toTokenAmount(setting) }, { contextWindow: 200_000 })
        .branchInput;
    });
    expect(rooms).toEqual([200_000, 180_000, 183_616]);
  });

  test("DUE2 is the lowest threshold that applies to the model and the agent", () => {
    const thresholds = [
      { reserve: { tokens: 16_384 } },
      { percent: 80, model: "anthropic/large" },
      { tokens: 90_000, agent: "reviewer" },
      { tokens: 10, model: "openai/other" },
    ];
    expect(limitOf(thresholds, { contextWindow: 200_000 })).toBe(183_616);
    expect(limitOf(thresholds, { contextWindow: 200_000, model: to })).toBe(160_000);
    expect(limitOf(thresholds, { contextWindow: 200_000, model: to, agent: "reviewer" })).toBe(90_000);
  });

  test("DUE2 is never more than the window", () => {
    expect(limitOf([{ tokens: 500_000 }], { contextWindow: 200_000 })).toBe(200_000);
    expect(limitOf([], { contextWindow: 200_000 })).toBe(200_000);
  });

  test.each([0, -1, Number.NaN])("DUE5 of a window of %d tokens is infinite", (contextWindow) => {
    const budget = createBudget(compactionLimits, { contextWindow });
    expect(budget.limit).toBe(Number.POSITIVE_INFINITY);
    expect(budget.tail).toBe(20_000);
  });
});

describe("the token amounts of a budget", () => {
  test("DUE3 are shares of a small window and fixed numbers in a large one", () => {
    expect(createBudget(compactionLimits, { contextWindow: 8_000 })).toMatchObject({
      tail: 1_600,
      userMessages: 800,
      checkpoint: 640,
      shortenedMessage: 400,
    });
    expect(createBudget(compactionLimits, { contextWindow: 1_000_000 })).toMatchObject({
      tail: 20_000,
      userMessages: 20_000,
      checkpoint: 8_000,
      shortenedMessage: 4_000,
    });
  });

  test("DUE3 are shares of the threshold if it is far below the window", () => {
    const limits = { ...compactionLimits, thresholds: [{ tokens: 30_000 }] };
    expect(createBudget(limits, { contextWindow: 1_000_000 })).toMatchObject({
      tail: 8_000,
      userMessages: 4_000,
      checkpoint: 3_200,
    });
  });
});
