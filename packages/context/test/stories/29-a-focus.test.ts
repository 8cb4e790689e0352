/** Story 29: the user says what the summary should look at. So may an extension; both join every question that is asked. */

import { expect, test } from "vitest";
import { modelSummarizer } from "../../src/summary-parts/model-summarizer.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { budgetKeeping, compactSmall, createSession, repeatWord } from "../support/small-session.ts";
import { answeringModel, createSummaryText, requestTexts } from "../support/summary-models.ts";

const turns = Array.from({ length: 12 }, (_, at) => [`user: request ${at}`, `says: ${repeatWord(120)}`]).flat();
const record = createSummaryText({ Goal: ["- request 0 [#1]"] });

test("SUM5 HOOK1 B39 the focus of the user and of the hook is in the request for every part", async () => {
  const session = await createSession(...turns, "user: go on", "says: fine");
  const model = answeringModel(() => record, { contextWindow: 4000, maxTokens: 1000 });
  const outcome = await compactSmall(session, {
    budget: budgetKeeping(session, 2),
    instructions: "the migration",
    hooks: { session_before_compact: [() => ({ customInstructions: "open tickets" })] },
    summarizers: [modelSummarizer(model, { runtime: testRuntime("w") })],
  });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "model" } });
  expect(model.requests.length).toBeGreaterThan(2);
  for (const request of model.requests)
    expect(requestTexts(request)).toContain("Additional focus: the migration\nopen tickets");
});

test("SUM5 without a focus no request mentions one", async () => {
  const session = await createSession(...turns.slice(0, 4), "user: go on", "says: fine");
  const model = answeringModel(() => record);
  await compactSmall(session, {
    budget: budgetKeeping(session, 2),
    summarizers: [modelSummarizer(model, { runtime: testRuntime("w") })],
  });
  expect(model.requests.map(requestTexts).join()).not.toContain("Additional focus");
});
