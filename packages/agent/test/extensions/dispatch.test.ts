/** Tests extensions/dispatch.ts: each extension gets notifications in order, from its own bounded queue. */

import assert from "node:assert/strict";
import type { Runtime } from "@pith/context";
import { test } from "vitest";
import {
  type AgentEvent,
  createExtensions,
  type ExtensionApi,
  type ExtensionFailure,
  headlessUi,
} from "../../src/index.ts";
import { assemble, hang, quiet } from "../support/test-extensions.ts";

const update: AgentEvent = { type: "message_update", delta: { type: "text-delta", text: "a" } as never };

test("EXT9 a slow extension gets all events in order and blocks no other", async () => {
  const received: string[] = [];
  const slow = Promise.withResolvers<void>();
  const { extensions, failures } = await assemble({
    slow: (pith) => {
      pith.on("agent_start", async ({ type }) => {
        await Promise.race([slow.promise, new Promise((resolve) => setImmediate(resolve))]);
        received.push(`slow ${type}`);
      });
      pith.on("turn_start", ({ type }) => void received.push(`slow ${type}`));
    },
    quick: (pith) => pith.on("turn_start", ({ type }) => void received.push(`quick ${type}`)),
  });
  assert.equal(extensions.onEvent({ type: "agent_start" }), undefined);
  assert.equal(extensions.onEvent({ type: "turn_start" }), undefined);
  assert.deepEqual(received, []);
  await quiet();
  assert.deepEqual(received, ["quick turn_start", "slow agent_start", "slow turn_start"]);
  assert.deepEqual(failures, []);
});

test("EXT9 a full queue drops updates first and reports it once", async () => {
  const received: string[] = [];
  const gate = Promise.withResolvers<void>();
  const { extensions, failures } = await assemble({
    one: (pith) => {
      pith.on("agent_start", () => gate.promise);
      for (const name of ["turn_start", "message_update"] as const)
        pith.on(name, ({ type }) => void received.push(type));
    },
  });
  extensions.onEvent({ type: "agent_start" });
  await Promise.resolve();
  for (let at = 0; at < 900; at += 1) extensions.onEvent({ type: "turn_start" });
  for (let at = 0; at < 5_000; at += 1) extensions.onEvent(update);
  for (let at = 0; at < 50; at += 1) extensions.onEvent({ type: "turn_start" });
  gate.resolve();
  for (let at = 0; at < 20; at += 1) await quiet();
  assert.equal(received.filter((type) => type === "turn_start").length, 950);
  assert.equal(received.length, 1_000);
  assert.deepEqual(failures, [
    {
      extension: "one",
      event: "message_update",
      why: "more than 1000 events are queued for this extension; some were dropped",
    },
  ]);
});

test("EXT9 queued events are delivered before the session ends", async () => {
  const received: string[] = [];
  const { extensions } = await assemble({
    one: (pith) => {
      pith.on("agent_settled", async () => {
        await new Promise((resolve) => setImmediate(resolve));
        received.push("settled");
      });
      pith.on("session_shutdown", () => void received.push("shutdown"));
    },
  });
  extensions.onEvent({ type: "agent_settled", aborted: false });
  await extensions.dispatch({ type: "session_shutdown", reason: "quit" });
  assert.deepEqual(received, ["settled", "shutdown"]);
});

test("EXT9 the end of a session waits for handlers only briefly, and no event is sent after it", async () => {
  const waited: number[] = [];
  const received: string[] = [];
  const sleep: Runtime["sleep"] = async (ms, { signal }) => {
    if (ms < 30_000) waited.push(ms);
    await (ms < 30_000 ? quiet() : new Promise((resolve) => signal?.addEventListener("abort", resolve)));
  };
  const extension = (pith: ExtensionApi): void => {
    pith.on("agent_start", hang);
    pith.on("turn_start", ({ type }) => void received.push(type));
    pith.on("agent_settled", (_, { ui }) => void ui.confirm("Sure?", "Really?"));
    pith.on("session_shutdown", hang);
  };
  const failures: ExtensionFailure[] = [];
  const report = (failure: ExtensionFailure): void => void failures.push(failure);
  const early = { ui: { ...headlessUi, confirm: hang }, hasUI: true, cwd: "/home/ada/app" };
  const parts = { runtime: { sleep }, report, initialContext: early, builtInTools: [], builtInCommands: [] };
  const other = {
    name: "other",
    extension: (pith: ExtensionApi) => pith.on("agent_settled", (_, { ui }) => void ui.confirm("Sure?", "Really?")),
  };
  const extensions = await createExtensions([{ name: "one", extension }, other], parts);
  for (const type of ["agent_start", "turn_start"] as const) extensions.onEvent({ type });
  extensions.onEvent({ type: "agent_settled", aborted: false });
  await extensions.dispatch({ type: "session_shutdown", reason: "quit" });
  await quiet();
  assert.ok(waited.reduce((sum, ms) => sum + ms, 0) <= 6_000);
  assert.deepEqual(received, []);
  assert.deepEqual(failures, [{ extension: "one", event: "session_shutdown", why: "no answer within 5 s" }]);
});
