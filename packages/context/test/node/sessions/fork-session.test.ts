/** A fork: one branch, in a file of its own, also while the source is being written. */

import { expect, test } from "vitest";
import { readBlob } from "../../../src/node/blobs/blob-folder.ts";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import { blobFolder } from "../../../src/node/jsonl/side-folder.ts";
import { folderName } from "../../../src/node/sessions/folder-name.ts";
import { type Forking, forkSession } from "../../../src/node/sessions/fork-session.ts";
import { listSessions } from "../../../src/node/sessions/list-sessions.ts";
import { buildSessionContext } from "../../../src/reading/build-context.ts";
import { story } from "../../../src/testing/story.ts";
import {
  appended,
  atEveryEnd,
  entriesAt,
  expectWhole,
  ground,
  idsAt,
  session,
  sessionWithBlob,
  storeIn,
} from "./ground.ts";

const pathOf = (forking: Forking): string => {
  if (forking.type !== "forked") throw new Error(JSON.stringify(forking));
  return forking.path;
};

test("FORK1 FORK2 a fork holds one branch, its blobs and its origin, and is called a fork", async () => {
  const { parts } = ground();
  const { path, hash } = await sessionWithBlob(parts);
  const fork = pathOf(await forkSession(path, { ...parts, id: "copy" }));
  const store = storeIn(await openStore(fork, parts));
  const source = storeIn(await openStore(path, parts));
  expect(store.header).toMatchObject({ id: "copy", cwd: "/code/one", parentSession: path });
  expect(await store.name()).toBe("pictures (fork)");
  expect((await idsAt(fork, parts)).slice(0, 4)).toEqual(["e1", "e3", "e4", "e5"]);
  const context = async (of: typeof store) => buildSessionContext(await of.window(await of.leaf())).messages;
  expect(await context(store)).toEqual(await context(source));
  expect(await readBlob(fork, hash, parts)).toMatchObject({ type: "read" });
  expect(await store.check()).toEqual([]);
  expect(await listSessions(parts)).toMatchObject([{ id: "copy", parentSession: path }, { id: "pictured" }]);
});

test("a fork at an earlier entry, for another directory, byte for byte", async () => {
  const { parts } = ground();
  const path = await session(parts, { entries: story("user: one", "says: two", "user: three") });
  const fork = pathOf(await forkSession(path, { ...parts, leaf: "e2", cwd: "/code/two" }));
  expect(fork).toContain(`/${folderName("/code/two")}/`);
  const [source, copy] = [storeIn(await openStore(path, parts)), storeIn(await openStore(fork, parts))];
  expect(await idsAt(fork, parts)).toEqual(["e1", "e2"]);
  for (const id of ["e1", "e2"]) expect(await copy.line(id)).toBe(await source.line(id));
});

test("a source that another process writes can be forked, and goes on", async () => {
  const { parts } = ground();
  const store = storeIn(await openStore(await session(parts), parts));
  const fork = pathOf(await forkSession(store.path, parts));
  await appended(
    store,
    story("user: a", "user: b", "user: more")
      .slice(2)
      .map((entry) => ({ ...entry, parentId: "e2" })),
  );
  expect(await idsAt(fork, parts)).toEqual(["e1", "e2"]);
  expect(await idsAt(pathOf(await forkSession(store, parts)), parts)).toEqual(["e1", "e2", "e3"]);
  expect(store.isWriter).toBe(true);
});

test("a fork of a fork counts on; a session without a name gives none", async () => {
  const { parts } = ground();
  const named = await session(parts, { entries: story("user: one", "names: tests") });
  const names: (string | undefined)[] = [];
  for (let path = named, round = 0; round < 3; round++) {
    path = pathOf(await forkSession(path, parts));
    names.push(await storeIn(await openStore(path, { ...parts, as: "follower" })).name());
  }
  expect(names).toEqual(["tests (fork)", "tests (fork 2)", "tests (fork 3)"]);
  const plain = await session(parts);
  expect((await entriesAt(pathOf(await forkSession(plain, parts)), parts)).map(({ type }) => type)).toEqual([
    "message",
    "message",
  ]);
});

test("an empty fork, an entry that is not there, an id that is taken, a source that is gone", async () => {
  const { parts } = ground();
  const path = await session(parts, { id: "a" });
  expect(await idsAt(pathOf(await forkSession(path, { ...parts, leaf: null })), parts)).toEqual([]);
  expect(await forkSession(path, { ...parts, leaf: "e9" })).toMatchObject({ type: "no-entry" });
  expect(await forkSession(path, { ...parts, id: "a" })).toMatchObject({ type: "unavailable", code: "EINVAL" });
  expect(await forkSession("/gone.jsonl", parts)).toMatchObject({ type: "unavailable", code: "ENOENT" });
});

test("a blob that is lost is named, and the fork is made all the same", async () => {
  const { files, parts } = ground();
  const { path, hash } = await sessionWithBlob(parts);
  files.remove(`${blobFolder(path)}/${hash}`);
  expect(await forkSession(path, parts)).toMatchObject({ type: "forked", missing: [hash] });
});

test("whenever the process or the power ends, the source is untouched and the fork whole or not there", async () => {
  await atEveryEnd(
    ({ parts }) => sessionWithBlob(parts),
    ({ parts }, { path }) => forkSession(path, { ...parts, id: "copy" }),
    async ({ parts }, { path, hash }) => {
      expect(await expectWhole("pictured", hash, parts)).toBe(path);
      const [copy] = (await listSessions(parts)).filter(({ id }) => id === "copy");
      if (copy) await expectWhole("copy", hash, parts);
      else expect(await forkSession(path, { ...parts, id: "copy" })).toMatchObject({ type: "forked", missing: [] });
    },
  );
});
