/** What a process may do that is no good sub-agent, and what becomes of what it asked. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ExtensionContext, type ExtensionUi, nobodyThere, type UiAsking } from "@pith/agent";
import { afterAll, test } from "vitest";
import type { RpcEvent } from "../../../src/rpc/client/index.ts";
import { forwardQuestion } from "../../../src/sub-agents/running/forward-question.ts";
import { type Progress, progressAfter, waiting } from "../../../src/sub-agents/running/progress.ts";
import { type ChildEnd, runChild } from "../../../src/sub-agents/running/run-child.ts";
import { type FakeProgram, fakeProgram } from "../fake-program.ts";

const folder = mkdtempSync(join(tmpdir(), "pith-child-"));
afterAll(() => rmSync(folder, { recursive: true }));

const there = (ui: Partial<ExtensionUi> | null): ExtensionContext =>
  ({ ui: { ...nobodyThere, ...ui }, hasUI: ui !== null }) as ExtensionContext;

async function run(
  program: FakeProgram,
  more: { ui?: Partial<ExtensionUi>; signal?: AbortSignal } = {},
): Promise<ChildEnd & { readonly progress: Progress }> {
  let progress = waiting;
  const listen = (event: RpcEvent): void => {
    progress = progressAfter(progress, event);
  };
  const { ui = null, signal = new AbortController().signal } = more;
  const parts = { args: [fakeProgram(folder, program)], cwd: folder, task: "Go.", who: "scout" };
  return { ...(await runChild({ ...parts, context: there(ui), signal, listen })), progress };
}

test("AGT6 what else a sub-agent's process writes does no harm", async () => {
  const junk =
    '"junk", "{", "null", "[1]", { type: "message_end" }, { type: "message_end", message: { role: "assistant" } }';
  const more = '{ type: "tool_execution_start" }, { type: "extension_ui_request" }, "x".repeat(1e6)';
  const heard = `for (const line of [${junk}, ${more}]) say(line); answered(); say({ type: "agent_settled" });`;
  const { type, progress } = await run({ name: "junk", heard });
  assert.deepEqual([type, progress.usage.totalTokens], ["settled", 0]);
});

test("AGT6 one that dies while it asks is told as failed, and nobody is asked any more", async () => {
  const question =
    '{ type: "extension_ui_request", id: "1", method: "select", title: "May I?", options: ["Yes"], timeout: 9000 }';
  const heard = `say(${question}); answered(); setTimeout(() => { console.error("no more"); process.exit(3); }, 50);`;
  const asked: (UiAsking | undefined)[] = [];
  const select: ExtensionUi["select"] = (_title, _options, asking) => {
    asked.push(asking);
    return new Promise((resolve) => asking?.signal?.addEventListener("abort", () => resolve(undefined)));
  };
  const end = await run({ name: "asks", heard }, { ui: { select } });
  assert.ok(end.type === "failed" && end.why === "ended with 3: no more");
  assert.deepEqual([asked.length, asked[0]?.timeout, asked[0]?.signal?.aborted], [1, 9000, true]);
});

test("AGT6 one whose model could not go on is told as failed, with the reason", async () => {
  const end = '{ type: "agent_end", messages: [], end: { type: "failed", why: "the key was refused" } }';
  const heard = `answered(); say(${end}); say({ type: "agent_settled", aborted: false });`;
  const { type, ...rest } = await run({ name: "fails", heard });
  assert.deepEqual([type, Object(rest).why], ["failed", "the key was refused"]);
});

test("AGT13 one that will not end is ended", async () => {
  const stopping = new AbortController();
  const first = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);';
  const running = run({ name: "deaf", first, heard: "answered();" }, { signal: stopping.signal });
  setTimeout(() => stopping.abort(), 300);
  assert.equal((await running).type, "stopped");
});

test("AGT4 where nobody is there, what a sub-agent asks is refused; what needs no answer has none", async () => {
  const signal = new AbortController().signal;
  const asked = { type: "extension_ui_request", id: "1", method: "confirm", title: "May I?", message: "" } as const;
  const answer = await forwardQuestion(asked, { context: there(null), who: "scout", signal });
  assert.deepEqual(answer, { type: "extension_ui_response", id: "1", cancelled: true });
  const failing = there({ confirm: () => Promise.reject(new Error("no")) });
  assert.deepEqual(await forwardQuestion(asked, { context: failing, who: "scout", signal }), answer);
  const told = { type: "extension_ui_request", id: "2", method: "notify", message: "m", notifyType: "info" } as const;
  assert.equal(await forwardQuestion(told, { context: there({}), who: "scout", signal }), null);
});
