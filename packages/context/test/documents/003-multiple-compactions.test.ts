/** Document 003, "Multiple Compactions": its "never cross a compaction boundary" loses what the first one kept; ours begins there (B34). */

import { expect, test } from "vitest";
import type { Session } from "../../src/session/session.ts";
import {
  appendDrawing,
  drawContext,
  drawSession,
  type HookInput,
  summarizingHook,
} from "../support/document-sessions.ts";
import { budgetKeeping, compactSmall } from "../support/small-session.ts";

/** Compacted once, as drawn: the last four are kept, and eight messages follow. */
async function compactedOnce(): Promise<Session> {
  const session = await drawSession("u1 a1 t1 t1 a1 u2 a2 u3 a3 t3 a3 t3 a3 u4 a4 t4 a4");
  await compactSmall(session, { budget: budgetKeeping(session, 4), ...summarizingHook("The first story.") });
  await appendDrawing(session, "u5 a5 u6 a6 t6 a6 u7 a7");
  return session;
}

test("CTX2 B58 after two compactions, the context has the newest summary and what it kept", async () => {
  const session = await compactedOnce();
  const outcome = await compactSmall(session, {
    budget: budgetKeeping(session, 6),
    ...summarizingHook("The second story."),
  });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "hook", kept: { first: "u6" } } });
  expect(drawContext(session)).toBe("[summary] u6 a6 t6 a6 u7 a7");
});

test("CUT5 B34 the second summarizer gets the messages that the first compaction kept, and the first summary", async () => {
  const session = await compactedOnce();
  const hookInputs: HookInput[] = [];
  await compactSmall(session, {
    budget: budgetKeeping(session, 6),
    ...summarizingHook("The second story.", hookInputs),
  });
  expect(hookInputs).toEqual([{ history: "u4 a4 t4 a4 u5 a5", turn: "", previous: "The first story." }]);
});

test("CUT5 CMP6 B34 every earlier message is kept or summarized, none twice", async () => {
  const session = await compactedOnce();
  const before = drawContext(session);
  const hookInputs: HookInput[] = [];
  await compactSmall(session, {
    budget: budgetKeeping(session, 6),
    ...summarizingHook("The second story.", hookInputs),
  });
  expect(`[summary] ${hookInputs[0]?.history} ${drawContext(session).replace("[summary] ", "")}`).toBe(before);
});

test("CUT5 B34 a larger tail may begin before the earlier compaction, contrary to the document", async () => {
  const session = await compactedOnce();
  const hookInputs: HookInput[] = [];
  await compactSmall(session, {
    budget: budgetKeeping(session, 9),
    ...summarizingHook("The second story.", hookInputs),
  });
  expect(drawContext(session)).toBe("[summary] a4 u5 a5 u6 a6 t6 a6 u7 a7");
  expect(hookInputs).toEqual([{ history: "", turn: "u4 a4 t4", previous: "The first story." }]);
});

test("CUT4 B32 with room for three messages, three are kept and the turn of u6 is split", async () => {
  const session = await compactedOnce();
  const hookInputs: HookInput[] = [];
  await compactSmall(session, {
    budget: budgetKeeping(session, 3),
    ...summarizingHook("The second story.", hookInputs),
  });
  expect(drawContext(session)).toBe("[summary] a6 u7 a7");
  expect(hookInputs).toMatchObject([{ history: "u4 a4 t4 a4 u5 a5", turn: "u6 a6 t6" }]);
});
