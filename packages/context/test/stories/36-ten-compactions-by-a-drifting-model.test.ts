/** Story 36: ten compactions by a model that swells and makes things up. The front keeps its size, and no invented wish passes for the user's. */

import { expect, test } from "vitest";
import { modelSummarizer } from "../../src/summary-parts/model-summarizer.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { textTokens } from "../../src/tokens/estimate-tokens.ts";
import {
  compactSmall,
  createSession,
  modelSummary,
  newestCompaction,
  repeatWord,
  smallBudget,
} from "../support/small-session.ts";
import { answeringModel, createSummaryText } from "../support/summary-models.ts";

const MARK = / \((?:unconfirmed|not from the user)\)$/;
const rules = ["- keep the public API stable [#1]", "- never push to main [#3]"];

/** Each time it says more than the time before, and of the user what nobody said: citing nothing, a tool, or another message. */
function drifting() {
  const answers: string[] = [];
  const model = answeringModel((question) => {
    const round = answers.length + 1;
    const [, tool = "#1"] = /\[Note\]: \[(#\d+)\]/.exec(question) ?? [];
    const source = ["", ` [${tool}]`, " [#1]"][round % 3];
    const more = Array.from({ length: 4 + round * 2 }, (_, at) => `- [x] step ${at} of round ${round} was looked at`);
    const answer = createSummaryText({
      Goal: [`- the user wants release ${round} shipped tonight, without tests${source}`],
      "Constraints & Preferences": rules,
      Done: more,
    });
    answers.push(answer);
    return answer;
  });
  return { model, answers };
}

test("KEEP2 KEEP5 AUD4 AUD7 SUM9 each of ten summaries keeps its budget, the user's messages and every line, with invented claims marked", async () => {
  const session = await createSession("user: keep the public API stable", "says: fine", "user: never push to main");
  const { model, answers } = drifting();
  const budget = smallBudget();
  for (let round = 1; round <= 10; round++) {
    await session.append(
      { type: "message", message: { role: "user", content: `look at part ${round}`, timestamp: round } },
      { type: "custom_message", customType: "output", content: repeatWord(900, `r${round}w`), display: true },
    );
    const before = answers.length;
    const outcome = await compactSmall(session, {
      reason: "due",
      summarizers: [modelSummarizer(model, { runtime: testRuntime("w") })],
    });
    expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "model", calls: answers.length - before } });
    const isTooLong = JSON.stringify(outcome).includes('"too-long"');
    expect(answers.length - before).toBe(isTooLong ? 2 : 1);

    const { summary: front } = newestCompaction(session);
    expect(textTokens(front)).toBeLessThan(budget.userMessages + budget.checkpoint + OURS);
    for (const text of ["[#1]\nkeep the public API stable\n", "never push to main\n", `\nlook at part ${round}`])
      expect(front).toContain(text);

    const lines = modelSummary(session).split("\n");
    const written = answers.at(-1)?.split("\n") ?? [];
    expect(lines.map((line) => line.replace(MARK, ""))).toEqual(expect.arrayContaining(written));
    expect(lines.filter((line) => MARK.test(line))).toEqual(lines.filter((line) => line.includes("tonight")));
    expect(front.match(/shipped tonight/g)).toHaveLength(1);
  }
  expect(answers.length).toBeLessThan(15);
});

/** Tokens of what stands around the parts: where to recall, and the latest request. */
const OURS = 100;
