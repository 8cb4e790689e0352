/** A disk that refuses one folder, or fails while something is asked, is an outcome everywhere. */

import { join } from "node:path";
import { expect, test } from "vitest";
import type { Files } from "../../../src/node/files.ts";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";
import { forkSession } from "../../../src/node/sessions/copy-session.ts";
import { listSessions } from "../../../src/node/sessions/list-sessions.ts";
import { listTrash, restoreSession, trashSession } from "../../../src/node/sessions/move-session.ts";
import { createSession, findSession, labelEntry } from "../../../src/node/sessions/sessions.ts";
import { Session } from "../../../src/session/session.ts";
import { FaultyFiles } from "../../support/faulty-files/faulty-files.ts";

const env = { PITH_HOME: "/home" };

async function created(files: Files, id: string, cwd: string) {
  const made = await createSession({ cwd, id, files, env });
  if (made.type !== "opened") throw new Error(JSON.stringify(made));
  const session = await Session.open(made.store, nodeRuntime);
  await session.append({ type: "custom", customType: "told" });
  return { store: made.store, session, path: made.store.path };
}

test("HOME1 HOME2 a forbidden folder does not prevent listing and finding the other sessions", async () => {
  const disk = new FaultyFiles();
  const [one, other] = [await created(disk, "one", "/code/one"), await created(disk, "other", "/code/other")];
  await Promise.all([one.store.close(), other.store.close()]);
  const files = forbidding(disk, join(one.path, ".."));
  expect((await listSessions({ files, env })).map(({ id }) => id)).toEqual(["other"]);
  expect(await findSession("oth", { files, env })).toMatchObject({ type: "found", id: "other" });
  expect(await findSession("one", { files, env })).toMatchObject({ type: "none" });
});

test("HOME3 a forbidden folder in the trash does not prevent listing the others; restoring it gives a result", async () => {
  const disk = new FaultyFiles();
  const kept: string[] = [];
  for (const id of ["one", "other"]) {
    const { store, path } = await created(disk, id, "/code");
    await store.close();
    const trashed = await trashSession(path, { files: disk, env });
    if (trashed.type === "trashed") kept.push(trashed.folder);
  }
  const files = forbidding(disk, kept[0] ?? "");
  expect((await listTrash({ files, env })).map(({ id }) => id)).toEqual(["other"]);
  expect((await restoreSession(kept[0] ?? "", { files, env })).type).toBe("none");
});

test("FORK2 a session is forked at its own leaf, also after another process took it over and appended", async () => {
  const files = new FaultyFiles();
  const { session, path } = await created(files, "one", "/code");
  const taken = await openStore(path, { files, mode: "takeover" });
  if (taken.type !== "opened") throw new Error(JSON.stringify(taken));
  await (await Session.open(taken.store, nodeRuntime)).append({ type: "custom", customType: "theirs" });
  const fork = await forkSession(session, { files, env });
  const reread = fork.type === "forked" ? await openStore(fork.path, { files, mode: "follower" }) : fork;
  const leaf = reread.type === "opened" ? await reread.store.leaf() : null;
  expect(leaf).toBe(session.leaf);
});

test("D6 a disk error while an open session is forked or labelled gives a result", async () => {
  const files = new FaultyFiles();
  const { store, session } = await created(files, "one", "/code");
  files.failEvery("EIO", ["stat", "read"]);
  expect(await forkSession(store, { files, env })).toMatchObject({ type: "unavailable", code: "EIO" });
  expect(await labelEntry(store, { entryId: session.leaf ?? "", label: "x", files, env })).toMatchObject({
    type: "unavailable",
    code: "EIO",
  });
});

/** The same disk, where whatever lies in one folder may not be looked at. */
function forbidding(files: Files, folder: string): Files {
  const guarded =
    <Args extends readonly [string, ...unknown[]], Result>(act: (...args: Args) => Result) =>
    (...args: Args): Result => {
      const inside = `${args[0]}/`.startsWith(`${folder}/`) && args[0] !== folder;
      if (inside) throw Object.assign(new Error(`EACCES: permission denied, '${args[0]}'`), { code: "EACCES" });
      return act(...args);
    };
  return {
    open: guarded((path: string, how: "read" | "append") => files.open(path, how)),
    create: guarded((path: string) => files.create(path)),
    stat: guarded((path: string) => files.stat(path)),
    list: (path) => {
      if (path === folder) throw Object.assign(new Error(`EACCES: permission denied, '${path}'`), { code: "EACCES" });
      return files.list(path);
    },
    makeFolder: guarded((path: string) => files.makeFolder(path)),
    rename: guarded((from: string, to: string) => files.rename(from, to)),
    link: guarded((from: string, to: string) => files.link(from, to)),
    remove: guarded((path: string) => files.remove(path)),
    syncFolder: guarded((path: string) => files.syncFolder(path)),
  };
}
