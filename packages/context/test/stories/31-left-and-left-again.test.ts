/** Story 31: a branch is left, continued, and left again. It is summarized once; then only what is new. */

import { expect, test } from "vitest";
import { moveTo } from "../../src/branches/move.ts";
import type { Session } from "../../src/session/session.ts";
import { type ScriptedModel, testRuntime } from "../../src/testing/scripted-model.ts";
import { contextLines, createSession, tailBudget } from "../support/small-session.ts";
import { answeringModel, createSummaryText, requestTexts } from "../support/summary-models.ts";

const lines = ["user: make it fast", "says: cache or index?", "user: try a cache", "says: slower than before"];
const cache = createSummaryText(
  { Goal: ["- try a cache [#3]"], Done: ["- [x] it got slower than before [#4]"] },
  "branch",
);
const larger = createSummaryText(
  { Goal: ["- try a larger cache [#7]"], Done: ["- [x] slower than before [#4]"] },
  "branch",
);

const budget = tailBudget(500, { branch: { tokens: 1000, share: 1 } });
const ports = testRuntime("m");
const leaving = (session: Session, model: ScriptedModel) =>
  moveTo({ session, target: "e2", budget, runtime: ports, summary: { models: [model] } });

test("BR4 MOVE3 leaving an unchanged branch again reuses its summary without a request", async () => {
  const session = await createSession(...lines);
  const model = answeringModel(() => cache);
  const first = await leaving(session, model);
  expect(first).toMatchObject({ type: "moved", summary: { parentId: "e2", fromId: "e4" } });
  await moveTo({ session, target: "e4", budget, runtime: ports });
  const second = await leaving(session, model);
  expect(model.requests).toHaveLength(1);
  expect(second).toMatchObject({ type: "moved", summary: { parentId: "e2" } });
  expect(contextLines(session)[2]).toMatch(/^2 left {6}## Goal - try a cache \[#3\]/);
});

test("BR4 after more work, only the new entries are summarized, together with the earlier summary", async () => {
  const session = await createSession(...lines);
  const model = answeringModel((question) => (question.includes("larger") ? larger : cache));
  await leaving(session, model);
  await moveTo({ session, target: "e4", budget, runtime: ports });
  await session.append({ type: "message", message: { role: "user", content: "try a larger cache", timestamp: 1 } });
  await leaving(session, model);
  const [, again = ""] = model.requests.map(requestTexts);
  expect(again).toMatch(/<previous-summary [^>]*>[\s\S]*it got slower than before \[#4\][\s\S]*<\/previous-summary/);
  expect(again).toMatch(/<conversation [^>]*>[\s\S]*try a larger cache[\s\S]*<\/conversation/);
  expect(again).not.toMatch(/\[Assistant\]: \[#\d+\] slower than before/);
  expect(contextLines(session)[2]).toContain("try a larger cache [#7]");
});
