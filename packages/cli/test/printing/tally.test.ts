/** What a run cost, added up from what it told. */

import type { AgentEvent } from "@pith/agent";
import { noUsage } from "@pith/context";
import { expect, test } from "vitest";
import { counted, nothingYet, told } from "../../src/printing/tally.ts";

test("PRT9 requests, tokens and cost add up, those of a summary included", () => {
  const usage = { ...noUsage, input: 900, cacheRead: 100, output: 20, cost: { ...noUsage.cost, total: 0.02 } };
  const events = [
    replied({ input: 900, cacheRead: 100, cost: 0.01 }),
    { type: "compaction_end", calls: 2, usage } as AgentEvent,
    { type: "compaction_end", calls: 0 } as AgentEvent,
    { type: "usage", kind: "retry", provider: "p", model: "m", usage: { ...noUsage, output: 2 } } as AgentEvent,
    replied({ input: 50, cacheRead: 1_950, cost: 0.005 }),
  ];
  const tally = events.reduce(counted, nothingYet);
  expect(tally).toMatchObject({ requests: 5, usage: { input: 1_850, cacheRead: 2_150, output: 62 } });
  expect(told(tally)).toBe("5 requests, 4.0k tokens in (2.1k from the cache), 62 out, $0.0350");
});

test("PRT9 what has no price is told without one", () => {
  expect(told(counted(nothingYet, replied({ input: 7, cacheRead: 0, cost: 0 })))).toBe(
    "1 request, 7 tokens in, 20 out",
  );
  expect(counted(nothingYet, { type: "turn_start" })).toBe(nothingYet);
});

function replied({ input, cacheRead, cost }: { input: number; cacheRead: number; cost: number }): AgentEvent {
  const usage = { input, cacheRead, cacheWrite: 0, output: 20, cost: { total: cost } };
  return { type: "message_end", message: { role: "assistant", content: [], usage } } as unknown as AgentEvent;
}
