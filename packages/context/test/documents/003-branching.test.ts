/** Document 003, "Branching" after and before a compaction: as a session of its own (B62), and as a move in the tree (B63). */

import { expect, test } from "vitest";
import { moveTo } from "../../src/branches/move.ts";
import { MemoryStore } from "../../src/session/memory-store.ts";
import { Session } from "../../src/session/session.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { appendDrawing, drawContext, drawSession, summarizingHook } from "../support/document-sessions.ts";
import { budgetKeeping, compactSmall, tailBudget } from "../support/small-session.ts";

async function compacted(): Promise<Session> {
  const session = await drawSession("u1 a1 u2 a2");
  await compactSmall(session, { budget: budgetKeeping(session, 2), ...summarizingHook("What u1 and a1 said.") });
  await appendDrawing(session, "u3 a3 u4 a4");
  expect(drawContext(session)).toBe("[summary] u2 a2 u3 a3 u4 a4");
  return session;
}

/** The branch up to before this user message, opened by somebody else. */
async function forkedAt(session: Session, chosen: string): Promise<Session> {
  const ports = testRuntime("f");
  const leaf = (await session.store.entry(chosen))?.parentId ?? null;
  return Session.open(MemoryStore.open(await session.fork({ leaf }), ports), ports);
}

const branchings = [
  ["after the compaction, at u3", "u3", "[summary] u2 a2"],
  ["before it, at u2: it is undone", "u2", "u1 a1"],
  ["at the very beginning", "u1", ""],
] as const;

test.each(branchings)("FORK1 FORK2 B62 a fork %s", async (_, chosen, context) => {
  const session = await compacted();
  const fork = await forkedAt(session, chosen);
  expect(drawContext(fork)).toBe(context);
  expect(drawContext(session)).toBe("[summary] u2 a2 u3 a3 u4 a4");
});

test.each(branchings)("MOVE4 CTX10 B63 a move %s, and the message returns for editing", async (_, chosen, context) => {
  const session = await compacted();
  const moved = await moveTo({ session, target: chosen, budget: tailBudget(500), runtime: testRuntime("m") });
  expect(moved).toEqual({ type: "moved", leaf: session.leaf, editorText: chosen });
  expect(drawContext(session)).toBe(context);
});

test("MOVE1 LOG1 B60 after a move all entries are still in the file, and a move back restores the context", async () => {
  const session = await compacted();
  const parts = { session, budget: tailBudget(500), runtime: testRuntime("m") };
  await moveTo({ ...parts, target: "u2" });
  await appendDrawing(session, "u8 a8");
  expect(drawContext(session)).toBe("u1 a1 u8 a8");
  await moveTo({ ...parts, target: "a4" });
  expect(drawContext(session)).toBe("[summary] u2 a2 u3 a3 u4 a4");
});
