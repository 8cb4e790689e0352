/** Document 002, "Split Turns": it cuts between a call and its results and tells these apart. A call and its results are one (B30). */

import { expect, test } from "vitest";
import { buildSessionContext } from "../../src/context/build-context.ts";
import { convertToLlm } from "../../src/context/convert-to-llm.ts";
import { messageTokens } from "../../src/tokens/estimate-tokens.ts";
import { drawContext, drawSession } from "../support/document-sessions.ts";
import { budgetKeeping, compactSmall, tailBudget } from "../support/small-session.ts";

// [user-1] [asst-1] [tool-1a] [tool-1b] [user-2] [asst-2] [tool-2]; the results bear the names t1 and t1'.
const outline = "u1 a1 t1 t1 u2 a2 t2";

test("CUT2 B30 a cut within an exchange moves so that all of it is summarized or all of it is kept", async () => {
  const session = await drawSession(outline);
  await compactSmall(session, { budget: budgetKeeping(session, 5) });
  expect(drawContext(session)).toBe("[summary] u2 a2 t2");
});

test("CUT1 CUT2 B28 an exchange that is slightly larger than the tail is kept", async () => {
  const session = await drawSession(`u6 a6 u7 a7 u8 a8 u9 a9 ${outline}`);
  const sent = convertToLlm(buildSessionContext(session.branch).messages);
  const exchange = sent.slice(9).reduce((sum, message) => sum + messageTokens(message), 0);
  await compactSmall(session, { budget: tailBudget(exchange - 50) });
  expect(drawContext(session)).toBe(`[summary] ${outline.slice(3)}`);
});

test("CUT2 HOOK4 B30 a hook's cut between a call and its result is reported and ignored", async () => {
  const session = await drawSession(outline);
  const reported: string[] = [];
  const outcome = await compactSmall(session, {
    budget: budgetKeeping(session, 3),
    hooks: {
      session_before_compact: [() => ({ compaction: { summary: "Half a turn.", firstKeptEntryId: "t1" } })],
      report: ({ event, why }) => reported.push(`${event}: ${why}`),
    },
  });
  expect(reported).toEqual(["session_before_compact: the context cannot be cut at t1"]);
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "model-free", kept: { first: "u2" } } });
});

test("TREE6 STO10 B30 a compaction that keeps a result without its call cannot be appended", async () => {
  const session = await drawSession(outline);
  await expect(
    session.append({ type: "compaction", summary: "Half.", firstKeptEntryId: "t1", tokensBefore: 9 }),
  ).rejects.toThrow("keeps tool result t1 without its tool call");
});

test("CUT2 the document's first picture: the last two turns are kept with their results", async () => {
  const session = await drawSession("u1 a1 t1 u2 a2 t2 u3 a3 t3 u4 a4");
  await compactSmall(session, { budget: budgetKeeping(session, 5) });
  expect(drawContext(session)).toBe("[summary] u3 a3 t3 u4 a4");
});

test("CUT1 B28 less than keepRecentTokens may be kept, contrary to the document", async () => {
  const session = await drawSession("u1 a1 t1 u2 a2 t2 u3 a3 t3 u4 a4");
  const outcome = await compactSmall(session, { budget: budgetKeeping(session, 3) });
  expect(drawContext(session)).toBe("[summary] u4 a4");
  expect(outcome).toMatchObject({ receipt: { kept: { count: 2 } } });
});
