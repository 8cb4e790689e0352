/** Calls of the tool when something is in the way: a disk that is full, somebody who stops, two who wait for one. */

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ExtensionContext, Permissions, type ToolCall } from "@pith/agent";
import { afterEach, beforeEach, test } from "vitest";
import { SubAgentPool, type SubAgentPoolOptions } from "../../src/sub-agents/pool.ts";
import { runTool } from "../../src/sub-agents/tool.ts";
import { writeFakeProgram } from "./fake-program.ts";

const before = { argument: process.argv[1], home: process.env.PITH_HOME };
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pith-crew-"));
  process.env.PITH_HOME = folder;
});
afterEach(async () => {
  [process.argv[1], process.env.PITH_HOME] = [before.argument ?? "", before.home];
  if (before.home === undefined) delete process.env.PITH_HOME;
  rmSync(folder, { recursive: true });
});

const agent = { name: "scout", description: "d", text: "t", path: "/scout.md" };
const task = { agent: "scout", task: "Look." };
const FULL = async (): Promise<never> => {
  throw new Error("the disk is full");
};

function createPool(
  pith: Partial<SubAgentPoolOptions["pith"]> = {},
  onCommand = "answered();",
  onWorking = (_count: number): unknown => undefined,
  maxStarted = 1_000,
) {
  process.argv[1] = writeFakeProgram(folder, { name: "program", onCommand });
  const permissions = new Permissions({
    mode: "ask",
    rules: { allow: [], deny: [] },
    paths: { root: folder, home: folder, temporaryFolders: [], privatePaths: [], permissionFiles: [] },
    resolveRealPath: async (path) => path,
  });
  const session = { file: join(folder, "parent.jsonl") };
  const context = {
    cwd: folder,
    session,
    model: { provider: "anthropic", model: "one" },
    hasUI: true,
  } as ExtensionContext;
  const quiet = { appendEntry: async () => {}, appendUsage: async () => {}, sendMessage: async () => {} };
  const held = { trustedHash: null, costLimit: null, overrides: {}, permissions, baseUrlOwner: null };
  return new SubAgentPool({
    pith: { ...quiet, ...pith },
    context,
    parentLimits: held,
    onRunningCount: onWorking,
    maxStarted,
  });
}

const calling = (pool: SubAgentPool) => ({ pool, agents: [agent], hasUser: true, findStarted: async () => [] });
const call = (given: object, signal = new AbortController().signal): ToolCall => ({
  ...{ id: "c", arguments: { ...given }, signal, maxOutputBytes: 10_000, update: () => {} },
});
const outputText = ({ content: [block] }: Awaited<ReturnType<typeof runTool>>): string =>
  block?.type === "text" ? block.text : "";
const sessions = (): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));

test("AGT6 if the log cannot be written, no sub-agent starts and the result says why", async () => {
  for (const given of [task, { chain: [task, task] }, { tasks: [task], background: true }]) {
    const output = await runTool(call(given), calling(createPool({ appendEntry: FULL })));
    assert.deepEqual([outputText(output), output.isError], ["scout cannot be started: the disk is full", true]);
  }
  assert.deepEqual(sessions(), []);
});

test("AGT9 the result of a sub-agent is reported even if its cost cannot be written", async () => {
  const pool = createPool(
    { appendUsage: FULL, sendMessage: FULL },
    'kept("Found it."); answered(); say({ type: "agent_settled" });',
  );
  const output = await runTool(call(task), calling(pool));
  assert.match(outputText(output), /^\[scout [0-9a-f]{8}-subagent finished\]\nFound it\.$/);
  await runTool(call({ ...task, background: true }), calling(pool));
  await Promise.all(pool.subAgents.map(({ completion }) => completion));
  assert.ok(
    pool.subAgents.every(({ result }) => result?.status === "done"),
    "none is at work for ever",
  );
});

test("AGT13 an abort during the start of sub-agents lets none of them run", async () => {
  for (const given of [
    { chain: [task, task] },
    { tasks: Array(8).fill(task) },
    { tasks: [task, task], background: true },
  ]) {
    const stopping = new AbortController();
    const pool = createPool({ appendEntry: async () => stopping.abort() });
    await runTool(call(given, stopping.signal), calling(pool));
    await Promise.all(pool.subAgents.map(({ completion }) => completion));
    assert.deepEqual(
      pool.subAgents.map(({ result }) => result?.status),
      ["stopped"],
    );
  }
});

test("AGT9 of two calls that wait for the same sub-agent, one gets its result", async () => {
  const messages: unknown[] = [];
  const sendMessage = async (message: unknown): Promise<void> => void messages.push(message);
  const onCommand = 'kept("Found it."); answered(); setTimeout(() => say({ type: "agent_settled" }), 300);';
  const working: number[] = [];
  const pool = createPool({ sendMessage }, onCommand, (count) => working.push(count));
  await runTool(call({ ...task, background: true }), calling(pool));
  const [id = ""] = pool.subAgents.map((member) => member.id);
  const waits = [{ wait: [id, id] }, { wait: [id] }].map((given) => runTool(call(given), calling(pool)));
  const [first = "", second = ""] = (await Promise.all(waits)).map(outputText);
  assert.equal(first.split("Found it.").length - 1, 1);
  assert.equal(second, `another call is waiting for ${id} and reports its result`);
  assert.match(outputText(await runTool(call({ wait: [id] }), calling(pool))), /was already reported/);
  const known = async () => pool.subAgents;
  const stranger = await runTool(call({ wait: ["nope"] }), { ...calling(pool), findStarted: known });
  assert.deepEqual(
    [outputText(stranger), stranger.isError],
    [`No sub-agent nope in this session. Started: ${id}`, true],
  );
  assert.deepEqual(working, [1, 0]);
  assert.equal(
    outputText(await runTool(call({ read: "x" }), calling(pool))),
    "No sub-agent x in this session. None were started.",
  );
  assert.deepEqual(messages, []);
});

test("AGT6 at most 32 sub-agents run or wait at the same time", async () => {
  const pool = createPool();
  const eight = { tasks: Array(8).fill(task), background: true };
  for (let times = 0; times < 4; times += 1) await runTool(call(eight), calling(pool));
  const output = await runTool(call({ ...task, background: true }), calling(pool));
  assert.equal(
    outputText(output),
    "scout cannot be started: 32 sub-agents are already running or queued; wait for some of them to finish",
  );
  await pool.close();
});

test("AGT20 the limit of sub-agents between two user messages holds even for calls at the same time", async () => {
  const pool = createPool({}, "answered();", undefined, 5);
  const three = { tasks: Array(3).fill(task), background: true };
  const texts = (await Promise.all([1, 2, 3].map(() => runTool(call(three), calling(pool))))).map(outputText);
  assert.equal(pool.subAgents.length, 5);
  assert.match(
    texts.join("\n"),
    /5 sub-agents were started since the last message of the user, which is the limit; do the rest without sub-agents/,
  );
  pool.resetStartLimit();
  await runTool(call({ ...task, background: true }), calling(pool));
  assert.equal(pool.subAgents.length, 6);
  await pool.close();
});
