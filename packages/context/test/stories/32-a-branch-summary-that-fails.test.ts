/** Story 32: nobody can write the record of a branch. Then it is not left: nothing is lost but what the attempt cost. */

import { expect, test } from "vitest";
import { moveTo } from "../../src/branches/move.ts";
import { scriptedModel, testRuntime } from "../../src/testing/scripted-model.ts";
import { emptyUsage } from "../../src/testing/story.ts";
import { contextLines, createSession, tailBudget } from "../support/small-session.ts";

const lines = ["user: make it fast", "says: cache or index?", "user: try a cache", "says: slower than before"];
const budget = tailBudget(500, { branch: { tokens: 1000, share: 1 } });
const ports = testRuntime("m");
const usage = { ...emptyUsage, input: 900, totalTokens: 900, cost: { ...emptyUsage.cost, total: 0.1 } };

test("BR5 B71 if both models fail, the move is not made, and their cost is logged", async () => {
  const session = await createSession(...lines);
  const before = contextLines(session);
  const silent = scriptedModel({ content: [], usage });
  const down = { failure: { kind: "unreachable", message: "no route to host" } } as const;
  const failingModel = { ...scriptedModel(down, down), model: "gone" };
  const moved = await moveTo({
    session,
    target: "e2",
    budget,
    runtime: ports,
    summary: { models: [silent, failingModel] },
  });
  expect(moved).toEqual({
    type: "failed",
    why: "summary",
    failures: [
      { code: "empty", note: "anthropic/storyteller: the reply is empty" },
      { code: "unreachable", note: "anthropic/gone: no route to host" },
    ],
  });
  expect(contextLines(session)).toEqual(before);
  expect((await session.branchEntries()).slice(4)).toMatchObject([{ type: "usage", kind: "branch_summary", usage }]);
});

test("BR5 B71 if the user aborts the summary, the position does not change", async () => {
  const session = await createSession(...lines);
  const giving = new AbortController();
  const hooks = { session_before_tree: [() => giving.abort()] };
  const moved = await moveTo({
    session,
    target: "e2",
    budget,
    runtime: ports,
    hooks,
    signal: giving.signal,
    summary: { models: [scriptedModel("never asked")] },
  });
  expect([moved, session.leaf]).toEqual([{ type: "cancelled" }, "e4"]);
});

test("MOVE4 a move without a summary is always possible", async () => {
  const session = await createSession(...lines);
  expect(await moveTo({ session, target: "e2", budget, runtime: ports })).toMatchObject({ type: "moved" });
  expect(contextLines(session)).toEqual(["0 user      make it fast", "1 assistant cache or index?"]);
});

test("BR6 a branch without text gets no summary, and no model is called", async () => {
  const session = await createSession("user: make it fast", "says: cache or index?", "thinking: high", "names: speed");
  const model = scriptedModel();
  const moved = await moveTo({ session, target: "e2", budget, runtime: ports, summary: { models: [model] } });
  expect(moved).toEqual({ type: "moved", leaf: session.leaf });
  expect(model.requests).toEqual([]);
});
