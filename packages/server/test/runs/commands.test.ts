/** Commands of users in hosted sessions: compactions and their undo, moves, names and labels, and what the client learns of them. */

import type { Tool } from "@pith/agent";
import { Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { type Step, startServer, type TestServer } from "@pith/testkit";
import { expect, onTestFinished, test } from "vitest";
import { acceptCommand, type CommandResult, importSession, readCommand, type SessionCommand } from "../../src/index.ts";
import { holdSession } from "../../src/runs/hold.ts";
import { requireSession, TENANT } from "../support/database.ts";
import { readRunState, Service } from "../support/run-sessions.ts";
import { useDatabase } from "../support/use-database.ts";

const postgres = useDatabase();

async function serve(script: readonly Step[]): Promise<TestServer> {
  const server = await startServer({ script });
  onTestFinished(() => server.close());
  return server;
}

async function send(service: Service, session: string, id: string, command: SessionCommand): Promise<void> {
  const inbox = { database: postgres.database, wake: service.queue.createWake() };
  expect(await acceptCommand(inbox, TENANT, { session, id, command })).toBe(true);
}

async function readResult(session: string, id: string): Promise<CommandResult> {
  const read = () => readCommand(postgres.database, TENANT, { session, id });
  await expect.poll(read).toMatchObject({ type: "finished" });
  const state = await read();
  if (state?.type !== "finished") throw new Error(`${id} is not finished`);
  return state.result;
}

async function expectIdle(id: string): Promise<void> {
  await expect.poll(() => readRunState(postgres.database, id)).toMatchObject({ busy: false, holder: null });
}

const SUMMARY = "## Goal\nSurvey the stones.\n\n## Progress\nMost stones are surveyed.";

test("HCMD1 a compaction, its undo and a move run once each, and their results stay known", async () => {
  const service = new Service(postgres.database, await serve([SUMMARY, SUMMARY]));
  await importLong("long");
  await service.startWorker("w-commands");
  await send(service, "long", "c1", { type: "compact" });
  const compacted = await readResult("long", "c1");
  expect(compacted).toMatchObject({ type: "done", entryId: expect.any(String) });
  if (compacted.type !== "done") return;
  expect(compacted.tokens?.after).toBeLessThan(compacted.tokens?.before ?? 0);
  await send(service, "long", "c1", { type: "compact" });
  expect(await readResult("long", "c1")).toEqual(compacted);

  await send(service, "long", "u1", { type: "undo", entryId: compacted.entryId ?? "" });
  expect(await readResult("long", "u1")).toMatchObject({ type: "done", entryId: compacted.entryId });
  await expectIdle("long");
  const session = await Session.open(
    await requireSession(postgres.database, TENANT, { id: "long", mode: "read" }),
    nodeRuntime,
  );
  expect(session.branch.entries.some(({ type }) => type === "compaction")).toBe(false);

  await send(service, "long", "m1", { type: "move", entryId: "e41" });
  expect(await readResult("long", "m1")).toMatchObject({ type: "done" });
  await send(service, "long", "n1", { type: "rename", name: "Stones" });
  expect(await readResult("long", "n1")).toMatchObject({ type: "done" });
  expect(await (await requireSession(postgres.database, TENANT, { id: "long", mode: "read" })).name()).toBe("Stones");
  expect(service.errors).toEqual([]);
});

test("HCMD2 an undo of what is not the newest change, and commands for unknown entries, are refused", async () => {
  const service = new Service(postgres.database, await serve([]));
  await service.create("plain");
  await service.startWorker("w-refused");
  await send(service, "plain", "u1", { type: "undo", entryId: "nothing" });
  expect(await readResult("plain", "u1")).toEqual({ type: "refused", code: "not-the-newest" });
  await send(service, "plain", "m1", { type: "move", entryId: "nowhere" });
  expect(await readResult("plain", "m1")).toEqual({ type: "refused", code: "unknown-entry" });
  await send(service, "plain", "c1", { type: "compact" });
  expect(await readResult("plain", "c1")).toEqual({ type: "refused", code: "empty" });
  expect(await readCommand(postgres.database, TENANT, { session: "plain", id: "other" })).toBeNull();
});

const count: Tool = {
  ...{ name: "count", description: "Counts.", parameters: { type: "object" }, isIdempotent: true },
  run: async () => ({ content: [{ type: "text", text: "12" }] }),
};

test("HCMD3 a move to the middle of a turn does not go on there", async () => {
  const model = await serve([{ parts: [{ type: "call", name: "count", arguments: {} }] }, "Twelve."]);
  const service = new Service(postgres.database, model, { tools: [count] });
  await service.create("middle");
  await service.startWorker("w-middle");
  await service.send("middle", { id: "p1", kind: "followUp", content: "Hello." });
  await expect.poll(() => model.requests.length).toBe(2);
  await expectIdle("middle");
  const store = await requireSession(postgres.database, TENANT, { id: "middle", mode: "read" });
  const entries = await store.branchEntries(await store.leaf());
  const result = entries.find((entry) => entry.type === "message" && entry.message.role === "toolResult");
  await send(service, "middle", "m1", { type: "move", entryId: result?.id ?? "" });
  expect(await readResult("middle", "m1")).toMatchObject({ type: "done" });
  await expectIdle("middle");
  expect(model.requests).toHaveLength(2);
});

test("HCMD3 a command after a failed run does not send its request again, and one without an agent is not left", async () => {
  const model = await serve([{ refuse: { status: 400, message: "no" } }, "Never asked for."]);
  const service = new Service(postgres.database, model);
  await service.create("failed");
  await service.startWorker("w-failed");
  await service.send("failed", { id: "p1", kind: "followUp", content: "Hello." });
  await expect.poll(() => model.requests.length).toBe(1);
  await expectIdle("failed");
  await send(service, "failed", "n1", { type: "rename", name: "Failed" });
  expect(await readResult("failed", "n1")).toMatchObject({ type: "done" });
  await expectIdle("failed");
  expect(model.requests).toHaveLength(1);

  const broken = new Service(postgres.database, model, { openAgent: () => Promise.reject(new Error("no key")) });
  await broken.create("broken");
  await broken.startWorker("w-broken");
  await send(broken, "broken", "n1", { type: "rename", name: "Broken" });
  expect(await readResult("broken", "n1")).toEqual({ type: "failed", code: "no-agent" });
  await expectIdle("broken");
});

test("HCMD4 a stop does not wait for a compaction, and the summarizer that hangs is left", async () => {
  const model = await serve([{ parts: [{ type: "text", text: SUMMARY }], pace: { waitMs: 600_000 } }]);
  const service = new Service(postgres.database, model);
  await importLong("hanging");
  await service.startWorker("w-hanging");
  await send(service, "hanging", "c1", { type: "compact" });
  await expect.poll(() => model.requests.length).toBe(1);
  await service.send("hanging", { id: "s1", kind: "stop", content: "" });
  expect(await readResult("hanging", "c1")).toMatchObject({ type: "refused", code: "cancelled" });
  await expectIdle("hanging");
});

test("HCMD4 a stop before a compaction does not end it", async () => {
  const reply = { parts: [{ type: "text", text: SUMMARY }], pace: { waitMs: 300 } } as const;
  const service = new Service(postgres.database, await serve([reply]));
  await importLong("before");
  await service.send("before", { id: "s1", kind: "stop", content: "" });
  await send(service, "before", "c1", { type: "compact" });
  await service.startWorker("w-before");
  expect(await readResult("before", "c1")).toMatchObject({ type: "done" });
});

test("HCMD5 a command is not run again once its worker has said what came of it", async () => {
  const service = new Service(postgres.database, await serve([]));
  await service.create("said");
  await send(service, "said", "c1", { type: "rename", name: "Twice" });
  const { key } = (await requireSession(postgres.database, TENANT, { id: "said", mode: "read" })).session;
  const held = await holdSession(postgres.database, { tenant: TENANT, key }, { worker: "died-then" });
  if (held.type !== "taken") throw new Error(held.type);
  const result = { type: "done", leaf: null } as const;
  const values = [TENANT, key, held.token, "c1", JSON.stringify(result)];
  expect(await postgres.database.call("finish_command", values)).toBe(true);
  await service.startWorker("w-said");
  await expectIdle("said");
  expect(await readResult("said", "c1")).toEqual(result);
  const store = await requireSession(postgres.database, TENANT, { id: "said", mode: "read" });
  expect(await store.name()).toBeUndefined();
});

test("HCMD5 a command whose worker died is run by the next one, and only the holder may say what came of it", async () => {
  const service = new Service(postgres.database, await serve([SUMMARY]));
  await importLong("dead");
  await send(service, "dead", "c1", { type: "rename", name: "Later" });
  const { key } = (await requireSession(postgres.database, TENANT, { id: "dead", mode: "read" })).session;
  const held = await holdSession(postgres.database, { tenant: TENANT, key }, { worker: "never-beats" });
  if (held.type !== "taken") throw new Error(held.type);
  await service.startWorker("w-next");
  expect(await readResult("dead", "c1")).toMatchObject({ type: "done" });
  const values = [TENANT, key, held.token, "c1", JSON.stringify({ type: "failed", code: "late" })];
  expect(await postgres.database.call("finish_command", values)).toBe(false);
  expect(await readResult("dead", "c1")).toMatchObject({ type: "done" });
});

/** A session of about 60,000 tokens. */
async function importLong(id: string): Promise<void> {
  const timestamp = "2026-01-01T00:00:00.000Z";
  const reply = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5", stopReason: "stop" };
  const counts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const usage = { ...counts, totalTokens: 0, cost: { ...counts, total: 0 } };
  const lines = Array.from({ length: 120 }, (_, index) => {
    const content = [{ type: "text", text: `Stone ${index}: ${"granite with veins ".repeat(110)}` }];
    const message = index % 2 === 0 ? { role: "user", content } : { role: "assistant", content, ...reply, usage };
    const parentId = index === 0 ? null : `e${index - 1}`;
    return { type: "message", id: `e${index}`, parentId, timestamp, message: { ...message, timestamp: index } };
  });
  const header = { type: "session", version: 3, id, timestamp, cwd: "/work" };
  const bytes = Buffer.from([header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(""));
  expect(await importSession(postgres.database, TENANT, bytes, { runtime: nodeRuntime })).toMatchObject({
    type: "imported",
  });
}
