/** Fills sessions in PostgreSQL with rows, and creates the table of the bare inserts. */

import type { Entry } from "@pith/context";
import { testRuntime } from "@pith/context/testing";
import { createSession, type Database, openSession, type PostgresStore } from "@pith/server";
import { APPLICATION } from "../../../packages/server/test/support/cluster.ts";
import { TENANT, type TestDatabase } from "../../../packages/server/test/support/database.ts";

/** Creates an entry whose line has 1.8 KB. */
export function createEntry(position: Pick<Entry, "id" | "parentId" | "number">): Entry {
  const message = { role: "user", content: [{ type: "text", text: TEXT }], timestamp: 0 } as const;
  return { type: "message", timestamp: "2026-01-01T00:00:00.000Z", ...position, message };
}

const TEXT = "the quick brown fox ".repeat(82);

/** The size of the session. */
export interface SessionSize {
  readonly id: string;
  readonly rows: number;
  /** The entries of the context at the leaf: a compaction and those that it keeps. */
  readonly contextEntries: number;
}

/** Fills a session by one statement, ends it with a compaction and opens it for writing. */
export async function fillSession(
  database: Database,
  { id, rows, contextEntries }: SessionSize,
): Promise<PostgresStore> {
  const { session } = await createSession(database, TENANT, { cwd: "", id, runtime: testRuntime() });
  const template = JSON.stringify(createEntry({ id: "ID", parentId: "PARENT", number: 1_000_001 }));
  const client = await database.pool.connect();
  try {
    await client.query("begin");
    await client.query("select pith.set_tenant($1)", [TENANT]);
    await client.query(
      `insert into pith.entry (session, seq, tenant, id, segment, context_start, number, type, body)
        select $1, n, $2, 'e' || n, 0, 0, n + 1, 'message',
          replace(replace(replace($3, '"ID"', '"e' || n || '"'),
            '"PARENT"', case n when 0 then 'null' else '"e' || n - 1 || '"' end), '1000001', (n + 1)::text)
          from generate_series(0, $4 - 1) n`,
      [session.key, TENANT, template, rows],
    );
    await client.query("insert into pith.segment values ($1, 0, $2, null, null, 0)", [session.key, TENANT]);
    await client.query(
      `update pith.session set leaf = 'e' || $2::int - 1, last_seq = $2::int - 1, leaf_segment = 0, leaf_context_start = 0,
        last_segment = 0, last_number = $2 where key = $1`,
      [session.key, rows],
    );
    await client.query("commit");
  } finally {
    client.release();
  }
  const store = await openSession(database, TENANT, { id, mode: "write" });
  if (store === null) throw new Error(`the session ${id} was erased`);
  await appendCompaction(store, `e${rows - contextEntries + 1}`);
  return store;
}

async function appendCompaction(store: PostgresStore, firstKeptEntryId: string): Promise<void> {
  const [parentId, last] = [await store.leaf(), await store.lastNumber()];
  const carried = { model: null, thinkingLevel: "off", activeTools: null, pins: [], queue: [] };
  const compaction: Entry = {
    ...{
      type: "compaction",
      id: "compaction",
      parentId,
      timestamp: "",
      number: last + 1,
      summary: TEXT,
      tokensBefore: 1,
    },
    ...{ firstKeptEntryId, details: { pith: { carried } } },
  };
  const result = await store.append([compaction], { expectedLeaf: parentId });
  if (result.type !== "appended") throw new Error(`the compaction was not appended: ${result.type}`);
}

/** Inserts the rows of other sessions with branches, so that PostgreSQL plans for tables of that size. */
export async function fillOtherSessions({ cluster }: TestDatabase): Promise<void> {
  await cluster.runAsSuperuser(
    `insert into pith.session (tenant, id, header, last_number) select '${TENANT}', 'other-' || n, '{}', 0 from generate_series(1, 5000) n`,
  );
  await cluster.runAsSuperuser(
    `insert into pith.segment select s.key, n, s.tenant, nullif(n - 1, -1), nullif(n * 10 - 1, -1), n * 10
      from pith.session s cross join generate_series(0, 4) n where s.id like 'other-%'`,
  );
}

/** Creates the table of the bare inserts: a key, a session and the line. */
export async function createBareTable({ cluster }: TestDatabase): Promise<void> {
  await cluster.runAsSuperuser(
    "create table bare (id bigserial primary key, session bigint not null, line text not null)",
  );
  await cluster.runAsSuperuser(`grant all on bare, bare_id_seq to ${APPLICATION}`);
}
