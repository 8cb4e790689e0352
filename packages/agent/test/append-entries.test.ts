/** Tests the events of new entries: moved leaves and session names. */

import assert from "node:assert/strict";
import { test } from "vitest";
import type { AgentEvent } from "../src/index.ts";
import { createScene, workCall } from "./hooks/hook-scene.ts";

test("SAY16 a move, an undo and a redo emit leaf_moved; messages do not", async () => {
  const long = "This is what it is about. ".repeat(2_000);
  const { prompt, agent, events } = await createScene([long, workCall(), long, long, "4"], {});
  for (const words of ["1", "2", "3"]) await prompt(words);
  assert.deepEqual(moves(events), []);
  await agent.compact();
  assert.deepEqual(moves(events), []);
  const old = agent.session.leaf;
  await agent.undoCompaction();
  assert.deepEqual(moves(events), [{ type: "leaf_moved", leafId: agent.session.leaf, oldLeafId: old }]);
  await agent.undoCompaction("redo");
  await agent.navigateTree(agent.session.branch.entries.at(-3)?.id ?? null);
  assert.equal(moves(events).length, 3);
  await prompt("4");
  const moveEvents = moves(events);
  assert.equal(moveEvents.length, 3);
  for (const [at, move] of moveEvents.entries())
    if (at > 0) assert.equal(move.type === "leaf_moved" && typeof move.oldLeafId, "string");
});

test("SAY16 emits an event when the session is named and when the name is removed", async () => {
  const { agent, events } = await createScene([], {});
  await agent.appendToSession((session) => session.append({ type: "session_info", name: "the login" }));
  await agent.appendToSession((session) => session.append({ type: "session_info", name: "" }));
  const matchingEvents = events.filter(({ type }) => type === "session_info_changed");
  assert.deepEqual(matchingEvents, [
    { type: "session_info_changed", name: "the login" },
    { type: "session_info_changed" },
  ]);
});

function moves(events: readonly AgentEvent[]): readonly AgentEvent[] {
  return events.filter(({ type }) => type === "leaf_moved");
}
