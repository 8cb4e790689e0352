/** What is only told: in order, in a queue of each extension's own, and never more than it can hold. */

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
import { assembled, never, quiet } from "./assembly.ts";

const piece: AgentEvent = { type: "message_update", delta: { type: "text-delta", text: "a" } as never };

test("EXT9 a slow one hears everything in order, and keeps nobody waiting", async () => {
  const heard: string[] = [];
  const slow = Promise.withResolvers<void>();
  const { extensions, failures } = await assembled({
    slow: (pith) => {
      pith.on("agent_start", async ({ type }) => {
        await Promise.race([slow.promise, new Promise((resolve) => setImmediate(resolve))]);
        heard.push(`slow ${type}`);
      });
      pith.on("turn_start", ({ type }) => void heard.push(`slow ${type}`));
    },
    quick: (pith) => pith.on("turn_start", ({ type }) => void heard.push(`quick ${type}`)),
  });
  assert.equal(extensions.onEvent({ type: "agent_start" }), undefined);
  assert.equal(extensions.onEvent({ type: "turn_start" }), undefined);
  assert.deepEqual(heard, []);
  await quiet();
  assert.deepEqual(heard, ["quick turn_start", "slow agent_start", "slow turn_start"]);
  assert.deepEqual(failures, []);
});

test("EXT9 of more than a thousand that wait, pieces are left out first, and it is told once", async () => {
  const heard: string[] = [];
  const gate = Promise.withResolvers<void>();
  const { extensions, failures } = await assembled({
    one: (pith) => {
      pith.on("agent_start", () => gate.promise);
      for (const name of ["turn_start", "message_update"] as const) pith.on(name, ({ type }) => void heard.push(type));
    },
  });
  extensions.onEvent({ type: "agent_start" });
  await Promise.resolve();
  for (let at = 0; at < 900; at += 1) extensions.onEvent({ type: "turn_start" });
  for (let at = 0; at < 5_000; at += 1) extensions.onEvent(piece);
  for (let at = 0; at < 50; at += 1) extensions.onEvent({ type: "turn_start" });
  gate.resolve();
  for (let at = 0; at < 20; at += 1) await quiet();
  assert.equal(heard.filter((type) => type === "turn_start").length, 950);
  assert.equal(heard.length, 1_000);
  assert.deepEqual(failures, [
    { extension: "one", event: "message_update", why: "more than 1000 events wait for it; some are left out" },
  ]);
});

test("EXT9 what was told last is heard before the session is left", async () => {
  const heard: string[] = [];
  const { extensions } = await assembled({
    one: (pith) => {
      pith.on("agent_settled", async () => {
        await new Promise((resolve) => setImmediate(resolve));
        heard.push("settled");
      });
      pith.on("session_shutdown", () => void heard.push("shutdown"));
    },
  });
  extensions.onEvent({ type: "agent_settled", aborted: false });
  await extensions.dispatch({ type: "session_shutdown", reason: "quit" });
  assert.deepEqual(heard, ["settled", "shutdown"]);
});

test("EXT9 at the end nobody is waited for longer than a moment, and nothing more is told", async () => {
  const waited: number[] = [];
  const heard: string[] = [];
  const sleep: Runtime["sleep"] = async (ms, { signal }) => {
    if (ms < 30_000) waited.push(ms);
    await (ms < 30_000 ? quiet() : new Promise((resolve) => signal?.addEventListener("abort", resolve)));
  };
  const extension = (pith: ExtensionApi): void => {
    pith.on("agent_start", never);
    pith.on("turn_start", ({ type }) => void heard.push(type));
    pith.on("agent_settled", (_, { ui }) => void ui.confirm("Sure?", "Really?"));
    pith.on("session_shutdown", never);
  };
  const failures: ExtensionFailure[] = [];
  const report = (failure: ExtensionFailure): void => void failures.push(failure);
  const early = { ui: { ...headlessUi, confirm: never }, hasUI: true, cwd: "/home/ada/app" };
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
  assert.deepEqual(heard, []);
  assert.deepEqual(failures, [{ extension: "one", event: "session_shutdown", why: "no answer within 5 s" }]);
});
