/** Tests what happens when connections break, answers are lost, and callers pass what a session cannot hold. */

import type { Entry } from "@pith/context";
import { encodeSession } from "@pith/context/store";
import { story, testRuntime } from "@pith/context/testing";
import { describe, expect, test } from "vitest";
import {
  connect,
  createSearch,
  createSession,
  eraseSession,
  eraseTenant,
  exportSession,
  importSession,
  listSessions,
  migrate,
  openSession,
  PostgresBlobs,
  type PostgresStore,
  UnavailableError,
} from "../../src/index.ts";
import { APPLICATION, OWNER } from "../support/cluster.ts";
import { requireSession, TENANT } from "../support/database.ts";
import { startProxy } from "../support/proxy.ts";
import { useDatabase } from "../support/use-database.ts";

const server = useDatabase();
const runtime = testRuntime();
let sessions = 0;
const createStore = (): Promise<PostgresStore> =>
  createSession(server.database, TENANT, { cwd: "", id: `s${++sessions}`, runtime });
const [first, second] = story("user: one", "says: two").map((entry) => [entry]);
const batchOf = (batch: readonly Entry[] | undefined): readonly Entry[] => batch ?? [];

describe("an answer that is lost", () => {
  test("PG3 does not hide that the batch was written, also if another writer has taken over since", async () => {
    const { header } = await createStore();
    const proxy = await startProxy(server.cluster.port);
    const database = connect({ ...server.cluster.as(APPLICATION), port: proxy.port, retryMs: 5_000 });
    const store = await requireSession(database, TENANT, { id: header.id, mode: "write" });
    proxy.swallowAnswers();
    const appended = store.append(batchOf(first), { expectedLeaf: null });
    const reader = await requireSession(server.database, TENANT, { id: header.id, mode: "read" });
    await expect.poll(() => reader.leaf()).toBe("e1");
    const next = await requireSession(server.database, TENANT, { id: header.id, mode: "write" });
    proxy.passAnswers();
    expect(await appended).toEqual({ type: "appended", leaf: "e1" });
    expect(await store.append(batchOf(second), { expectedLeaf: "e1" })).toMatchObject({ why: "lease-lost" });
    expect(await next.append(batchOf(second), { expectedLeaf: "e1" })).toMatchObject({ type: "appended" });
    await database.close();
    await proxy.close();
  });

  test("PG3 is waited for as long as `timeoutMs`; then the append is refused as unavailable", async () => {
    const { header } = await createStore();
    const proxy = await startProxy(server.cluster.port);
    const database = connect({ ...server.cluster.as(APPLICATION), port: proxy.port, retryMs: 100, timeoutMs: 200 });
    const store = await requireSession(database, TENANT, { id: header.id, mode: "write" });
    proxy.swallowAnswers();
    expect(await store.append(batchOf(first), { expectedLeaf: null })).toMatchObject({ why: "unavailable" });
    proxy.passAnswers();
    expect(await store.append(batchOf(first), { expectedLeaf: null })).toEqual({ type: "appended", leaf: "e1" });
    await database.close();
    await proxy.close();
  });

  test("PG3 of a new session is no reason to create it twice", async () => {
    const options = { cwd: "", id: "lost", runtime: { ...runtime, now: () => 0 } };
    const one = await createSession(server.database, TENANT, options);
    const same = await createSession(server.database, TENANT, options);
    expect(same.session).toEqual(one.session);
    await same.append(batchOf(first), { expectedLeaf: null });
    await expect(createSession(server.database, TENANT, options)).rejects.toThrow("the session lost exists already");
  });
});

test("PG9 an import whose connection breaks is rejected, imports nothing and can be repeated", async () => {
  const database = connect({ ...server.cluster.as(APPLICATION), maxConnections: 1 });
  const lines = Array.from({ length: 20_000 }, (_, index) => {
    const entry = {
      ...batchOf(first)[0],
      id: `e${index}`,
      parentId: index === 0 ? null : `e${index - 1}`,
      number: index + 1,
    };
    return JSON.stringify(entry);
  });
  const header = { type: "session", version: 3, id: "broken", timestamp: "", cwd: "", pith: { format: 1 } };
  const bytes = encodeSession([JSON.stringify(header), ...lines], runtime.checksum);
  const importing = importSession(database, TENANT, bytes, { runtime });
  const rejected = expect(importing).rejects.toThrow(UnavailableError);
  const end = `do $$ begin loop perform pg_stat_clear_snapshot(); perform pg_terminate_backend(pid) from pg_stat_activity
    where usename = '${APPLICATION}' and state <> 'idle' and query like '%insert into pith.entry%';
    exit when found; perform pg_sleep(0.002); end loop; end $$`;
  await server.cluster.runAsSuperuser(end);
  await rejected;
  expect(await openSession(server.database, TENANT, { id: "broken", mode: "read" })).toBeNull();
  expect(await importSession(database, TENANT, bytes, { runtime })).toMatchObject({
    type: "imported",
    entryCount: 20_000,
  });
  await database.close();
});

describe("a store", () => {
  test("PG2 of a session that a newer program wrote is refused as newer-version", async () => {
    const store = await createStore();
    await server.cluster.runAsSuperuser(
      `update pith.session set header = replace(header, '"version":3', '"version":9') where key = ${store.session.key}`,
    );
    const newer = await requireSession(server.database, TENANT, { id: store.header.id, mode: "write" });
    expect(await newer.append(batchOf(first), { expectedLeaf: null })).toMatchObject({ why: "newer-version" });
    expect(await newer.leaf()).toBeNull();
  });

  test("PG2 appends what was passed before it was closed", async () => {
    const store = await createStore();
    const appended = store.append(batchOf(first), { expectedLeaf: null });
    await store.close();
    expect(await appended).toEqual({ type: "appended", leaf: "e1" });
  });

  test("PG5 keeps no prepared summary of a reader, a closed writer or one that was taken over", async () => {
    const store = await createStore();
    const next = await requireSession(server.database, TENANT, { id: store.header.id, mode: "write" });
    const reader = await requireSession(server.database, TENANT, { id: store.header.id, mode: "read" });
    await Promise.all(["one", "two", "three"].map((text) => next.preparedSummary.write(text)));
    await next.preparedSummary.write("of the writer");
    await store.preparedSummary.write("too late");
    await store.preparedSummary.remove();
    await reader.preparedSummary.remove();
    await next.close();
    await next.preparedSummary.remove();
    expect(await reader.preparedSummary.read()).toBe("of the writer");
  });

  test("PG4 gives no number twice after the last number that exists", async () => {
    const store = await createStore();
    await server.cluster.runAsSuperuser(
      `update pith.session set last_number = 2 ^ 27 - 2 where key = ${store.session.key}`,
    );
    const writer = await requireSession(server.database, TENANT, { id: store.header.id, mode: "write" });
    const withoutNumber = (id: string, parentId: string | null): Entry => {
      const { number: _, ...entry } = batchOf(first)[0] as Entry;
      return { ...entry, id, parentId } as Entry;
    };
    await writer.append([withoutNumber("a", null), withoutNumber("b", "a")], { expectedLeaf: null });
    await writer.append([withoutNumber("c", "b")], { expectedLeaf: "b" });
    expect((await writer.entriesFrom(0, 9)).map(({ number }) => number)).toEqual([2 ** 27 - 1, undefined, undefined]);
  });

  test("PG4 has no entry with a number or at a position that cannot exist, and refuses an id that is too long", async () => {
    const store = await createStore();
    await store.append(batchOf(first), { expectedLeaf: null });
    for (const number of [2 ** 31, 1.5, Number.NaN, -1]) expect(await store.entryByNumber(number)).toBeUndefined();
    expect(await store.entriesFrom(0, Number.POSITIVE_INFINITY)).toHaveLength(1);
    expect(await store.entriesFrom(2 ** 40, 5)).toEqual([]);
    const long = { ...batchOf(second)[0], id: "漢".repeat(2000) } as Entry;
    await expect(store.append([long], { expectedLeaf: "e1" })).rejects.toThrow("has an id of more than 1000 bytes");
  });

  test("PG7 of a session that is erased while it is exported gives no file", async () => {
    const store = await createStore();
    await store.append(batchOf(first), { expectedLeaf: null });
    await eraseSession(server.database, TENANT, store.header.id);
    await expect(exportSession(store, { runtime })).rejects.toThrow("there is no such session");
  });
});

test("PG7 erasing a tenant removes all of its rows", async () => {
  const tenant = "77777777-7777-4777-8777-777777777777";
  for (const id of ["a", "b"]) {
    const store = await createSession(server.database, tenant, { cwd: "", id, runtime });
    await store.append(batchOf(first), { expectedLeaf: null });
    await new PostgresBlobs(server.database, store.session).keep(Buffer.from("blob"));
  }
  expect(await eraseTenant(server.database, tenant)).toBe("erased");
  expect(await eraseTenant(server.database, tenant)).toBe("not-found");
  for (const table of ["session", "segment", "entry", "blob", "searchable_entry", "prepared_summary"])
    await server.cluster.runAsSuperuser(
      `do $$ begin assert not exists (select from pith.${table} where tenant = '${tenant}'), '${table}'; end $$`,
    );
});

test("PG11 a tool or a query with any characters breaks no search", async () => {
  const store = await createStore();
  const entries = story("user: look", "calls: read path=a.ts");
  const text = JSON.stringify(entries).replaceAll('"read"', '"re\\u0000ad\\nx"');
  await store.append(JSON.parse(text), { expectedLeaf: null });
  const search = createSearch(server.database, store.session, { redaction: { redact: (value) => value } });
  const options = { signal: new AbortController().signal, onProgress: () => {} };
  for (const query of ["'", "\\", "& | ! :*", "\u0000", "\ud800", "look", '"a ts"'])
    expect((await search({ text: query, offset: 0, limit: 5 }, options)).type).toBe("found");
  expect(await search({ text: "", tool: "re\u0000ad\nx", offset: 0, limit: 5 }, options)).toMatchObject({ count: 1 });
  expect(await search({ text: "look", offset: 7, limit: 5 }, options)).toMatchObject({ hits: [], count: 1 });
  const blobs = new PostgresBlobs(server.database, store.session);
  expect(await blobs.read("\u0000", { start: 0, end: 1 })).toMatchObject({ type: "none" });
  expect(await blobs.findByPrefix("\u0000")).toEqual({ type: "found", blobs: [] });
});

describe("an error says what to do:", () => {
  test("PG6 a page that does not exist, or a tenant that is no UUID", async () => {
    await expect(listSessions(server.database, TENANT, { after: "19/5" })).rejects.toThrow(
      "is not the `next` of a page",
    );
    await expect(listSessions(server.database, TENANT, { limit: -1 })).rejects.toThrow("a page has 1 to 1000 sessions");
    await expect(createSession(server.database, "acme", { cwd: "", runtime })).rejects.toThrow(
      'a tenant is a UUID, not "acme"',
    );
  });

  test("PG10 tables that are missing, a role that sees every tenant, a version that does not exist", async () => {
    const empty = connect({ ...server.cluster.as(APPLICATION), database: "postgres" });
    await expect(createSession(empty, TENANT, { cwd: "", runtime })).rejects.toThrow("run `migrate`");
    await empty.close();
    const owner = connect(server.cluster.as(OWNER));
    await expect(migrate(owner, { applicationRole: "postgres" })).rejects.toThrow("would see every tenant");
    await expect(migrate(owner, { applicationRole: OWNER })).rejects.toThrow("would see every tenant");
    await expect(migrate(owner, { applicationRole: "nobody" })).rejects.toThrow("there is no role nobody");
    await expect(migrate(owner, { applicationRole: APPLICATION, version: -1 })).rejects.toThrow(
      "there is no version -1",
    );
    await owner.close();
  });
});
