/** Whoever shows a session is waited for, and its extensions are told who speaks. */

import assert from "node:assert/strict";
import type { AgentEvent, Extensions } from "@pith/agent";
import { test } from "vitest";
import { createSessionListener } from "../../src/extensions/session.ts";

const speaking = { model: { provider: "one", model: "first", api: "any" }, level: "off" };

function hearing(): { readonly extensions: Extensions; readonly events: unknown[] } {
  const events: unknown[] = [];
  const ask = async (event: unknown) => {
    events.push(event);
    return [];
  };
  return { extensions: { onEvent: () => {}, dispatch: ask } as unknown as Extensions, events };
}

test("EVT6 with extensions, the session still waits for a slow listener", async () => {
  const read = Promise.withResolvers<void>();
  const listen = createSessionListener(() => read.promise, hearing().extensions, speaking);
  assert.equal(listen({ type: "agent_start" } as AgentEvent), read.promise);
  read.resolve();
});

test("LOAD12 model_select is sent only when the model really changes", async () => {
  const { extensions, events } = hearing();
  const listen = createSessionListener(undefined, extensions, speaking);
  for (const modelId of ["first", "second", "second"])
    void listen({ type: "entry_appended", entry: { type: "model_change", provider: "one", modelId } } as AgentEvent);
  const first = { provider: "one", model: "first", api: "any" };
  assert.deepEqual(events, [{ type: "model_select", model: { ...first, model: "second" }, previousModel: first }]);
});
