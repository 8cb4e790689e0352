/** Runs `pnpm bench hosted-store`: a session in PostgreSQL compared with bare statements, at a million rows in one session. */

import type { Database, PostgresStore } from "@pith/server";
import { startDatabase, type TestDatabase } from "../../../packages/server/test/support/database.ts";
import { median } from "../statistics.ts";
import type { Figures, Suite } from "../suite.ts";
import { readPlan } from "./read-plan.ts";
import { createBareTable, createEntry, fillOtherSessions, fillSession } from "./rows.ts";

export const hostedStoreSuite: Suite = {
  name: "hosted-store",
  description: "appends to PostgreSQL and reads of a context, compared with bare statements and with a short session",
  run: ({ quick, log }) => {
    const sizes = quick ? { rows: 20_000, rounds: 3, appends: 100 } : { rows: 1_000_000, rounds: 5, appends: 400 };
    return measureHostedStore({ ...sizes, log });
  },
};

/** Measures in a cluster of its own, with fsync on. */
export async function measureHostedStore(measurement: Measurement): Promise<Figures> {
  const settings = { shared_buffers: "1GB", max_wal_size: "4GB", session_preload_libraries: "auto_explain" };
  const server = await startDatabase(settings);
  try {
    return await measureStore(server, measurement);
  } finally {
    await server.database.close();
    await server.cluster.stop();
  }
}

interface Measurement {
  readonly rows: number;
  readonly rounds: number;
  readonly appends: number;
  readonly log: (text: string) => void;
}

/** The entries of a context. */
const CONTEXT_ENTRIES = 120;
const WRITERS = 40;

async function measureStore(server: TestDatabase, { rows, rounds, appends, log }: Measurement): Promise<Figures> {
  const { database } = server;
  log(`filling one session with ${rows.toLocaleString("en-US")} entries of 1.8 KB, another with 1,000`);
  const large = await fillSession(database, { id: "large", rows, contextEntries: CONTEXT_ENTRIES });
  const small = await fillSession(database, { id: "small", rows: 1_000, contextEntries: CONTEXT_ENTRIES });
  await fillOtherSessions(server);
  await createBareTable(server);
  await server.cluster.runAsSuperuser("vacuum analyze");
  log(`${rounds} rounds in turns; medians`);
  const contexts = await compareContexts(large, small, rounds);
  const plan = await readPlan(server, large);
  log(plan.text);
  const one = await compareAppends(database, [large], { rounds, appends });
  const stores = [];
  for (let index = 0; index < WRITERS; index++)
    stores.push(await fillSession(database, { id: `writer-${index}`, rows: 1_000, contextEntries: CONTEXT_ENTRIES }));
  const forty = await compareAppends(database, stores, { rounds, appends: Math.ceil(appends / 4) });
  return {
    ...{ rows, rounds, fsync: "on" },
    ...{ append_ms: one.ms, bare_ms: one.bareMs, append_x_bare: one.ratio },
    ...{ writers40_ms: forty.ms, bare40_ms: forty.bareMs, writers40_x_bare: forty.ratio },
    ...{ context_ms: contexts.largeMs, context_1k_ms: contexts.smallMs, context_flat: contexts.ratio },
    ...{ buffers: plan.buffers, sequential_scans: plan.sequentialScans },
  };
}

async function compareContexts(
  large: PostgresStore,
  small: PostgresStore,
  rounds: number,
): Promise<{ readonly largeMs: number; readonly smallMs: number; readonly ratio: number }> {
  const read = async (store: PostgresStore): Promise<number> => {
    const leaf = await store.leaf();
    const start = performance.now();
    for (let count = 0; count < READS_PER_ROUND; count++) {
      const { entries } = await store.loadBranch(leaf);
      if (entries.length !== CONTEXT_ENTRIES) throw new Error(`the context has ${entries.length} entries`);
    }
    return (performance.now() - start) / READS_PER_ROUND;
  };
  await read(large);
  await read(small);
  const times = { large: [] as number[], small: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    times.large.push(await read(large));
    times.small.push(await read(small));
  }
  const [largeMs, smallMs] = [median(times.large), median(times.small)];
  return { largeMs, smallMs, ratio: largeMs / smallMs };
}

const READS_PER_ROUND = 60;

/** Each store appends one entry after the other; the bare inserts do the same with the same lines, as many at once. */
async function compareAppends(
  database: Database,
  stores: readonly PostgresStore[],
  { rounds, appends }: Pick<Measurement, "rounds" | "appends">,
): Promise<{ readonly ms: number; readonly bareMs: number; readonly ratio: number }> {
  const times = { store: [] as number[], bare: [] as number[] };
  const timeAll = async (run: (index: number) => Promise<void>): Promise<number> => {
    const start = performance.now();
    await Promise.all(stores.map((_, index) => run(index)));
    return (performance.now() - start) / appends;
  };
  const appendAll = async (store: PostgresStore | undefined): Promise<void> => {
    for (let count = 0; store && count < appends; count++) await appendOne(store);
  };
  const insertAll = async (index: number): Promise<void> => {
    for (let count = 0; count < appends; count++) {
      const line = JSON.stringify(createEntry({ id: `${index}-${count}`, parentId: "parent", number: count + 1 }));
      await database.pool.query({
        name: "bare",
        text: "insert into bare (session, line) values ($1, $2)",
        values: [index, line],
      });
    }
  };
  await timeAll((index) => appendAll(stores[index]));
  await timeAll(insertAll);
  for (let round = 0; round < rounds; round++) {
    times.store.push(await timeAll((index) => appendAll(stores[index])));
    times.bare.push(await timeAll(insertAll));
  }
  const [ms, bareMs] = [median(times.store), median(times.bare)];
  return { ms, bareMs, ratio: ms / bareMs };
}

async function appendOne(store: PostgresStore): Promise<void> {
  const [parentId, last] = [await store.leaf(), await store.lastNumber()];
  const entry = createEntry({ id: `a${last + 1}`, parentId, number: last + 1 });
  const result = await store.append([entry], { expectedLeaf: parentId });
  if (result.type !== "appended") throw new Error(`the entry was not appended: ${result.type}`);
}
