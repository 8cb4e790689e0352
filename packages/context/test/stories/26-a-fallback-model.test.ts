/** Story 26: one model breaks off in the middle of its record, another one takes over. Both are paid, one is believed. */

import { expect, test } from "vitest";
import { modelSummarizer } from "../../src/summary-parts/model-summarizer.ts";
import { scriptedModel, testRuntime } from "../../src/testing/scripted-model.ts";
import { emptyUsage } from "../../src/testing/story.ts";
import { budgetKeeping, compactSmall, contextLines, createSession, repeatWord } from "../support/small-session.ts";
import { createSummaryText } from "../support/summary-models.ts";

const lines = ["user: sort the imports", `says: ${repeatWord(700)}`, "user: go on", "says: fine"];
const usage = {
  ...emptyUsage,
  input: 900,
  output: 100,
  totalTokens: 1000,
  cost: { ...emptyUsage.cost, total: 0.25 },
};
const text = (text: string) => [{ type: "text" as const, text }];
const record = createSummaryText({ Goal: ["- sort the imports [#1]"] });
const ports = testRuntime("w");

const cutOff = scriptedModel({ content: text("## Goal\n- sort the imp"), stopReason: "length", usage });
const sound = { ...scriptedModel({ content: text(record), usage }), model: "reliable" };

test("SUM4 SUM8 AUD1 a truncated summary is replaced by that of the next model, and the receipt has both", async () => {
  const session = await createSession(...lines);
  const outcome = await compactSmall(session, {
    budget: budgetKeeping(session, 2),
    summarizers: [cutOff, sound].map((each) => modelSummarizer(each, { runtime: ports })),
  });
  expect(outcome).toMatchObject({
    type: "compacted",
    receipt: {
      route: "model",
      by: "anthropic/reliable",
      calls: 2,
      cost: 0.5,
      findings: [
        { code: "reply-unused", note: expect.stringContaining("a reply was not used: the reply was cut off (") },
        { code: "summarizer-failed", note: "anthropic/storyteller: the reply was cut off" },
      ],
    },
  });
  expect(contextLines(session)[0]).toContain("- sort the imports [#1]");
});

test("CMP8 B83 the cost of the failed model is logged with the compaction", async () => {
  const session = await createSession(...lines);
  const again = scriptedModel({ content: text("## Goal\n- sort the imp"), stopReason: "length", usage });
  const next = { ...scriptedModel({ content: text(record), usage }), model: "reliable" };
  await compactSmall(session, {
    budget: budgetKeeping(session, 2),
    summarizers: [again, next].map((each) => modelSummarizer(each, { runtime: ports })),
  });
  expect((await session.branchEntries()).slice(-2)).toMatchObject([
    { type: "usage", kind: "compaction", model: "storyteller", usage },
    { type: "compaction", usage },
  ]);
});
