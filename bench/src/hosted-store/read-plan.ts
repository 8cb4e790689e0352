/** Reads the plan of a context from PostgreSQL as it ran, inside the function that reads it. */

import { connect, openSession, type PostgresStore } from "@pith/server";
import { APPLICATION } from "../../../packages/server/test/support/cluster.ts";
import { TENANT, type TestDatabase } from "../../../packages/server/test/support/database.ts";

/** What a read of a context costs. */
export interface ReadPlan {
  readonly text: string;
  /** The pages that were read, from memory or from the disk. */
  readonly buffers: number;
  readonly sequentialScans: number;
}

const EXPLAIN_SETTINGS = {
  log_min_duration: "0",
  log_analyze: "on",
  log_buffers: "on",
  log_nested_statements: "on",
  log_level: "notice",
} as const;

/** Loads the context at the leaf as the role of the application, after PostgreSQL has settled on a plan, and explains the last load. */
export async function readPlan({ cluster }: TestDatabase, store: PostgresStore): Promise<ReadPlan> {
  for (const [name, value] of Object.entries(EXPLAIN_SETTINGS))
    await cluster.runAsSuperuser(`alter role ${APPLICATION} set auto_explain.${name} = '${value}'`);
  const database = connect({ ...cluster.as(APPLICATION), maxConnections: 1 });
  let notices: string[] = [];
  database.pool.on("connect", (client) => client.on("notice", ({ message }) => notices.push(message ?? "")));
  try {
    const explained = await openSession(database, TENANT, { id: store.header.id, mode: "read" });
    if (explained === null) throw new Error(`the session ${store.header.id} was erased`);
    const leaf = await store.leaf();
    // From the sixth time on, PostgreSQL may use a plan for any parameters.
    for (let count = 0; count < 10; count++) {
      notices = [];
      await explained.loadBranch(leaf);
    }
  } finally {
    await database.close();
    await cluster.runAsSuperuser(`alter role ${APPLICATION} reset all`);
  }
  // The last plan is that of the whole call.
  const buffers = /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(notices.at(-1) ?? "");
  const text = notices.join("\n");
  return {
    text,
    buffers: Number(buffers?.[1] ?? 0) + Number(buffers?.[2] ?? 0),
    sequentialScans: text.split("Seq Scan").length - 1,
  };
}
