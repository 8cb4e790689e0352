/** Story 20: the summarizer is broken. Nothing of it reaches the context, and the compaction is done all the same. */

import { expect, test } from "vitest";
import type { Summarizer, SummaryCandidate } from "../../src/compaction/plan.ts";
import { compactSmall, contextLines, createSession, repeatWord } from "../support/small-session.ts";

const lines = ["user: never touch the lock file", `says: ${repeatWord(900)}`, "user: go on"];

function writer(story: string, parts: Partial<Summarizer> = {}): Summarizer {
  return {
    name: "broken",
    isPaid: true,
    summarize: ({ covered }) => {
      const candidate: SummaryCandidate = {
        route: "broken",
        narrative: story,
        notes: "",
        covers: new Set(covered.map(({ id }) => id)),
      };
      return { type: "written", candidate };
    },
    ...parts,
  };
}

test.each([
  ["silent", writer(" \n"), "empty"],
  ["endless", writer(repeatWord(9000)), "too-long"],
  ["failing", writer("", { summarize: () => Promise.reject(new Error("503")) }), "summarizer-failed"],
  [
    "incomplete",
    writer("all good", {
      summarize: () => ({
        type: "written",
        candidate: { route: "broken", narrative: "all good", notes: "", covers: new Set() },
      }),
    }),
    "not-covered",
  ],
] as const)(
  "CMP5 CMP6 with a summarizer that is %s, the summary is built without a model, and the receipt has the reason",
  async (_, broken, code) => {
    const session = await createSession(...lines);
    const outcome = await compactSmall(session, { summarizers: [broken] });
    expect(outcome).toMatchObject({
      type: "compacted",
      receipt: { route: "model-free", findings: expect.arrayContaining([expect.objectContaining({ code })]) },
    });
    expect(contextLines(session)[0]).toContain("never touch the lock file");
  },
);

test('KEEP2 a summary that is only "ok" loses none of the user\'s messages', async () => {
  const session = await createSession(...lines);
  expect(await compactSmall(session, { summarizers: [writer("ok")] })).toMatchObject({ receipt: { route: "broken" } });
  expect(contextLines(session)[0]).toContain("never touch the lock file");
});

test("GUARD3 above the hourly limit no model is called", async () => {
  const session = await createSession(...lines);
  const usage = {
    input: 1,
    output: 1,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 2,
    cost: { input: 3, output: 3, cacheRead: 0, cacheWrite: 0, total: 6 },
  };
  await session.append({ type: "usage", kind: "compaction", provider: "p", model: "m", usage });
  let callCount = 0;
  const counting = writer("ok", {
    summarize: () => {
      callCount++;
      return { type: "nothing" };
    },
  });
  const outcome = await compactSmall(session, { summarizers: [counting] });
  expect(callCount).toBe(0);
  expect(outcome).toMatchObject({
    receipt: {
      route: "model-free",
      findings: expect.arrayContaining([expect.objectContaining({ code: "spend-limit" })]),
    },
  });
});
