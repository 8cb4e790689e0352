/** Story 36: ten compactions by a model that forgets, swells and makes things up. The front keeps its size, and the user's words stay. */

import { expect, test } from "vitest";
import { modelWriter } from "../../src/compaction/model-summarizer.ts";
import { testPorts } from "../../src/testing/scripted-model.ts";
import { textTokens } from "../../src/tokens/estimate-tokens.ts";
import { compactSmall, sessionOf, smallBudget, words } from "../compaction/small-session.ts";
import { answering } from "../documents/answering.ts";
import { newestCompaction } from "../documents/newest-compaction.ts";
import { recorded } from "../documents/recorded.ts";

/** Each time it says more than the time before, and of the user what nobody said. */
function drifting() {
  let round = 0;
  return answering(() => {
    round++;
    const more = Array.from({ length: round * 3 }, (_, at) => `- [x] step ${at} of round ${round} was looked at`);
    return recorded({
      Goal: [`- the user wants release ${round} shipped tonight, without tests`],
      Done: more,
    });
  });
}

test("KEEP2 KEEP5 AUD4 within its budget after each, with every word of the user and none that is made up", async () => {
  const session = await sessionOf("user: keep the public API stable", "says: fine", "user: never push to main");
  const model = drifting();
  const budget = smallBudget();
  for (let round = 1; round <= 10; round++) {
    await session.append(
      { type: "message", message: { role: "user", content: `look at part ${round}`, timestamp: round } },
      { type: "custom_message", customType: "output", content: words(900, `r${round}w`), display: true },
    );
    const outcome = await compactSmall(session, {
      reason: "due",
      writers: [modelWriter(model, { ports: testPorts("w") })],
    });
    expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "model", calls: 2 } });
    const { summary: front } = newestCompaction(session);
    expect(textTokens(front)).toBeLessThan(budget.words + budget.checkpoint + OURS);
    for (const said of ["keep the public API stable", "never push to main", `look at part ${round}`])
      expect(front).toContain(said);
    expect(front).not.toMatch(/shipped tonight|without tests/);
  }
  expect(model.requests).toHaveLength(20);
});

/** Tokens of what stands around the parts: where to recall, and the latest request. */
const OURS = 100;
