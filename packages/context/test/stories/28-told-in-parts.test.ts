/** Story 28: the summariser's window is far smaller than what it is to tell. It is told in parts, all of it, and joined. */

import { expect, test } from "vitest";
import { modelSummarizer } from "../../src/summary-parts/model-summarizer.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { messageTokens } from "../../src/tokens/estimate-tokens.ts";
import { compactSmall, seenBy, sessionOf, words } from "../compaction/small-session.ts";
import { answering, asked } from "../documents/answering.ts";
import { keeping } from "../documents/keeping.ts";
import { recorded } from "../documents/recorded.ts";

const turns = Array.from({ length: 16 }, (_, at) => [`user: request ${at}`, `says: mark${at} ${words(120)}`]).flat();
const record = recorded({ Goal: ["- request 0 [#1]"], Done: ["- [x] mark0 was said [#2]"] });
const small = () => answering(() => record, { contextWindow: 4000, maxTokens: 1000 });

test("SUM5 no question is longer than the window, and together they tell everything", async () => {
  const session = await sessionOf(...turns, "user: go on", "says: fine");
  const model = small();
  const outcome = await compactSmall(session, {
    budget: keeping(session, 2),
    summarizers: [modelSummarizer(model, { runtime: testRuntime("w") })],
  });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "model", calls: model.requests.length } });
  const questions = model.requests.map(asked);
  expect(questions.length).toBeGreaterThan(3);
  for (const { messages } of model.requests)
    expect(messages.reduce((sum, message) => sum + messageTokens(message), 0)).toBeLessThan(3000);
  const parts = questions.slice(0, -1);
  for (const [at] of parts.entries()) expect(parts[at]).toContain(`part ${at + 1} of ${parts.length}`);
  for (let at = 0; at < 16; at++) expect(parts.filter((part) => new RegExp(`mark${at}\\b`).test(part))).toHaveLength(1);
});

test("SUM5 the last question joins the notes on all parts, with ids that hold in it too", async () => {
  const session = await sessionOf(...turns, "user: go on", "says: fine");
  const model = small();
  await compactSmall(session, {
    budget: keeping(session, 2),
    summarizers: [modelSummarizer(model, { runtime: testRuntime("w") })],
  });
  const joined = model.requests.map(asked).at(-1) ?? "";
  expect(joined.match(/<partial-summary /g)).toHaveLength(model.requests.length - 1);
  expect(joined).toContain("- request 0 [#1]");
  expect(seenBy(session)[0]).toContain("mark0 was said [#2]");
});
