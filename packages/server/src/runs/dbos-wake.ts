/** Wakes workers with DBOS Transact: a queue in the same PostgreSQL. Each wake-up is a workflow whose input is the ids of a session and nothing else. */

import { DBOS } from "@dbos-inc/dbos-sdk";
import { Pool, type PoolClient } from "pg";
import type { SessionRef } from "../store/postgres-store.ts";
import { SILENT_MS } from "./intervals.ts";
import type { RunSession, Wake } from "./wake.ts";

const APPLICATION = "pith";
const QUEUE = "pith.sessions";
const WORKFLOW = "runSession";
/** Changes only if a wake-up changes. A program's version would leave the wake-ups of others in the queue at each deploy. */
const PROTOCOL_VERSION = "1";

/** A run ends between two requests, so a long reply or command may take this long. */
const LONGEST_END_MS = 10 * 60_000;

/** How long the record of a wake-up is kept after its run, for operators. */
const KEEP_MS = 60 * 60_000;
const CLEANUP_INTERVAL_MS = 60_000;
const CLEANUP_BATCH = 1_000;

/** Options of `openDbosWake`. */
export interface DbosWakeOptions {
  /** The same database as that of the sessions, so that a message and its wake-up are one transaction. */
  readonly connectionString: string;
  /** The id of the worker. Absent in a process that only accepts messages. */
  readonly worker?: string;
  /** How often the queue is looked at. Default: 100 ms. */
  readonly pollMs?: number;
}

export interface DbosWake extends Wake {
  /** Closes the connections for enqueueing. */
  close(): Promise<void>;
}

/** A process has one with a worker. Create the tables first, with `migrateDbos`. */
export async function openDbosWake({ connectionString, worker, pollMs = 100 }: DbosWakeOptions): Promise<DbosWake> {
  const pool = new Pool({ connectionString, max: 2, application_name: "pith" });
  pool.on("error", () => {});
  let cleanupTimer: NodeJS.Timeout | undefined;
  return {
    enqueue: async ({ tenant, key }, transaction: PoolClient | null) => {
      const values = [WORKFLOW, QUEUE, [tenant, key].map((id) => JSON.stringify(id)), PROTOCOL_VERSION, APPLICATION];
      // The function of DBOS is one statement that is planned once; its client sends two that are planned each time.
      await (transaction ?? pool).query({ name: "enqueue_workflow", text: ENQUEUE, values });
    },
    start: async (run: RunSession, { concurrency }) => {
      if (worker === undefined) throw new Error("this process only accepts messages; name a worker to run sessions");
      DBOS.setConfig({
        ...{ name: APPLICATION, applicationVersion: PROTOCOL_VERSION, executorID: worker, runMigrations: false },
        ...{ systemDatabaseUrl: withoutSync(connectionString), systemDatabasePoolSize: 5, useListenNotify: false },
        ...{ listenQueues: [QUEUE], logLevel: "error" },
      });
      DBOS.registerWorkflow((tenant: string, key: string) => run({ tenant, key } satisfies SessionRef), {
        name: WORKFLOW,
      });
      await DBOS.launch();
      await DBOS.registerQueue(QUEUE, { workerConcurrency: concurrency, minPollingIntervalMs: pollMs });
      // The next try follows soon; nothing waits for it.
      const cleanUp = (): void => void removeOldWakeUps(pool).catch(() => undefined);
      cleanUp();
      cleanupTimer = setInterval(cleanUp, CLEANUP_INTERVAL_MS).unref();
    },
    // Takes nothing from the queue at once, and then waits until the workflows of the runs can say that they ended.
    stop: async () => {
      clearInterval(cleanupTimer);
      if (DBOS.isInitialized()) await DBOS.shutdown({ workflowCompletionTimeoutMS: LONGEST_END_MS, deregister: true });
    },
    close: () => pool.end(),
  };
}

const ENQUEUE = `select dbos.enqueue_workflow(
  workflow_name => $1, queue_name => $2, positional_args => $3::json[], app_version => $4, application_name => $5
)`;

/**
 * Its commits do not wait for the disk. If a crash of PostgreSQL loses one, a wake-up is doubled, which changes nothing: the row of the session
 * decides. Enqueueing is part of the transaction of a message, which does wait.
 */
function withoutSync(connectionString: string): string {
  const url = new URL(connectionString);
  const options = `${url.searchParams.get("options") ?? ""} -c synchronous_commit=off -c jit=off`.trim();
  url.searchParams.set("options", options);
  return url.href;
}

/** DBOS keeps the record of every workflow, and those of killed workers stay pending: their sessions were taken over. */
async function removeOldWakeUps(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ id: string }>({
    name: "left_workflows",
    text: LEFT_WORKFLOWS,
    values: [QUEUE, SILENT_MS],
  });
  if (rows.length > 0) await DBOS.cancelWorkflows(rows.map(({ id }) => id));
  const completedBefore = new Date(Date.now() - KEEP_MS).toISOString();
  for (let count = CLEANUP_BATCH; count === CLEANUP_BATCH; ) {
    const old = await DBOS.listWorkflows({
      ...{ queueName: QUEUE, status: ["SUCCESS", "ERROR", "CANCELLED"], limit: CLEANUP_BATCH },
      ...{ completedBefore, loadInput: false, loadOutput: false },
    });
    count = old.length;
    if (count > 0) await DBOS.deleteWorkflows(old.map(({ workflowID }) => workflowID));
  }
}

const LEFT_WORKFLOWS = `select workflow_uuid as id from dbos.workflow_status
  where queue_name = $1 and status = 'PENDING' and pith.is_silent(executor_id, $2)`;

/** Creates the tables of DBOS, in a schema of its own. Connect as the role that owns the tables. */
export async function migrateDbos(connectionString: string, applicationRole: string): Promise<void> {
  await DBOS.migrate(connectionString, { applicationRole });
}
