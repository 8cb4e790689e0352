/** A project that moved: its session follows, whole, whatever happens on the way. */

import { dirname } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import { blobFolder, indexPath } from "../../../src/node/jsonl/side-folder.ts";
import { findSession } from "../../../src/node/sessions/find-session.ts";
import { folderName } from "../../../src/node/sessions/folder-name.ts";
import { listSessions } from "../../../src/node/sessions/list-sessions.ts";
import { rebindSession } from "../../../src/node/sessions/rebind-session.ts";
import {
  atEveryEnd,
  atEveryRefusal,
  entriesAt,
  expectWhole,
  ground,
  idsAt,
  session,
  sessionWithBlob,
  storeIn,
} from "./ground.ts";

test("a session goes to the folder of its new directory, with all that is its own", async () => {
  const { files, parts } = ground();
  const { path, hash } = await sessionWithBlob(parts);
  files.write(`${path}.damaged`, Buffer.from("torn"));
  files.write(`${path}.bak`, Buffer.from("old"));
  files.write(`${path}.bak-2`, Buffer.from("older"));
  files.write(indexPath(path), Buffer.from("index"));
  const before = await idsAt(path, parts);

  const moved = await rebindSession(path, "/code/two", parts);
  const to = moved.type === "rebound" ? moved.path : "";
  expect(dirname(to)).toBe(`/pith/sessions/${folderName("/code/two")}`);
  const here = files.paths().filter((each) => each.startsWith(dirname(to)));
  for (const own of [to, `${to}.damaged`, `${to}.bak`, `${to}.bak-2`, indexPath(to), `${blobFolder(to)}/${hash}`])
    expect(here).toContain(own);
  const left = files.paths().filter((each) => each.startsWith(dirname(path)) && !each.includes("/writer.lease."));
  expect(left).toEqual([`${dirname(path)}/folder.json`]);

  const entries = await entriesAt(to, parts);
  expect(entries.slice(0, -1).map(({ id }) => id)).toEqual(before);
  expect(entries.at(-1)).toMatchObject({ type: "custom", customType: "pith.folder", data: { cwd: "/code/two" } });
  expect(await expectWhole("pictured", hash, parts)).toBe(to);
});

test("the list shows the directory of the folder it lies in, and a directory that is gone keeps nobody out", async () => {
  const { parts } = ground();
  const path = await session(parts, { cwd: "/never/was/here", id: "a" });
  expect(await listSessions({ ...parts, cwd: "/never/was/here" })).toMatchObject([{ id: "a", cwd: "/never/was/here" }]);
  storeIn(await openStore(path, parts)).close();
  await rebindSession(path, "/now", parts);
  expect(await listSessions(parts)).toMatchObject([{ id: "a", cwd: "/now" }]);
  expect(await listSessions({ ...parts, cwd: "/never/was/here" })).toEqual([]);
});

test("there and back again", async () => {
  const { parts } = ground();
  const { path, hash } = await sessionWithBlob(parts);
  const away = await rebindSession(path, "/code/two", parts);
  const back = await rebindSession(away.type === "rebound" ? away.path : "", "/code/one", parts);
  expect(back).toEqual({ type: "rebound", path });
  expect(await expectWhole("pictured", hash, parts)).toBe(path);
  expect(await rebindSession(path, "/code/one", parts)).toEqual({ type: "rebound", path });
});

test("a session that another process writes stays where it is; so does one whose place is taken or that is not there", async () => {
  const { files, parts } = ground();
  const path = await session(parts, { id: "a" });
  const store = storeIn(await openStore(path, parts));
  expect(await rebindSession(path, "/code/two", parts)).toMatchObject({ type: "held", owner: { pid: 1 } });
  await store.close();
  files.write(path.replace(folderName("/code/one"), folderName("/code/two")), Buffer.from("another"));
  expect(await rebindSession(path, "/code/two", parts)).toMatchObject({ type: "taken" });
  expect(await idsAt(path, parts)).toEqual(["e1", "e2"]);
  expect(await rebindSession("/pith/gone.jsonl", "/x", parts)).toMatchObject({ type: "unavailable", code: "ENOENT" });
});

test("a full disk, or two disks, leave it where it was", async () => {
  const full = ground();
  const path = await session(full.parts, { id: "a" });
  full.files.failEvery("ENOSPC", ["append"]);
  expect(["refused", "unavailable"]).toContain((await rebindSession(path, "/code/two", full.parts)).type);
  full.files.heal();
  full.ends();
  expect(await idsAt(path, full.parts)).toEqual(["e1", "e2"]);
  full.files.failEvery("EXDEV", ["rename"]);
  expect(await rebindSession(path, "/code/two", full.parts)).toMatchObject({
    type: "unavailable",
    code: "EXDEV",
    why: expect.stringContaining("clone"),
  });
  expect(await findSession("a", full.parts)).toMatchObject({ type: "found", path });
});

test("whatever the disk refuses, it is whole in one of the two places, and somebody is told", async () => {
  await atEveryRefusal(
    ({ parts }) => sessionWithBlob(parts),
    ({ parts }, { path }) => rebindSession(path, "/code/two", parts),
    async ({ parts }, { hash }, outcome) => {
      expect(["rebound", "refused", "unavailable"]).toContain(outcome.type);
      const now = await expectWhole("pictured", hash, parts);
      if (outcome.type === "rebound") expect(outcome.path).toBe(now);
    },
  );
});

test("HOME3 whenever the process or the power ends, the session is whole in one of the two places, and is found by its id", async () => {
  const places = new Set<string>();
  const ends = await atEveryEnd(
    ({ parts }) => sessionWithBlob(parts),
    ({ parts }, { path }) => rebindSession(path, "/code/two", parts),
    async ({ parts }, { path, hash }) => {
      const now = await expectWhole("pictured", hash, parts);
      places.add(now === path ? "old" : "new");
      expect((await idsAt(now, parts)).slice(0, 3)).toEqual(["e1", "e3", "e4"]);
      const again = await rebindSession(now, "/code/two", parts);
      expect(again).toMatchObject({ type: "rebound" });
      await expectWhole("pictured", hash, parts);
    },
  );
  expect(ends).toBeGreaterThan(40);
  expect([...places].sort()).toEqual(["new", "old"]);
});
