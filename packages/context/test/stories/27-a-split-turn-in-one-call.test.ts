/** Story 27: the cut falls into a turn. One question asks for both parts of the record, and both are in what the model sees. */

import { expect, test } from "vitest";
import type { Session } from "../../src/session/session.ts";
import { modelSummarizer } from "../../src/summary-parts/model-summarizer.ts";
import { scriptedModel, testRuntime } from "../../src/testing/scripted-model.ts";
import { show, story } from "../../src/testing/story.ts";
import {
  budgetKeeping,
  compactSmall,
  contextLines,
  createSession,
  modelSummary,
  repeatWord,
} from "../support/small-session.ts";
import { createSummaryText } from "../support/summary-models.ts";

const turn = [
  "user: rename color to colour",
  "calls: bash command=rename",
  `result: ${repeatWord(600)}`,
  "calls: bash command=test",
  "result: green",
];
const before = ["user: which files are there?", `says: ${repeatWord(300)}`];
const history = createSummaryText({ Goal: ["- which files are there? [#1]", "- rename color to colour [#3]"] });
const early = createSummaryText(
  { "Original Request": ["- rename color to colour [#3]"], "Early Progress": ["- the tool bash ran rename [#4]"] },
  "turn",
);

test("SUM7 CUT4 B43 B44 one request gives both parts, and the turn's part follows the separator", async () => {
  const session = await createSession(...before, ...turn);
  const model = scriptedModel(`${history}\n\n---\n\n**Turn Context (split turn):**\n\n${early}`);
  const outcome = await compactSmall(session, {
    budget: budgetKeeping(session, 2),
    summarizers: [modelSummarizer(model, { runtime: testRuntime("w") })],
  });
  expect(outcome).toMatchObject({ receipt: { route: "model", calls: 1 } });
  expect(show(model.requests[0]?.messages ?? [])).toMatch(/<\/conversation nonce-1> <turn nonce-1> .*rename color/);
  const [front, ...kept] = contextLines(session);
  expect(front).toMatch(/## Critical Context .* --- \*\*Turn Context \(split turn\):\*\* ## Original Request - rename/);
  expect(kept).toEqual(["1 assistant [c2: bash command=test]", "2 tool      c2 -> green"]);
});

// Without anything before it, the turn begins with the first entry.
const alone = early.replaceAll("#3", "#1").replaceAll("#4", "#2");
const written = (session: Session, { messages, says }: { readonly messages: number; readonly says: string }) =>
  compactSmall(session, {
    budget: budgetKeeping(session, messages),
    summarizers: [modelSummarizer(scriptedModel(says), { runtime: testRuntime("w") })],
  });

test('SUM7 B45 without history before the turn, the summary begins with "No prior history."', async () => {
  const session = await createSession(...turn);
  expect(await written(session, { messages: 2, says: alone })).toMatchObject({ receipt: { route: "model", calls: 1 } });
  expect(modelSummary(session)).toContain(
    "No prior history.\n\n---\n\n**Turn Context (split turn):**\n\n## Original Request\n- rename color to colour [#1]\n",
  );
});

test("SUM7 B45 with nothing new before the turn, the earlier summary is carried over unchanged", async () => {
  const [request = "", ...work] = turn;
  const session = await createSession(...before, request);
  await written(session, { messages: 1, says: createSummaryText({ Goal: ["- which files are there? [#1]"] }) });
  // The title names the newest covered entry.
  const narrative = modelSummary(session).replace(/^# Summary.*\n/, "");
  for (const entry of story(request, ...work).slice(1))
    if (entry.type === "message") await session.append({ type: "message", message: entry.message });
  expect(await written(session, { messages: 2, says: early })).toMatchObject({ receipt: { route: "model", calls: 1 } });
  expect(modelSummary(session)).toContain(`)\n${narrative}\n\n---\n\n**Turn Context (split turn):**\n\n## Original`);
});
