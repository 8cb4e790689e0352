/** What a session has cost is counted once, whenever it is written. */

import type { Entry, Session } from "@pith/context";
import { expect, test } from "vitest";
import { SessionCost } from "../../src/sessions/session-stats.ts";
import { createCommandContext } from "../support/command-context.ts";

const lines = ["user: one", "says: two"];

async function sessionWith(more: Partial<Session>): Promise<Session> {
  const { session } = (await createCommandContext(lines, { isStored: false })).agent;
  return { store: session.store, ...more } as Session;
}

function paid(cost: number): Entry {
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { total: cost } };
  const message = { role: "assistant", content: [], model: "m", provider: "p", usage };
  return { type: "message", id: "e9", parentId: null, timestamp: "", message } as unknown as Entry;
}

test("MET5 a cost counted from the log is not added again by its event", async () => {
  const cost = new SessionCost();
  // It stands in the log already when the count reads it, and is told of only when the write has come back.
  const session = await sessionWith({ loadState: async () => cost.add([paid(0.5)]) });
  expect(await cost.count(session, null)).toBe(false);
  const quiet = await sessionWith({ loadState: async () => undefined });
  expect(await cost.count(quiet, null)).toBe(true);
  expect(cost.cost).toBe(0);
});

test("MET5 costs after the count are added to it", async () => {
  const cost = new SessionCost();
  expect(cost.cost).toBe(null);
  await cost.count(await sessionWith({ loadState: async () => undefined }), null);
  cost.add([paid(0.5)]);
  cost.add([paid(0.25)]);
  expect(cost.cost).toBe(0.75);
});
