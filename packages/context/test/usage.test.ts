/** Tests usage.ts: the totals of a session, in any order of its entries. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry } from "../src/entry.ts";
import type { Usage } from "../src/message.ts";
import { story } from "../src/testing/story.ts";
import { addToTotals, addUsage, sumUsage, usageOfEntry, zeroTotals, zeroUsage } from "../src/usage.ts";

const usage = (input: number, total = 0): Usage => ({
  ...zeroUsage,
  input,
  output: 1,
  totalTokens: input + 1,
  cost: { ...zeroUsage.cost, input: total, total },
});
const place = { id: "x", parentId: null, timestamp: "" };
const entries = story("user: fix it", "says: looking", "calls: read path=a", "result: text", "says: done");
const reply: Entry = {
  ...place,
  type: "message",
  message: {
    role: "assistant",
    content: [],
    api: "a",
    provider: "p",
    model: "m",
    usage: usage(10, 1),
    stopReason: "error",
    timestamp: 0,
  },
};
const summaries: readonly Entry[] = [
  { ...place, type: "compaction", summary: "", firstKeptEntryId: "x", tokensBefore: 0, usage: usage(20, 2) },
  { ...place, type: "compaction", summary: "", firstKeptEntryId: "x", tokensBefore: 0 },
  { ...place, type: "branch_summary", summary: "", fromId: "x", usage: usage(30, 3) },
  { ...place, type: "usage", kind: "compaction", provider: "p", model: "m", usage: usage(40, 4) },
];
const beside: Entry = { ...place, type: "usage", kind: "retry", provider: "p", model: "m", usage: usage(50, 5) };

describe("EVT8 totals", () => {
  test("EVT8 cover all entries: messages, failed ones too, summaries, used or not, and other paid calls (B83)", () => {
    const totals = [...entries, reply, ...summaries, beside].reduce(addToTotals, zeroTotals);
    expect(totals).toMatchObject({
      entries: 11,
      userMessages: 1,
      assistantMessages: 4,
      toolCalls: 1,
      toolResults: 1,
      compactions: 2,
      branchSummaries: 1,
      usage: { input: 150, output: 5, totalTokens: 155, cost: { total: 15 } },
      spent: { replies: { input: 10 }, summaries: { input: 90, cost: { total: 9 } }, rest: { input: 50 } },
    });
  });

  test("EVT8 do not depend on the order of the entries", () => {
    const all = [...entries, reply, ...summaries, beside];
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (shuffled) => {
        expect(shuffled.reduce(addToTotals, zeroTotals)).toEqual(all.reduce(addToTotals, zeroTotals));
      }),
    );
  });

  test("EVT8 count values that are not numbers as zero", () => {
    const odd = { input: "many", output: Number.NaN, cost: null } as unknown as Usage;
    expect(addUsage(usage(1, 1), odd)).toEqual(usage(1, 1));
    expect(addUsage(zeroUsage, null as unknown as Usage)).toEqual(zeroUsage);
    const entry = { ...beside, usage: odd } as Entry;
    expect(addToTotals(zeroTotals, entry)).toEqual({ ...zeroTotals, entries: 1 });
  });

  test("EVT8 keep fields that only some providers report, in any order of the usages", () => {
    const withReasoning = (reasoning: unknown): Usage => ({ ...usage(10), reasoning }) as Usage;
    const usages = [usage(1), withReasoning(5), usage(2), withReasoning(7)];
    const expected = { ...usage(23), output: 4, totalTokens: 27, reasoning: 12 };
    expect(sumUsage(usages)).toEqual(expected);
    expect(sumUsage(usages.toReversed())).toEqual(expected);
    expect(usages.reduce(addUsage, zeroUsage)).toEqual(expected);
    expect(sumUsage([withReasoning(5), withReasoning("many")])).toMatchObject({ input: 20, reasoning: 5 });
    expect(sumUsage([usage(1), withReasoning("many")])).not.toHaveProperty("reasoning");
  });

  test("EVT8 of no usages are zero, and a usage from a file may have values that are not numbers", () => {
    const odd = { ...usage(1), input: "many", cost: null } as unknown as Usage;
    expect(sumUsage([])).toEqual(zeroUsage);
    expect(sumUsage([odd, usage(2, 3)])).toEqual(sumUsage([usage(2, 3), odd]));
    expect(sumUsage([odd, usage(2, 3)])).toMatchObject({ input: 2, output: 2, cost: { total: 3 } });
  });

  test("EVT8 a user message has no cost", () => {
    expect(entries.map(usageOfEntry).filter((paid) => paid !== null)).toHaveLength(3);
    expect(usageOfEntry(entries[0] as Entry)).toBeNull();
  });
});
