/** The cheap look before every request, held against the count. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { createBudget } from "../../src/compaction/budget.ts";
import { compactionDue, fitsWithoutCounting } from "../../src/compaction/should-compact.ts";
import type { Entry } from "../../src/entry.ts";
import { loadBranch } from "../../src/session/loaded-branch.ts";
import { compactionLimits } from "../../src/settings.ts";
import { emptyUsage } from "../../src/testing/story.ts";

const to = { api: "anthropic-messages", provider: "anthropic", model: "m" };

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 400 }),
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.constantFrom("漢字".repeat(200), "👩‍👩‍👧‍👦".repeat(60), "\u0000\u0001".repeat(100), "word ".repeat(300)),
);

const said = fc.record({ text, total: fc.option(fc.nat(20_000)), isReply: fc.boolean() });

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

test("DUE6 whatever was said and counted, what surely fits is not due", () => {
  fc.assert(
    fc.property(fc.array(said, { maxLength: 30 }), fc.integer({ min: 200, max: 30_000 }), (all, contextWindow) => {
      const window = loadBranch(entriesOf(all));
      const budget = createBudget(compactionLimits, { contextWindow, model: to });
      if (fitsWithoutCounting(window, budget))
        expect(compactionDue(window, budget)).toMatchObject({ type: "not-due", why: "fits" });
    }),
    { numRuns: 2_000 },
  );
});

test("DUE6 a short talk surely fits a common window, and a long one does not", () => {
  const budget = createBudget(compactionLimits, { contextWindow: 200_000, model: to });
  const talk = (words: string) => loadBranch(entriesOf([{ text: words, total: null, isReply: false }]));
  expect(fitsWithoutCounting(talk("Hello."), budget)).toBe(true);
  expect(fitsWithoutCounting(talk("word ".repeat(100_000)), budget)).toBe(false);
});
