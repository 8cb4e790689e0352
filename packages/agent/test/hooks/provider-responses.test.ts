/** Tests hooks/provider-hooks.ts: a slow or failing hook blocks neither other hooks nor the reply. */

import assert from "node:assert/strict";
import type { Model } from "@pith/context";
import type { HookFailure } from "@pith/context/host";
import { emptyUsage } from "@pith/context/testing";
import { test } from "vitest";
import type { AgentHooks } from "../../src/index.ts";
import { createTestAgent } from "../support/held-agent.ts";

const CHUNKS = 50;

function createModel(): Model {
  const name = { api: "anthropic-messages", provider: "anthropic", model: "chatty" };
  return {
    ...name,
    contextWindow: 200_000,
    maxTokens: 4_000,
    async *stream(_, { transport }) {
      transport?.onResponse?.({ "x-request-id": "r1" });
      for (let chunk = 0; chunk < CHUNKS; chunk += 1) transport?.onChunk?.({ chunk });
      const message = { role: "assistant", content: [{ type: "text", text: "Good." }], ...name } as const;
      yield { type: "reply-ended", message: { ...message, usage: emptyUsage, stopReason: "stop", timestamp: 0 } };
    },
  };
}

test("SAY12 a failing hook does not keep events from the others", async () => {
  const events: unknown[] = [];
  const failures: HookFailure[] = [];
  const failing = Object.assign(() => Promise.reject(new Error("no")), { from: "failing" });
  const hooks: AgentHooks = {
    provider_stream_event: [failing, ({ event }) => void events.push(event)],
    report: (failure) => void failures.push(failure),
  };
  const { prompt } = await createTestAgent(createModel(), { hooks });
  assert.deepEqual(await prompt("Begin."), { type: "done" });
  assert.equal(events.length, CHUNKS);
  assert.deepEqual(failures, [{ event: "provider_stream_event", why: "no", from: "failing" }]);
});

test("SAY12 a hook that is slow with every chunk delays a reply no longer than one that hangs", async () => {
  let eventCount = 0;
  const slow = async () => {
    eventCount += 1;
    for (let turn = 0; turn < 8; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const failures: HookFailure[] = [];
  const report = (failure: HookFailure): void => void failures.push(failure);
  const { prompt } = await createTestAgent(createModel(), { hooks: { provider_stream_event: [slow], report } });
  assert.deepEqual(await prompt("Begin."), { type: "done" });
  assert.ok(eventCount < CHUNKS / 2, `${eventCount} events were awaited`);
  assert.equal(failures.length, 1);
});
