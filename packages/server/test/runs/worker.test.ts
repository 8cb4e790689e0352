/** Runs on workers: messages arrive once, sessions find a worker, and no work is left behind. */

import type { Tool } from "@pith/agent";
import { type Entry, Session } from "@pith/context";
import { entryText } from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import { type Step, startServer, type TestServer } from "@pith/testkit";
import { expect, onTestFinished, test } from "vitest";
import { listParkedSessions, type NewMessage, unparkSession } from "../../src/index.ts";
import { holdSession, releaseSession } from "../../src/runs/hold.ts";
import { OTHER_TENANT, requireSession, TENANT } from "../support/database.ts";
import { INTERVALS, readRunState, Service } from "../support/run-sessions.ts";
import { useDatabase } from "../support/use-database.ts";

const postgres = useDatabase();

async function serve(script: readonly Step[]): Promise<TestServer> {
  const server = await startServer({ script });
  onTestFinished(() => server.close());
  return server;
}

const prompt = (id: string, content = "Hello."): NewMessage => ({ id, kind: "followUp", content });

async function readEntries(id: string, tenant: string = TENANT): Promise<readonly Entry[]> {
  const store = await requireSession(postgres.database, tenant, { id, mode: "read" });
  return await store.branchEntries(await store.leaf());
}

/** The messages of a session as lines: `user Hello.` */
async function readLines(id: string, tenant: string = TENANT): Promise<readonly string[]> {
  return (await readEntries(id, tenant)).flatMap((entry) =>
    entry.type === "message" && ["user", "assistant"].includes(entry.message.role)
      ? [`${entry.message.role} ${entryText(entry)}`]
      : [],
  );
}

async function expectIdle(id: string, tenant: string = TENANT): Promise<void> {
  await expect.poll(() => readRunState(postgres.database, id, tenant)).toMatchObject({ busy: false, holder: null });
}

test("HRUN1 a message is run once, whoever sends it again, and the session is given back", async () => {
  const model = await serve(["Hi!", "Again?"]);
  const service = new Service(postgres.database, model);
  await service.create("once");
  expect(await service.send("once", prompt("m1"))).toBe(true);
  expect(await service.send("once", prompt("m1"))).toBe(true);
  await service.startWorker("w-once");
  await expectIdle("once");
  expect(await service.send("once", prompt("m1"))).toBe(true);
  await expectIdle("once");
  expect(await readLines("once")).toEqual(["user Hello.", "assistant Hi!"]);
  expect(model.requests).toHaveLength(1);
  expect(await service.send("nowhere", prompt("m1"))).toBe(false);
});

test("HRUN1 messages of one session are run in their order, and sessions run side by side", async () => {
  const model = await serve(["one", "two", "three", "four", "five", "six"]);
  const service = new Service(postgres.database, model);
  for (const id of ["a", "b"]) await service.create(id);
  await service.startWorker("w-order");
  for (const id of ["m1", "m2", "m3"]) for (const session of ["a", "b"]) await service.send(session, prompt(id, id));
  await Promise.all(["a", "b"].map((id) => expectIdle(id)));
  for (const id of ["a", "b"]) {
    const lines = await readLines(id);
    expect(lines.filter((line) => line.startsWith("user"))).toEqual(["user m1", "user m2", "user m3"]);
    expect(lines).toHaveLength(6);
  }
});

test("HRUN2 a message that comes in at the end of a run is not left", async () => {
  const service = new Service(postgres.database, await serve(["one", "two"]));
  await service.create("late");
  await service.send("late", prompt("m1"));
  const { key } = await requireSession(postgres.database, TENANT, { id: "late", mode: "read" }).then(
    ({ session }) => session,
  );
  const held = await holdSession(postgres.database, { tenant: TENANT, key }, { worker: "w-late" });
  if (held.type !== "taken") throw new Error(held.type);
  await service.send("late", prompt("m2"));
  const session = { tenant: TENANT, key };
  const release = (accepted: string) =>
    releaseSession(postgres.database, session, {
      token: held.token,
      delivered: [],
      reason: { type: "done", accepted },
    });
  expect(await release("1")).toEqual({ isReleased: false });
  expect(await readRunState(postgres.database, "late")).toMatchObject({ busy: true, holder: "w-late" });
  expect(await release("2")).toEqual({ isReleased: true, next: null });
  expect(await readRunState(postgres.database, "late")).toMatchObject({ busy: false, holder: null });
});

test("HRUN3 the sessions of a silent worker are taken over, and what it appends then is refused", async () => {
  const service = new Service(postgres.database, await serve(["Taken over."]));
  await service.create("left");
  await service.send("left", prompt("m1"));
  const { session } = await requireSession(postgres.database, TENANT, { id: "left", mode: "read" });
  // It had one beat and is silent from now on.
  await postgres.database.call("beat", ["w-frozen", INTERVALS.silent]);
  const held = await holdSession(postgres.database, session, { worker: "w-frozen" });
  if (held.type !== "taken") throw new Error(held.type);
  const startedAt = performance.now();
  await service.startWorker("w-alive");
  expect(await holdSession(postgres.database, session, { worker: "w-early", silentMs: 600_000 })).toEqual({
    type: "held",
  });
  await expectIdle("left");
  expect(performance.now() - startedAt).toBeGreaterThan(INTERVALS.silent / 2);
  expect(await readLines("left")).toEqual(["user Hello.", "assistant Taken over."]);
  const late = await Session.open(held.store, nodeRuntime);
  expect(await late.append({ type: "custom", customType: "late" })).toMatchObject({
    type: "refused",
    why: "lease-lost",
  });
  // What it gives back is no longer its own.
  const reason = { type: "done", accepted: "0" } as const;
  expect(await releaseSession(postgres.database, session, { token: held.token, delivered: [], reason })).toEqual({
    isReleased: true,
    next: null,
  });
});

test("HRUN4 a session with which workers end again and again is parked, listed, and runs after it was released", async () => {
  const service = new Service(postgres.database, await serve(["At last."]));
  await service.create("killer");
  await service.send("killer", prompt("m1"));
  const { session } = await requireSession(postgres.database, TENANT, { id: "killer", mode: "read" });
  const states: string[] = [];
  // None of them ever has a beat, so each is silent at once.
  for (let number = 0; number < 5; number += 1)
    states.push((await holdSession(postgres.database, session, { worker: `w-dies-${number}` })).type);
  expect(states).toEqual(["taken", "taken", "taken", "taken", "parked"]);
  await service.startWorker("w-survives");
  expect(await listParkedSessions(postgres.database, TENANT)).toEqual([
    { id: "killer", why: "3 workers in a row took it over and ended without a new entry", busySince: expect.any(Date) },
  ]);
  expect(await listParkedSessions(postgres.database, OTHER_TENANT)).toEqual([]);
  const service2 = { database: postgres.database, wake: service.queue.createWake() };
  expect(await unparkSession(service2, OTHER_TENANT, "killer")).toBe(false);
  expect(await unparkSession(service2, TENANT, "killer")).toBe(true);
  await expectIdle("killer");
  expect(await readLines("killer")).toEqual(["user Hello.", "assistant At last."]);
});

test("HRUN5 a worker that stops ends its runs between two requests, and another one goes on", async () => {
  const call = { type: "call", name: "wait", arguments: {} } as const;
  const service = new Service(postgres.database, await serve([{ parts: [call] }, "Done."]), { tools: [wait] });
  await service.create("moved");
  const first = await service.startWorker("w-old");
  await service.send("moved", prompt("m1"));
  await expect.poll(() => waiting.length).toBe(1);
  const stopped = first.stop();
  waiting.pop()?.();
  await stopped;
  expect(await readRunState(postgres.database, "moved")).toMatchObject({ busy: true, holder: null });
  expect(await readLines("moved")).toEqual(["user Hello.", expect.stringMatching(/^assistant/)]);
  await service.startWorker("w-new");
  await expectIdle("moved");
  expect((await readLines("moved")).at(-1)).toBe("assistant Done.");
  expect((await readRunState(postgres.database, "moved")).token).toBe(3);
});

const waiting: (() => void)[] = [];

/** Waits until the test lets it go on. */
const wait: Tool = {
  name: "wait",
  description: "Waits.",
  parameters: { type: "object" },
  isIdempotent: true,
  run: async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return { content: [{ type: "text", text: "waited" }] };
  },
};

test("HRUN6 a message that comes in during a run is delivered in it, before the next request if it steers", async () => {
  const call = { type: "call", name: "wait", arguments: {} } as const;
  const model = await serve([{ parts: [call] }, "Steered.", "Followed."]);
  const service = new Service(postgres.database, model, { tools: [wait] });
  await service.create("steered");
  await service.startWorker("w-steered");
  await service.send("steered", prompt("m1", "First."));
  await expect.poll(() => waiting.length).toBe(1);
  await service.send("steered", prompt("m2", "Afterwards."));
  await service.send("steered", { id: "m3", kind: "steer", content: "Turn." });
  await expect.poll(async () => (await readEntries("steered")).filter(({ type }) => type === "custom").length).toBe(3);
  waiting.pop()?.();
  await expectIdle("steered");
  expect((await readLines("steered")).filter((line) => line.startsWith("user") || line.endsWith("."))).toEqual([
    ...["user First.", "user Turn.", "assistant Steered.", "user Afterwards.", "assistant Followed."],
  ]);
  expect(await readRunState(postgres.database, "steered")).toMatchObject({ token: 2 });
});

test("HRUN7 a model that fails ends the run, and the failure is an entry; the next message tries again", async () => {
  const refusal = { refuse: { status: 400, message: "no such model" } } as const;
  const service = new Service(postgres.database, await serve([refusal, "Better.", "Best."]));
  await service.create("failing");
  await service.startWorker("w-failing");
  await service.send("failing", prompt("m1"));
  await expectIdle("failing");
  expect((await readEntries("failing")).at(-1)).toMatchObject({
    data: { why: expect.stringContaining("no such model") },
  });
  await service.send("failing", prompt("m2", "Again."));
  await expectIdle("failing");
  const lines = ["user Hello.", "assistant Better.", "user Again.", "assistant Best."];
  expect(await readLines("failing")).toEqual(lines);
});

test("HRUN7 an agent that cannot be opened ends the run, and the reason is an entry", async () => {
  const service = new Service(postgres.database, await serve([]));
  await service.create("unopened");
  await service.startWorker("w-unopened", {
    openAgent: () => Promise.reject(new Error("the tenant has no key")),
  });
  await service.send("unopened", prompt("m1"));
  await expectIdle("unopened");
  expect((await readEntries("unopened")).at(-1)).toMatchObject({ data: { why: "the tenant has no key" } });
});

test("HRUN8 a worker runs the sessions that it holds in the table but not in memory", async () => {
  const service = new Service(postgres.database, await serve(["Found."]));
  await service.create("lost");
  await service.send("lost", prompt("m1"));
  const { session } = await requireSession(postgres.database, TENANT, { id: "lost", mode: "read" });
  await holdSession(postgres.database, session, { worker: "w-forgets" });
  service.queue.take();
  await service.startWorker("w-forgets");
  await expectIdle("lost");
  expect(await readLines("lost")).toEqual(["user Hello.", "assistant Found."]);
});

test("HRUN9 what looks at all tenants returns ids only, and the role of the application sees no other tenant's rows", async () => {
  const service = new Service(postgres.database, await serve(["Theirs."]));
  await service.create("theirs", OTHER_TENANT);
  await service.send("theirs", prompt("m1"), OTHER_TENANT);
  const rows = await postgres.database.readRows("find_stranded", ["w-any", 1_000, 0, 100]);
  expect(rows.map((row) => Object.keys(row))).toContainEqual(["tenant", "key"]);
  const client = await postgres.database.pool.connect();
  try {
    await client.query("begin");
    await client.query("select set_config('pith.across_tenants', 'on', true), set_config('pith.tenant', $1, true)", [
      TENANT,
    ]);
    await client.query("select * from pith.find_stranded('w-any', 1000, 0, 100)");
    const { rows: seen } = await client.query(
      "select distinct tenant from pith.session union select tenant from pith.inbox",
    );
    expect(seen).toEqual([{ tenant: TENANT }]);
  } finally {
    await client.query("rollback");
    client.release();
  }
  await service.startWorker("w-theirs");
  await expectIdle("theirs", OTHER_TENANT);
});
