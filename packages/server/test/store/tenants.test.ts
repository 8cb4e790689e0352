/** Tests that no call of one tenant reads or changes anything of another, also with the keys and hashes of the other one. */

import type { Entry } from "@pith/context";
import { story, testRuntime } from "@pith/context/testing";
import { expect, test } from "vitest";
import { createSeededRandom } from "../../../context/test/support/seeded-random.ts";
import {
  createSearch,
  createSession,
  eraseSession,
  exportSession,
  listSessions,
  openSession,
  PostgresBlobs,
} from "../../src/index.ts";
import { PostgresStore } from "../../src/store/postgres-store.ts";
import { OTHER_TENANT, TENANT } from "../support/database.ts";
import { useDatabase } from "../support/use-database.ts";

const server = useDatabase();
const runtime = testRuntime();
const { PITH_CALLS: calls = "10000", PITH_SEED: seed = "49" } = process.env;

interface TestSession {
  readonly tenant: string;
  readonly store: PostgresStore;
  readonly hash: string;
}

/** Every tenant has a session of each of these ids; each text names its tenant. */
const SESSION_IDS = ["a", "b", "c", "d"];
const nameOf = (tenant: string): string => (tenant === TENANT ? "first" : "second");

async function createTestSession(tenant: string, id: string): Promise<TestSession> {
  const store = await createSession(server.database, tenant, { cwd: nameOf(tenant), id, runtime });
  const name = nameOf(tenant);
  const lines = [
    `user: secret of ${name}`,
    `says: for ${name}`,
    `labels e1: ${name}`,
    `names: ${name}`,
    `moves: e1`,
    `left e2: of ${name}`,
  ];
  for (const entry of story(...lines)) await store.append([entry], { expectedLeaf: await store.leaf() });
  await store.preparedSummary.write(`prepared for ${name}`);
  const kept = await new PostgresBlobs(server.database, store.session).keep(Buffer.from(`blob of ${name}`));
  await search(store, "secret");
  return { tenant, store, hash: kept.type === "kept" ? kept.hash : "" };
}

const options = { signal: new AbortController().signal, onProgress: () => {} };
const redaction = { redact: <Value>(value: Value): Value => value };
const search = ({ session }: PostgresStore, text: string): Promise<unknown> =>
  createSearch(server.database, session, { redaction })({ text, offset: 0, limit: 10 }, options);

/** What one tenant can call with the key of a session. Each returns what it has read or changed. */
const CALLS: Readonly<Record<string, (store: PostgresStore, hash: string) => Promise<unknown>>> = {
  leaf: (store) => store.leaf(),
  lastNumber: (store) => store.lastNumber(),
  loadBranch: (store) => store.loadBranch("e2"),
  branchEntries: (store) => store.branchEntries("e2"),
  entry: (store) => store.entry("e1"),
  entryByNumber: (store) => store.entryByNumber(1),
  children: (store) => store.children("e1"),
  roots: (store) => store.children(null),
  entriesFrom: (store) => store.entriesFrom(0, 100),
  branchSummaries: (store) => store.branchSummaries(new Set(["e2"])),
  labels: async (store) => [...(await store.labels())],
  name: (store) => store.name(),
  line: (store) => store.line("e1"),
  commonAncestor: (store) => store.commonAncestor("e1", "e2"),
  preparedSummary: (store) => store.preparedSummary.read(),
  writePreparedSummary: (store) => store.preparedSummary.write("of somebody else"),
  removePreparedSummary: (store) => store.preparedSummary.remove(),
  append: (store) => store.append(intruder, { expectedLeaf: "e6" }),
  appendElsewhere: (store) => store.append(intruder, { expectedLeaf: "e2" }),
  search: (store) => search(store, "secret"),
  readBlob: (store, hash) => new PostgresBlobs(server.database, store.session).read(hash, { start: 0, end: 99 }),
  findBlobs: (store) => new PostgresBlobs(server.database, store.session).findByPrefix(""),
  keepBlob: (store) => new PostgresBlobs(server.database, store.session).keep(Buffer.from("of somebody else")),
  // The owner has this blob: no answer may show it.
  keepSameBlob: (store) =>
    new PostgresBlobs(server.database, store.session).keep(Buffer.from(`blob of ${store.header.cwd}`)),
  export: async (store) =>
    Buffer.from(await exportSession(store, { runtime }))
      .toString()
      .split("\n")
      .slice(1),
};

const intruder: readonly Entry[] = story("user: of somebody else").map((entry) => ({
  ...entry,
  id: "e99",
  parentId: "e6",
  number: 99,
}));

test("PG13 of 10,000 random calls of two tenants, none reads or changes anything of the other, also in erased sessions", async () => {
  const random = createSeededRandom(Number(seed));
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const tenants = [TENANT, OTHER_TENANT];
  const sessions: TestSession[] = [];
  for (const tenant of tenants) for (const id of SESSION_IDS) sessions.push(await createTestSession(tenant, id));
  for (const tenant of tenants) await eraseSession(server.database, tenant, "d");
  const before = await readEverything(sessions);
  const crossed: string[] = [];
  const done = new Map<string, number>();
  for (let count = 0; count < Number(calls); count++) {
    const { tenant: owner, store, hash } = pick(sessions);
    const tenant = owner === TENANT ? OTHER_TENANT : TENANT;
    const name = pick(Object.keys(CALLS));
    done.set(name, (done.get(name) ?? 0) + 1);
    const foreign = new PostgresStore(server.database, {
      ...{ header: store.header, headerText: "", tenant, key: store.session.key },
      token: pick(["1", "2", null]),
      position: { leaf: "e6", lastNumber: 6 },
    });
    const result = await CALLS[name]?.(foreign, hash).catch((error: unknown) => String(error));
    if (JSON.stringify(result ?? null).includes(nameOf(owner)) || isChange(result))
      crossed.push(`${name}: ${JSON.stringify(result)}`);
  }
  expect(crossed).toEqual([]);
  expect(done.size).toBe(Object.keys(CALLS).length);
  expect(await readEverything(sessions)).toEqual(before);
  // The owner reads all of it, so the calls above would have found something.
  for (const { tenant, store } of sessions.filter(({ store: { header } }) => header.id !== "d"))
    for (const name of ["branchEntries", "labels", "name", "preparedSummary", "readBlob", "search", "export"])
      expect(JSON.stringify(await CALLS[name]?.(store, sessionHash(sessions, store)))).toMatch(
        name === "readBlob" ? /"size":1\d/ : nameOf(tenant),
      );
});

const sessionHash = (sessions: readonly TestSession[], store: PostgresStore): string =>
  sessions.find((each) => each.store === store)?.hash ?? "";

/** Whether a call says that it has read or written something. */
function isChange(result: unknown): boolean {
  const { type, blobs = [], hits = [] } = Object(result) as { type?: string; blobs?: unknown[]; hits?: unknown[] };
  return type === "appended" || type === "kept" || type === "read" || blobs.length + hits.length > 0;
}

async function readEverything(sessions: readonly TestSession[]): Promise<unknown> {
  const all = [];
  for (const { tenant, store } of sessions) {
    const { header } = store;
    const open = await openSession(server.database, tenant, { id: header.id, mode: "read" });
    const blobs = await new PostgresBlobs(server.database, store.session).findByPrefix("");
    all.push({
      tenant,
      id: header.id,
      blobs,
      entries: await open?.entriesFrom(0, 100),
      prepared: await open?.preparedSummary.read(),
    });
  }
  return all;
}

test("PG13 each tenant lists, opens and erases only its own sessions", async () => {
  const tenant = "33333333-3333-4333-8333-333333333333";
  await createSession(server.database, tenant, { cwd: "", id: "only here", runtime });
  for (const other of [TENANT, OTHER_TENANT]) {
    expect(JSON.stringify(await listSessions(server.database, other, { limit: 1000 }))).not.toContain("only here");
    expect(await openSession(server.database, other, { id: "only here", mode: "write" })).toBeNull();
    expect(await eraseSession(server.database, other, "only here")).toBe("not-found");
  }
  expect((await listSessions(server.database, tenant)).sessions).toMatchObject([{ id: "only here" }]);
});

test("PG13 without a tenant, no statement sees or writes a row", async () => {
  const tables = ["tenant", "session", "segment", "entry", "blob", "prepared_summary", "searchable_entry"];
  for (const table of tables) {
    const { rows } = await server.database.pool.query(`select count(*)::int as count from pith.${table}`);
    expect(rows).toEqual([{ count: 0 }]);
  }
  await expect(
    server.database.pool.query(`insert into pith.tenant (id) values ('44444444-4444-4444-8444-444444444444')`),
  ).rejects.toThrow("violates row-level security");
});
