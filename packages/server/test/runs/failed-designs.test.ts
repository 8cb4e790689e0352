/** Reproduces three designs that failed in a prototype: a forgotten dead worker, a release that failed, and a run that removed its successor. */

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer, type TestServer } from "@pith/testkit";
import { expect, onTestFinished, test } from "vitest";
import { connect, type Database, migrateDbos } from "../../src/index.ts";
import { holdSession, releaseSession } from "../../src/runs/hold.ts";
import { APPLICATION, OWNER } from "../support/cluster.ts";
import { requireSession, TENANT } from "../support/database.ts";
import { INTERVALS, type RunState, readRunState, Service } from "../support/run-sessions.ts";
import { useDatabase } from "../support/use-database.ts";
import { startWorkerProgram } from "./faults/workers.ts";

const postgres = useDatabase();
/** So that a design that fails again is noticed soon. */
const SOON = { timeout: 20_000 };

async function serve(script: Parameters<typeof startServer>[0]["script"]): Promise<TestServer> {
  const server = await startServer({ script });
  onTestFinished(() => server.close());
  return server;
}

async function expectState(id: string, state: Partial<RunState>): Promise<void> {
  await expect.poll(() => readRunState(postgres.database, id), SOON).toMatchObject(state);
}

async function sendFirst(service: Service, id: string) {
  await service.create(id);
  await service.send(id, { id: "m1", kind: "followUp", content: "Hello." });
  return (await requireSession(postgres.database, TENANT, { id, mode: "read" })).session;
}

test("HRUN14 the sessions of a dead worker are found again after the worker that found them was killed in its sweep", async () => {
  const model = await serve(["One.", "Two."]);
  const service = new Service(postgres.database, model);
  const ids = ["found-1", "found-2"];
  await postgres.database.call("beat", ["w-dead", INTERVALS.silent]);
  for (const id of ids) {
    const session = await sendFirst(service, id);
    expect(await holdSession(postgres.database, session, { worker: "w-dead" })).toMatchObject({ type: "taken" });
    service.queue.take();
  }
  const { port } = postgres.cluster;
  await migrateDbos(`postgresql://${OWNER}@127.0.0.1:${port}/pith`, APPLICATION);
  const folder = mkdtempSync(join(tmpdir(), "pith-sweep-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const sweeper = startWorkerProgram({
    ...{ id: "w-sweeper", release: 1, port, modelUrl: model.url, journal: join(folder, "journal") },
    ...{ intervals: INTERVALS, dieAt: "sweep" },
  });
  expect(await once(sweeper, "exit")).toEqual([null, "SIGKILL"]);
  for (const id of ids) await expectState(id, { busy: true, holder: "w-dead", token: 2 });
  await service.startWorker("w-next");
  for (const id of ids) await expectState(id, { busy: false, holder: null, token: 3 });
  expect(model.requests).toHaveLength(2);
});

test("HRUN8 a session whose release failed while PostgreSQL was away is given back later by the worker that still holds it", async () => {
  const impatient = connect({ ...postgres.cluster.as(APPLICATION), retryMs: 100 });
  onTestFinished(() => impatient.close());
  let failure: unknown;
  const database: Database = {
    ...impatient,
    readRows: async (name, values) => {
      if (name !== "release_session" || failure) return await impatient.readRows(name, values);
      await postgres.cluster.whileStopped(async () => {
        failure = await impatient.readRows(name, values).catch((error: unknown) => error);
      });
      throw failure;
    },
  };
  const model = await serve(["Kept."]);
  const service = new Service(database, model);
  await sendFirst(service, "kept");
  await service.startWorker("w-kept");
  await expect.poll(() => failure, SOON).toMatchObject({ name: "UnavailableError" });
  // It was taken a second time, and there was nothing left to do.
  await expectState("kept", { busy: false, holder: null, token: 3 });
  expect(model.requests).toHaveLength(1);
});

test("HRUN15 a superseded run that ends after its worker was woken again leaves its successor alone", async () => {
  const replies: (() => void)[] = [];
  let isPaused = true;
  const model = await serve(async () => {
    await new Promise<void>((resolve) => {
      replies.push(resolve);
      if (!isPaused) resolve();
    });
    return "Done.";
  });
  let sweeps = 0;
  const database: Database = {
    ...postgres.database,
    readRows: (name, values) => {
      if (name === "find_stranded") sweeps += 1;
      return postgres.database.readRows(name, values);
    },
  };
  const service = new Service(database, model);
  await service.startWorker("w-again");
  const session = await sendFirst(service, "again");
  try {
    await expect.poll(() => replies.length, SOON).toBe(1);
    // As if this worker had been frozen: another one takes the session, gives it back and wakes a worker, which is this one.
    const held = await holdSession(postgres.database, session, { worker: "w-other", silentMs: 0 });
    if (held.type !== "taken") throw new Error(held.type);
    await releaseSession(postgres.database, session, {
      ...{ token: held.token, delivered: [], reason: { type: "given-back" } },
    });
    service.queue.add(session);
    replies[0]?.();
    await expect.poll(() => replies.length, SOON).toBe(2);
    const before = sweeps;
    await expect.poll(() => sweeps, SOON).toBeGreaterThan(before + 3);
    expect(await readRunState(postgres.database, "again")).toMatchObject({ holder: "w-again", token: 4 });
    expect(replies).toHaveLength(2);
    replies[1]?.();
    await expectState("again", { busy: false, holder: null, token: 4 });
  } finally {
    isPaused = false;
    for (const reply of replies) reply();
  }
});

test("HRUN17 after an outage of PostgreSQL that made every worker silent, each goes on with its sessions", async () => {
  const { promise, resolve: reply } = Promise.withResolvers<void>();
  let requests = 0;
  const model = await serve(async () => {
    requests += 1;
    await promise;
    return "Done.";
  });
  let isOut = false;
  const { promise: hasSwept, resolve: sweep } = Promise.withResolvers<void>();
  let sweeps = 0;
  const watching: Database = {
    ...postgres.database,
    readRows: async (name, values) => {
      const rows = await postgres.database.readRows(name, values);
      if (name === "find_stranded" && isOut && ++sweeps === 3) sweep();
      return rows as never;
    },
  };
  // The other worker sweeps before this one has beaten again.
  const holding: Database = {
    ...postgres.database,
    call: async (name, values) => {
      if (name === "beat" && isOut) await hasSwept;
      return await postgres.database.call(name, values);
    },
  };
  const service = new Service(holding, model);
  await sendFirst(service, "steady");
  await service.startWorker("w-holds");
  try {
    await expect.poll(() => requests, SOON).toBe(1);
    await new Service(watching, model).startWorker("w-watches");
    // It has beaten long enough to take sessions over.
    await expect.poll(() => postgres.database.call("is_steady", ["w-watches", INTERVALS.silent]), SOON).toBe(true);
    isOut = true;
    await postgres.cluster.whileStopped(async () => {
      await new Promise((resolve) => setTimeout(resolve, 3 * INTERVALS.silent));
    });
    await expect.poll(() => sweeps, SOON).toBeGreaterThan(10);
    await expectState("steady", { busy: true, holder: "w-holds", token: 2 });
  } finally {
    sweep();
    reply();
  }
  await expectState("steady", { busy: false, holder: null, token: 2 });
  expect(requests).toBe(1);
});
