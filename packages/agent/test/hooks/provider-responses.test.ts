/** What a provider answered, told to several: none keeps another from hearing it, or the reply from being kept. */

import assert from "node:assert/strict";
import type { Model } from "@pith/context";
import type { HookFailure } from "@pith/context/host";
import { emptyUsage } from "@pith/context/testing";
import { test } from "vitest";
import type { AgentHooks } from "../../src/index.ts";
import { stage } from "../loop/held.ts";

const PIECES = 50;

function chatty(): Model {
  const name = { api: "anthropic-messages", provider: "anthropic", model: "chatty" };
  return {
    ...name,
    contextWindow: 200_000,
    maxTokens: 4_000,
    async *stream(_, { transport: line }) {
      line?.onResponse?.({ "x-request-id": "r1" });
      for (let piece = 0; piece < PIECES; piece += 1) line?.onChunk?.({ piece });
      const message = { role: "assistant", content: [{ type: "text", text: "Good." }], ...name } as const;
      yield { type: "reply-ended", message: { ...message, usage: emptyUsage, stopReason: "stop", timestamp: 0 } };
    },
  };
}

test("SAY12 one that fails keeps no other from hearing all of it", async () => {
  const heard: unknown[] = [];
  const failures: HookFailure[] = [];
  const failing = Object.assign(() => Promise.reject(new Error("no")), { from: "failing" });
  const hooks: AgentHooks = {
    provider_stream_event: [failing, ({ event }) => void heard.push(event)],
    report: (failure) => void failures.push(failure),
  };
  const { prompt } = await stage(chatty(), { hooks });
  assert.deepEqual(await prompt("Begin."), { type: "done" });
  assert.equal(heard.length, PIECES);
  assert.deepEqual(failures, [{ event: "provider_stream_event", why: "no", from: "failing" }]);
});

test("SAY12 one that is slow with every piece holds a reply up no longer than one that hangs", async () => {
  let heard = 0;
  const slow = async () => {
    heard += 1;
    for (let turn = 0; turn < 8; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const failures: HookFailure[] = [];
  const report = (failure: HookFailure): void => void failures.push(failure);
  const { prompt } = await stage(chatty(), { hooks: { provider_stream_event: [slow], report } });
  assert.deepEqual(await prompt("Begin."), { type: "done" });
  assert.ok(heard < PIECES / 2, `${heard} were waited for`);
  assert.equal(failures.length, 1);
});
