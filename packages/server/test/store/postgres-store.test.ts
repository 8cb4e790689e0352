/** Tests the store on PostgreSQL against the store contract, as the role of the application, and what the contract leaves open. */

import { type Entry, Session } from "@pith/context";
import { storeContract, story, testRuntime } from "@pith/context/testing";
import { describe, expect, test } from "vitest";
import {
  connect,
  createSession,
  type Database,
  eraseSession,
  listSessions,
  type PostgresStore,
} from "../../src/index.ts";
import { APPLICATION } from "../support/cluster.ts";
import { OTHER_TENANT, requireSession, TENANT } from "../support/database.ts";
import { useDatabase } from "../support/use-database.ts";

const server = useDatabase();
let sessions = 0;

const createStore = (database: Database = server.database): Promise<PostgresStore> =>
  createSession(database, TENANT, { cwd: "/project", id: `s${++sessions}`, runtime: testRuntime() });

describe("the store contract", () => {
  storeContract(
    { test: (name, run) => test(name, run), equal: (actual, expected) => expect(actual).toEqual(expected) },
    {
      create: () => createStore(),
      reopen: ({ header }) => requireSession(server.database, TENANT, { id: header.id, mode: "read" }),
      takeOver: ({ header }) => requireSession(server.database, TENANT, { id: header.id, mode: "write" }),
    },
  );
});

/** Counts the statements that run. */
function countStatements(database: Database): { readonly database: Database; readonly names: string[] } {
  const names: string[] = [];
  const count = <Value>(name: string, result: Value): Value => {
    names.push(name);
    return result;
  };
  const readRows: Database["readRows"] = (name, values) => count(name, database.readRows(name, values));
  const call: Database["call"] = (name, values) => count(name, database.call(name, values));
  return { database: { ...database, readRows, call }, names };
}

const batches = story("user: one", "says: two", "user: three", "says: four");
const toBatch = (...indexes: readonly number[]): readonly Entry[] =>
  batches.filter((_, index) => indexes.includes(index));

describe("an append", () => {
  test("PG1 of an ordinary batch is one statement; the leaf and the last number are known after it", async () => {
    const { database, names } = countStatements(server.database);
    const store = await createStore(database);
    names.length = 0;
    await store.append(toBatch(0, 1), { expectedLeaf: null });
    await store.append(toBatch(2), { expectedLeaf: "e2" });
    expect([await store.leaf(), await store.lastNumber()]).toEqual(["e3", 3]);
    expect(names).toEqual(["append", "append"]);
  });

  test("PG1 of a compaction, an edit, a label or an entry elsewhere in the tree takes one lookup more", async () => {
    const { database, names } = countStatements(server.database);
    const store = await createStore(database);
    const lines = [
      "user: one",
      "says: two",
      "user: three",
      "says: four",
      "compacts: one, keeps e3",
      "drops e3",
      "labels e1: a",
    ];
    for (const entry of story(...lines, "moves: e2")) {
      names.length = 0;
      await store.append([entry], { expectedLeaf: await store.leaf() });
      const isOrdinary = entry.type === "message";
      expect(names).toEqual(isOrdinary ? ["append"] : ["append_facts", "append"]);
    }
  });

  test("PG2 of a writer is refused as read-only, closed or taken over", async () => {
    const store = await createStore();
    const reader = await requireSession(server.database, TENANT, { id: store.header.id, mode: "read" });
    expect(await reader.append(toBatch(0), { expectedLeaf: null })).toMatchObject({ why: "read-only" });
    const next = await requireSession(server.database, TENANT, { id: store.header.id, mode: "write" });
    expect(await store.append(toBatch(0), { expectedLeaf: null })).toMatchObject({ why: "lease-lost" });
    await next.close();
    expect(await next.append(toBatch(0), { expectedLeaf: null })).toMatchObject({ why: "closed" });
    expect(await reader.leaf()).toBeNull();
  });

  test("PG3 while PostgreSQL is away is refused as unavailable; the same batch is written once afterwards", async () => {
    const impatient = connect({ ...server.cluster.as(APPLICATION), retryMs: 100 });
    const store = await createStore(impatient);
    await store.append(toBatch(0), { expectedLeaf: null });
    await server.cluster.whileStopped(async () => {
      expect(await store.append(toBatch(1), { expectedLeaf: "e1" })).toMatchObject({
        type: "refused",
        why: "unavailable",
      });
      await expect(store.leaf()).rejects.toThrow("PostgreSQL cannot be reached");
    });
    expect(await store.append(toBatch(1), { expectedLeaf: "e1" })).toEqual({ type: "appended", leaf: "e2" });
    expect(await store.append(toBatch(1), { expectedLeaf: "e1" })).toEqual({ type: "appended", leaf: "e2" });
    expect(await store.entriesFrom(0, 10)).toEqual(toBatch(0, 1));
    await impatient.close();
  });

  test("PG4 keeps ids with any characters", async () => {
    const store = await createStore();
    const ids = ["\u0000", "\ud800", "a\\u0000", '"', "漢字"];
    let parentId: string | null = null;
    for (const [index, id] of ids.entries()) {
      const entry = { ...batches[0], id, parentId, number: index + 1 } as Entry;
      expect(await store.append([entry], { expectedLeaf: parentId })).toEqual({ type: "appended", leaf: id });
      parentId = id;
    }
    const reader = await requireSession(server.database, TENANT, { id: store.header.id, mode: "read" });
    expect((await reader.branchEntries(await reader.leaf())).map(({ id }) => id)).toEqual(ids);
    expect((await reader.entry("\ud800"))?.parentId).toBe("\u0000");
  });
});

test("PG1 a context is read without the entries before it", async () => {
  const store = await createStore();
  const session = await Session.open(store, testRuntime());
  for (let count = 0; count < 40; count++) await session.addUserMessage(`message ${count}`);
  const [firstKept] = (await session.branchEntries()).slice(-2);
  const compaction = {
    type: "compaction",
    summary: "short",
    firstKeptEntryId: firstKept?.id ?? "",
    tokensBefore: 1,
  } as const;
  await session.append(compaction);
  await session.addUserMessage("next");
  const { tenant, key } = store.session;
  const rows = await server.database.readRows("read_branch", [tenant, key, session.leaf, false]);
  expect(rows).toHaveLength(4);
  expect((await store.loadBranch(session.leaf)).entries).toHaveLength(4);
});

test("PG5 a prepared summary is kept beside the log, replaced and removed", async () => {
  const store = await createStore();
  const { preparedSummary } = await requireSession(server.database, TENANT, { id: store.header.id, mode: "write" });
  expect(await preparedSummary?.read()).toBeNull();
  await preparedSummary?.write("first");
  await preparedSummary?.write('{"a":"\u0000\ud800"}');
  expect(await store.preparedSummary.read()).toBe('{"a":"\u0000\ud800"}');
  await preparedSummary?.remove();
  expect(await store.preparedSummary.read()).toBeNull();
});

describe("the sessions of a tenant", () => {
  test("PG6 are listed in pages, the last changed first, with their names", async () => {
    const ids = ["a", "b", "c", "d", "e"];
    const runtime = testRuntime();
    for (const id of ids) await createSession(server.database, OTHER_TENANT, { cwd: "", id, runtime });
    const store = await requireSession(server.database, OTHER_TENANT, { id: "b", mode: "write" });
    for (const entry of story("user: one", "names: the second"))
      await store.append([entry], { expectedLeaf: await store.leaf() });
    const first = await listSessions(server.database, OTHER_TENANT, { limit: 2 });
    expect(first.sessions).toMatchObject([
      { id: "b", name: "the second", cwd: "", entryCount: 2 },
      { id: "e", name: undefined, entryCount: 0 },
    ]);
    const second = await listSessions(server.database, OTHER_TENANT, { limit: 2, after: String(first.next) });
    const third = await listSessions(server.database, OTHER_TENANT, { limit: 2, after: String(second.next) });
    expect([...second.sessions, ...third.sessions].map(({ id }) => id)).toEqual(["d", "c", "a"]);
    expect(third.next).toBeNull();
  });

  test("PG7 are erased with everything that belongs to them; a writer that has one open is refused", async () => {
    const store = await createStore();
    await store.append(toBatch(0, 1), { expectedLeaf: null });
    expect(await eraseSession(server.database, TENANT, store.header.id)).toBe("erased");
    expect(await eraseSession(server.database, TENANT, store.header.id)).toBe("not-found");
    expect(await store.append(toBatch(2), { expectedLeaf: "e2" })).toMatchObject({ why: "lease-lost" });
    expect(await store.entriesFrom(0, 10)).toEqual([]);
    await expect(store.loadBranch("e2")).rejects.toThrow("entry e2 is not in this session");
  });

  test("PG7 an id is used once", async () => {
    const { header } = await createStore();
    const runtime = testRuntime();
    await expect(createSession(server.database, TENANT, { cwd: "", id: header.id, runtime })).rejects.toThrow(
      `the session ${header.id} exists already`,
    );
  });
});
