/** Story 28: the summarizer's window is far smaller than the transcript. It is summarized in parts, completely, and joined. */

import { expect, test } from "vitest";
import { modelSummarizer } from "../../src/summary-parts/model-summarizer.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { messageTokens } from "../../src/tokens/estimate-tokens.ts";
import { budgetKeeping, compactSmall, contextLines, createSession, repeatWord } from "../support/small-session.ts";
import { answeringModel, createSummaryText, requestTexts } from "../support/summary-models.ts";

const turns = Array.from({ length: 16 }, (_, at) => [
  `user: request ${at}`,
  `says: mark${at} ${repeatWord(120)}`,
]).flat();
const record = createSummaryText({ Goal: ["- request 0 [#1]"], Done: ["- [x] mark0 was said [#2]"] });
const small = () => answeringModel(() => record, { contextWindow: 4000, maxTokens: 1000 });

test("SUM5 no request exceeds the window, and together they contain all entries", async () => {
  const session = await createSession(...turns, "user: go on", "says: fine");
  const model = small();
  const outcome = await compactSmall(session, {
    budget: budgetKeeping(session, 2),
    summarizers: [modelSummarizer(model, { runtime: testRuntime("w") })],
  });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "model", calls: model.requests.length } });
  const questions = model.requests.map(requestTexts);
  expect(questions.length).toBeGreaterThan(3);
  for (const { messages } of model.requests)
    expect(messages.reduce((sum, message) => sum + messageTokens(message), 0)).toBeLessThan(3000);
  const parts = questions.slice(0, -1);
  for (const [at] of parts.entries()) expect(parts[at]).toContain(`part ${at + 1} of ${parts.length}`);
  for (let at = 0; at < 16; at++) expect(parts.filter((part) => new RegExp(`mark${at}\\b`).test(part))).toHaveLength(1);
});

test("SUM5 the last request joins the notes of all parts, with valid entry numbers", async () => {
  const session = await createSession(...turns, "user: go on", "says: fine");
  const model = small();
  await compactSmall(session, {
    budget: budgetKeeping(session, 2),
    summarizers: [modelSummarizer(model, { runtime: testRuntime("w") })],
  });
  const joined = model.requests.map(requestTexts).at(-1) ?? "";
  expect(joined.match(/<partial-summary /g)).toHaveLength(model.requests.length - 1);
  expect(joined).toContain("- request 0 [#1]");
  expect(contextLines(session)[0]).toContain("mark0 was said [#2]");
});
