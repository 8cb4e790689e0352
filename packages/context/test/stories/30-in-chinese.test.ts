/** Story 30: the user writes Chinese. So does the record; one in English is used all the same, and the receipt says so. */

import { expect, test } from "vitest";
import { modelSummarizer } from "../../src/summary-parts/model-summarizer.ts";
import { scriptedModel, testRuntime } from "../../src/testing/scripted-model.ts";
import { budgetKeeping, compactSmall, contextLines, createSession } from "../support/small-session.ts";
import { createSummaryText } from "../support/summary-models.ts";

const request = "请修复登录页面，Safari 上无法登录，不要改动锁文件";
const lines = [
  `user: ${request}`,
  `says: ${"我检查了登录的代码，发现会话令牌没有正确设置。".repeat(30)}`,
  "user: 继续",
  "says: 好的",
];
const chinese = createSummaryText({
  Goal: ["- 请修复登录页面，Safari 上无法登录 [#1]"],
  "Constraints & Preferences": ["- 不要改动锁文件 [#1]"],
  "In Progress": ["- [ ] 会话令牌没有正确设置，正在检查登录的代码 [#2]"],
});
const english = createSummaryText({
  "In Progress": ["- [ ] the session token was not set as it should be, and the code of the page is looked at [#2]"],
  "Next Steps": ["1. set the token as it should be, and see whether the page lets people in again"],
});

async function compacted(...replies: readonly string[]) {
  const session = await createSession(...lines);
  const model = scriptedModel(...replies);
  const outcome = await compactSmall(session, {
    budget: budgetKeeping(session, 2),
    summarizers: [modelSummarizer(model, { runtime: testRuntime("w") })],
  });
  return { session, model, outcome };
}

test("AUD8 SUM6 a summary in the user's language is used under the documented headings", async () => {
  const { session, outcome } = await compacted(chinese);
  expect(outcome).toMatchObject({ receipt: { route: "model", calls: 1, findings: [] } });
  expect(contextLines(session)[0]).toContain("## Constraints & Preferences - 不要改动锁文件 [#1]");
});

test("AUD8 SUM9 KEEP2 a summary in English is used with a finding, and the user's messages stay as typed", async () => {
  const { session, outcome } = await compacted(english);
  expect(outcome).toMatchObject({
    receipt: { route: "model", calls: 1, findings: [{ code: "other-language" }] },
  });
  const [front] = contextLines(session);
  expect(front).toContain(`[#1] ${request}`);
  expect(front).toContain(
    "the session token was not set as it should be, and the code of the page is looked at [#2] #",
  );
});
