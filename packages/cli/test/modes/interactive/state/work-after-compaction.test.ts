/** What is under way after a compaction: the run it came in, or nothing. */

import type { AgentEvent } from "@pith/agent";
import { expect, test } from "vitest";
import { reduceEvent } from "../../../../src/modes/interactive/state/reduce.ts";
import { initialScreenState } from "../../../../src/modes/interactive/state/screen-state.ts";

const begins: AgentEvent = { type: "compaction_start", reason: "threshold" };

const ends: AgentEvent = {
  ...{ type: "compaction_end", reason: "threshold", aborted: false, willRetry: false, calls: 0, durationMs: 1 },
  compaction: { type: "cancelled" },
};

const workAfter = (...events: readonly AgentEvent[]): string =>
  events.reduce((state, event) => reduceEvent(state, event, 0), initialScreenState).activity.type;

test("MET7 after a compaction during a run the activity is running; after any other it is idle", () => {
  expect(workAfter({ type: "agent_start" }, begins, ends)).toBe("running");
  expect(workAfter(begins, ends)).toBe("idle");
  expect(workAfter({ type: "agent_start" }, { ...begins, reason: "manual" }, { ...ends, reason: "manual" })).toBe(
    "running",
  );
});
