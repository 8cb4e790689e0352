/** Wakes workers with DBOS: a message and its wake-up are stored together, and DBOS learns ids only. */

import { startServer } from "@pith/testkit";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { acceptMessage, type DbosWake, migrateDbos, openDbosWake } from "../../src/index.ts";
import { APPLICATION, OWNER } from "../support/cluster.ts";
import { requireSession, TENANT } from "../support/database.ts";
import { INTERVALS, readRunState, Service } from "../support/run-sessions.ts";
import { useDatabase } from "../support/use-database.ts";

const postgres = useDatabase();
const SECRET_TEXT = "The launch code is 4711.";

const connectionString = (user: string): string => `postgresql://${user}@127.0.0.1:${postgres.cluster.port}/pith`;

let sender: DbosWake;

beforeAll(async () => {
  await migrateDbos(connectionString(OWNER), APPLICATION);
  sender = await openDbosWake({ connectionString: connectionString(APPLICATION) });
});

afterAll(() => sender.close());

async function countWakeUps(): Promise<number> {
  const { rows } = await postgres.database.pool.query("select count(*)::int as count from dbos.workflow_status");
  return rows[0].count;
}

/** All rows of all tables of DBOS, as text. */
async function dumpDbosTables(): Promise<string> {
  const { pool } = postgres.database;
  const { rows: tables } = await pool.query(
    "select table_name as name from information_schema.tables where table_schema = 'dbos'",
  );
  const texts = tables.map(async ({ name }) => {
    const { rows } = await pool.query(`select t::text as row from dbos."${name}" t`);
    return rows.map(({ row }) => row).join("\n");
  });
  return (await Promise.all(texts)).join("\n");
}

test("HRUN10 a message wakes a worker through DBOS, and no table of DBOS holds its text", async () => {
  const model = await startServer({ script: ["Noted.", "Again."] });
  const service = new Service(postgres.database, model);
  await service.create("woken");
  const wake = await openDbosWake({ connectionString: connectionString(APPLICATION), worker: "w-dbos", pollMs: 20 });
  const worker = await service.startWorker("w-dbos", { wake, intervals: { ...INTERVALS, sweep: 3_600_000 } });
  const send = (id: string) =>
    acceptMessage({ database: postgres.database, wake: sender }, TENANT, {
      session: "woken",
      message: { id, kind: "followUp", content: SECRET_TEXT },
    });
  await send("m1");
  await expect.poll(() => model.requests.length).toBe(1);
  await expect.poll(() => readRunState(postgres.database, "woken")).toMatchObject({ busy: false, holder: null });
  await send("m1");
  await send("m2");
  await expect.poll(() => model.requests.length).toBe(2);
  await expect.poll(() => readRunState(postgres.database, "woken")).toMatchObject({ busy: false, holder: null });
  const stored = await dumpDbosTables();
  const { session } = await requireSession(postgres.database, TENANT, { id: "woken", mode: "read" });
  expect(stored).toContain(TENANT);
  expect(stored).toMatch(new RegExp(`\\b${session.key}\\b`));
  expect(stored).not.toContain("launch code");
  await worker.stop();
  await wake.close();
  await model.close();
});

test("HRUN10 a message that could not be stored leaves no wake-up", async () => {
  const before = await countWakeUps();
  const accepting = acceptMessage({ database: postgres.database, wake: sender }, TENANT, {
    session: "nowhere",
    message: { id: "m1", kind: "followUp", content: SECRET_TEXT },
  });
  expect(await accepting).toBe(false);
  const failing: Pick<DbosWake, "enqueue" | "start" | "stop"> = {
    ...sender,
    enqueue: async (session, client) => {
      await sender.enqueue(session, client);
      throw new Error("the connection broke");
    },
  };
  const service = new Service(postgres.database, await startServer({ script: [] }));
  await service.create("broken");
  const broken = acceptMessage({ database: postgres.database, wake: failing }, TENANT, {
    session: "broken",
    message: { id: "m1", kind: "followUp", content: SECRET_TEXT },
  });
  await expect(broken).rejects.toThrow("the connection broke");
  expect(await countWakeUps()).toBe(before);
  expect(await readRunState(postgres.database, "broken")).toMatchObject({ busy: false });
});

test("HRUN16 the wake-ups of a worker that died are cancelled, and those of living workers are not", async () => {
  const { pool } = postgres.database;
  const insert = (id: string, executor: string) =>
    pool.query(
      `insert into dbos.workflow_status (workflow_uuid, status, name, queue_name, executor_id, application_version, created_at, updated_at)
        values ($1, 'PENDING', 'runSession', 'pith.sessions', $2, '1', 0, 0)`,
      [id, executor],
    );
  await postgres.database.call("beat", ["w-lives", INTERVALS.silent]);
  await insert("left", "w-died");
  await insert("kept", "w-lives");
  const wake = await openDbosWake({ connectionString: connectionString(APPLICATION), worker: "w-cleans" });
  onTestFinished(() => wake.close());
  await wake.start(async () => {}, { concurrency: 1 });
  onTestFinished(() => wake.stop());
  const read = async () => {
    const { rows } = await pool.query("select workflow_uuid as id, status from dbos.workflow_status order by id");
    return rows.filter(({ id }) => ["left", "kept"].includes(id));
  };
  await expect.poll(read).toEqual([
    { id: "kept", status: "PENDING" },
    { id: "left", status: "CANCELLED" },
  ]);
});
