/** Wakes workers with DBOS Transact: a queue in the same PostgreSQL. Each wake-up is a workflow whose input is the ids of a session and nothing else. */

import { DBOS, DBOSClient } from "@dbos-inc/dbos-sdk";
import type { PoolClient } from "pg";
import type { SessionRef } from "../store/postgres-store.ts";
import type { RunSession, Wake } from "./wake.ts";

const APPLICATION = "pith";
const QUEUE = "pith.sessions";
const WORKFLOW = "runSession";
/** Changes only if a wake-up changes. A program's version would leave the wake-ups of others in the queue at each deploy. */
const PROTOCOL_VERSION = "1";

/** A run ends between two requests, so a long reply or command may take this long. */
const LONGEST_END_MS = 10 * 60_000;

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
  const client = await DBOSClient.create({ systemDatabaseUrl: connectionString });
  const options = {
    queueName: QUEUE,
    workflowName: WORKFLOW,
    appVersion: PROTOCOL_VERSION,
    applicationName: APPLICATION,
  };
  return {
    enqueue: async ({ tenant, key }, transaction: PoolClient | null) => {
      if (transaction) await client.enqueueInTransaction(transaction, options, tenant, key);
      else await client.enqueue(options, tenant, key);
    },
    start: async (run: RunSession, { concurrency }) => {
      if (worker === undefined) throw new Error("this process only accepts messages; name a worker to run sessions");
      DBOS.setConfig({
        ...{ name: APPLICATION, systemDatabaseUrl: connectionString, applicationVersion: PROTOCOL_VERSION },
        ...{ executorID: worker, runMigrations: false, listenQueues: [QUEUE], logLevel: "error" },
      });
      DBOS.registerWorkflow((tenant: string, key: string) => run({ tenant, key } satisfies SessionRef), {
        name: WORKFLOW,
      });
      await DBOS.launch();
      await DBOS.registerQueue(QUEUE, { workerConcurrency: concurrency, minPollingIntervalMs: pollMs });
    },
    // Takes nothing from the queue at once, and then waits until the workflows of the runs can say that they ended.
    stop: async () => {
      if (DBOS.isInitialized()) await DBOS.shutdown({ workflowCompletionTimeoutMS: LONGEST_END_MS, deregister: true });
    },
    close: () => client.destroy(),
  };
}

/** Creates the tables of DBOS, in a schema of its own. Connect as the role that owns the tables. */
export async function migrateDbos(connectionString: string, applicationRole: string): Promise<void> {
  await DBOS.migrate(connectionString, { applicationRole });
}
