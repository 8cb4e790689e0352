/** Story 24: a model writes the record. It is held against the log, and the next request begins with it. */

import { expect, test } from "vitest";
import { modelSummarizer } from "../../src/summary-parts/model-summarizer.ts";
import { scriptedModel, testRuntime } from "../../src/testing/scripted-model.ts";
import { show } from "../../src/testing/story.ts";
import { budgetKeeping, compactSmall, contextLines, createSession, repeatWord } from "../support/small-session.ts";
import { createSummaryText } from "../support/summary-models.ts";

const lines = [
  "user: the login fails on Safari, please fix it",
  "calls: read path=src/login.ts",
  `result: ${repeatWord(700)}`,
  "says: the cookie has no SameSite attribute",
  "user: never touch the lock file",
  "says: fine",
];

const record = createSummaryText({
  Goal: ["- the login fails on Safari, please fix it [#1]"],
  "In Progress": ["- [ ] the cookie has no SameSite attribute, src/login.ts was read [#2, #4]"],
  "Next Steps": ["1. set the attribute in src/login.ts"],
});

test("SUM6 SUM8 AUD2 the citations of the summary are entry numbers, and the receipt names the model", async () => {
  const session = await createSession(...lines);
  const model = scriptedModel(record);
  const outcome = await compactSmall(session, {
    budget: budgetKeeping(session, 2),
    summarizers: [modelSummarizer(model, { runtime: testRuntime("w") })],
  });
  expect(outcome).toMatchObject({
    type: "compacted",
    receipt: { route: "model", by: "anthropic/storyteller", calls: 1, findings: [] },
  });
  const [front = "", ...kept] = contextLines(session);
  expect(front).toContain("## Goal - the login fails on Safari, please fix it [#1]");
  expect(front).toContain("src/login.ts was read [#2, #4]");
  expect(kept).toEqual(["1 user      never touch the lock file", "2 assistant fine"]);
});

test("SUM2 SUM3 the request has the transcript between marks and the task after them", async () => {
  const session = await createSession(...lines);
  const model = scriptedModel(record);
  await compactSmall(session, {
    budget: budgetKeeping(session, 2),
    summarizers: [modelSummarizer(model, { runtime: testRuntime("w") })],
  });
  const [request] = model.requests;
  const requestText = show(request?.messages ?? []);
  expect(request?.tools).toEqual([]);
  expect(requestText).toMatch(
    /^0 user {6}<conversation nonce-1> .*\[User\].*the login fails.* <\/conversation nonce-1> Write/,
  );
  expect(requestText).not.toContain("never touch the lock file");
});
