/** Tests the search of a session in PostgreSQL. */

import type { EntryHit, EntryQuery, SearchEntries } from "@pith/agent";
import type { Redaction } from "@pith/context";
import { story, testRuntime } from "@pith/context/testing";
import { expect, test } from "vitest";
import { createSearch, createSession, type PostgresStore } from "../../src/index.ts";
import { TENANT } from "../support/database.ts";
import { useDatabase } from "../support/use-database.ts";

const server = useDatabase();
let sessions = 0;

async function createFilledStore(...lines: readonly string[]): Promise<PostgresStore> {
  const store = await createSession(server.database, TENANT, { cwd: "", id: `s${++sessions}`, runtime: testRuntime() });
  for (const entry of story(...lines)) await store.append([entry], { expectedLeaf: await store.leaf() });
  return store;
}

const searchOf = (store: PostgresStore, redaction: Redaction = { redact: (value) => value }): SearchEntries =>
  createSearch(server.database, store.session, { redaction });

async function find(
  search: SearchEntries,
  query: Partial<EntryQuery>,
): Promise<{ hits: readonly EntryHit[]; count: number }> {
  const options = { signal: new AbortController().signal, onProgress: () => {} };
  const result = await search({ text: "", offset: 0, limit: 10, ...query }, options);
  if (result.type === "failed") throw new Error(result.why);
  return result;
}

const idsOf = ({ hits }: { readonly hits: readonly EntryHit[] }): readonly string[] => hits.map(({ id }) => id);

test("PG11 entries with a rarer word come first; words match without case and accents, names by their parts", async () => {
  const search = searchOf(
    await createFilledStore(
      "user: the build of the parser fails",
      "says: the build is slow",
      "user: retryAfterSeconds is wrong in the build",
      "says: Über-Größe",
    ),
  );
  expect(idsOf(await find(search, { text: "build parser" }))).toEqual(["e1", "e3", "e2"]);
  expect(idsOf(await find(search, { text: "after" }))).toEqual(["e3"]);
  expect(
    idsOf(await find(search, { text: "GRÖSSE" })).length + idsOf(await find(search, { text: "uber" })).length,
  ).toBe(1);
  expect(idsOf(await find(search, { text: "pars*" }))).toEqual(["e1"]);
  expect(idsOf(await find(search, { text: '"build is"' }))).toEqual(["e2"]);
  expect(idsOf(await find(search, { text: "nothing" }))).toEqual([]);
  expect(await find(search, { text: "build", limit: 1, offset: 1 })).toMatchObject({ count: 3, hits: [{ id: "e2" }] });
});

test("PG11 a search finds entries that were appended since the last one, by tool and by file", async () => {
  const store = await createFilledStore("user: look", "calls: read path=src/main.ts", "result: const answer = 42");
  const search = searchOf(store);
  expect(idsOf(await find(search, { text: "answer" }))).toEqual(["e3"]);
  const more = story(
    "user: look",
    "calls: read path=src/main.ts",
    "result: const answer = 42",
    "bash: ls -> answer.txt",
    "says: the answer",
  );
  for (const entry of more.slice(3)) await store.append([entry], { expectedLeaf: await store.leaf() });
  expect(new Set(idsOf(await find(search, { text: "answer" })))).toEqual(new Set(["e3", "e4", "e5"]));
  expect(idsOf(await find(search, { tool: "read" }))).toEqual(["e3", "e2"]);
  expect(idsOf(await find(search, { file: "src/main.ts" }))).toEqual(["e2"]);
});

test("PG11 two searches at once index each entry once, and report their progress", async () => {
  const store = await createFilledStore(...Array.from({ length: 30 }, (_, index) => `user: message ${index}`));
  const results = await Promise.all([1, 2, 3].map(() => find(searchOf(store), { text: "message", limit: 100 })));
  expect(results.map(({ count }) => count)).toEqual([30, 30, 30]);
  const progress: unknown[] = [];
  const signal = new AbortController().signal;
  const search = searchOf(await createFilledStore("user: one"));
  await search({ text: "one", offset: 0, limit: 1 }, { signal, onProgress: (each) => progress.push(each) });
  expect(progress).toEqual([{ done: 1, total: 1 }]);
});

test("PG11 a secret is in no hit and matches no query", async () => {
  const redaction: Redaction = {
    redact: (value) => JSON.parse(JSON.stringify(value).replaceAll("hunter2", "[secret]")),
  };
  const search = searchOf(await createFilledStore("user: the password is hunter2"), redaction);
  expect(idsOf(await find(search, { text: "hunter2" }))).toEqual([]);
  expect((await find(search, { text: "password" })).hits[0]?.excerpt).toBe("the password is [secret]");
});
