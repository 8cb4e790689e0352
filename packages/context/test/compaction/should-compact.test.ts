/** The cheap look before every request, held against the count, and the room that a request leaves for its reply. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createBudget } from "../../src/compaction/budget.ts";
import { compactionDue, computeReplyBudget, fitsWithoutCounting } from "../../src/compaction/should-compact.ts";
import { buildSessionContext } from "../../src/context/build-context.ts";
import { buildRequest } from "../../src/context/build-request.ts";
import { contextSize } from "../../src/context/context-size.ts";
import type { Entry } from "../../src/entry.ts";
import { type LoadedBranch, loadBranch } from "../../src/session/loaded-branch.ts";
import { compactionLimits } from "../../src/settings.ts";
import { emptyUsage } from "../../src/testing/story.ts";
import { requestTokens } from "../../src/tokens/estimate-tokens.ts";
import { repeatWord } from "../support/small-session.ts";

const to = { api: "anthropic-messages", provider: "anthropic", model: "m" };

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 400 }),
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.constantFrom("漢字".repeat(200), "👩‍👩‍👧‍👦".repeat(60), "\u0000\u0001".repeat(100), "word ".repeat(300)),
);

const createReply = fc.record({ text, total: fc.option(fc.nat(20_000)), isReply: fc.boolean() });

function entriesOf(
  all: readonly { readonly text: string; readonly total: number | null; readonly isReply: boolean }[],
): readonly Entry[] {
  return all.map(({ text: words, total, isReply }, at): Entry => {
    const place = { id: `e${at}`, parentId: at === 0 ? null : `e${at - 1}`, timestamp: "" };
    const content = [{ type: "text" as const, text: words }];
    const usage = { ...emptyUsage, input: total ?? 0, totalTokens: total ?? 0 };
    const reply = { role: "assistant", content, ...to, usage, stopReason: "stop", timestamp: 0 } as const;
    return { type: "message", message: isReply ? reply : { role: "user", content, timestamp: 0 }, ...place };
  });
}

test("DUE6 for any messages, a context that fits without counting is not due", () => {
  fc.assert(
    fc.property(
      fc.array(createReply, { maxLength: 30 }),
      fc.integer({ min: 200, max: 30_000 }),
      (all, contextWindow) => {
        const window = loadBranch(entriesOf(all));
        const budget = createBudget(compactionLimits, { contextWindow, model: to });
        if (fitsWithoutCounting(window, budget))
          expect(compactionDue(window, budget)).toMatchObject({ type: "not-due", why: "fits" });
      },
    ),
    { numRuns: 2_000 },
  );
});

test("DUE6 a short conversation fits a common window without counting, and a long one does not", () => {
  const budget = createBudget(compactionLimits, { contextWindow: 200_000, model: to });
  const createBranch = (words: string) => loadBranch(entriesOf([{ text: words, total: null, isReply: false }]));
  expect(fitsWithoutCounting(createBranch("Hello."), budget)).toBe(true);
  expect(fitsWithoutCounting(createBranch("word ".repeat(100_000)), budget)).toBe(false);
});

describe("the room for a reply", () => {
  const contextWindow = 100_000;
  const budget = createBudget(compactionLimits, { contextWindow, model: to });
  const reserve = contextWindow - budget.limit;
  const measuredReply = { text: "Done.", total: 30_000, isReply: true };
  const ask = (words: number) => ({ text: repeatWord(words), total: null, isReply: false });
  const roomIn = (branch: LoadedBranch): number =>
    computeReplyBudget(branch, { budget, maxTokens: 90_000 })?.tokens ?? Number.NaN;

  test("ROOM1 after an exact count by the provider, the reply has the rest of the window", () => {
    expect(roomIn(loadBranch(entriesOf([measuredReply])))).toBe(70_000);
  });

  test("ROOM1 input and reply fit the window even if the new messages have a fifth more tokens than estimated", () => {
    const branch = loadBranch(entriesOf([measuredReply, ask(12_000)]));
    const { measured, estimated } = contextSize(branch, budget);
    expect(estimated).toBeGreaterThan(20_000);
    const room = roomIn(branch);
    expect(measured + 1.2 * estimated + room).toBeLessThanOrEqual(contextWindow);
    expect(room).toBeGreaterThan(reserve);
  });

  test("ROOM1 uncertain estimates leave the reserve below the threshold, above it the rest, and nothing beyond the window", () => {
    const [below, above, beyond] = [16_000, 20_000, 26_000].map((words) =>
      loadBranch(entriesOf([measuredReply, ask(words)])),
    ) as [LoadedBranch, LoadedBranch, LoadedBranch];
    expect(compactionDue(below, budget)).toMatchObject({ type: "not-due", why: "fits" });
    expect(roomIn(below)).toBe(reserve);
    expect(compactionDue(above, budget)).toMatchObject({ type: "due" });
    expect(roomIn(above)).toBe(contextWindow - contextSize(above, budget).tokens);
    expect(roomIn(beyond)).toBe(0);
  });

  test.each([1, 1.5])(
    "ROOM3 a request that hooks changed fits with its reply if the provider counts %d times the estimate and 5% more",
    (factor) => {
      const calibration = { "anthropic/m": { factor, overhead: 0, samples: 20 } };
      const details = { pith: { calibration } };
      const compacted = { type: "compaction", summary: "a story", firstKeptEntryId: "e0", tokensBefore: 9 } as const;
      const branch = loadBranch([{ ...compacted, id: "e0", parentId: null, timestamp: "", details }]);
      const context = buildSessionContext(branch);
      const added = { role: "user", content: repeatWord(15_000), timestamp: 0 } as const;
      const request = buildRequest({ ...context, messages: [...context.messages, added] }, { model: to });
      const room = computeReplyBudget(branch, { budget, maxTokens: 90_000, request })?.tokens ?? Number.NaN;
      const counted = factor * requestTokens(request);
      expect(counted * 1.05 + room).toBeLessThanOrEqual(contextWindow);
      expect(counted * 1.2 + room).toBeGreaterThan(contextWindow);
    },
  );
});
