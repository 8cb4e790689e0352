/** The trash: everything comes back out of it, and nothing ever leaves it by itself. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { readBlob } from "../../../src/node/blobs/blob-folder.ts";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import { createSession } from "../../../src/node/sessions/create-session.ts";
import { findSession } from "../../../src/node/sessions/find-session.ts";
import { listSessions } from "../../../src/node/sessions/list-sessions.ts";
import { listTrash, restoreSession, trashSession } from "../../../src/node/sessions/trash-session.ts";
import { atEveryEnd, atEveryRefusal, expectWhole, ground, idsAt, session, sessionWithBlob, storeIn } from "./ground.ts";

test("a session in the trash is listed there with where it was, and comes back with all that is its own", async () => {
  const { files, parts } = ground();
  const { path, hash } = await sessionWithBlob(parts);
  files.write(`${path}.bak`, Buffer.from("old"));
  const before = files.contents(path);
  const trashed = await trashSession(path, parts);
  if (trashed.type !== "trashed") throw new Error(JSON.stringify(trashed));
  expect(trashed.folder).toMatch(/^\/pith\/trash\/2026-01-01T[\d-]+Z_pictured$/);
  expect([await listSessions(parts), (await findSession("pictured", parts)).type]).toEqual([[], "none"]);

  const [item] = await listTrash(parts);
  expect(item).toMatchObject({ id: "pictured", from: path, folder: trashed.folder, size: before.length });
  expect(await readBlob(item?.path ?? "", hash, parts)).toMatchObject({ type: "read" });
  expect(await restoreSession(trashed.folder, parts)).toEqual({ type: "restored", path });
  expect(Buffer.compare(files.contents(path), before)).toBe(0);
  expect(Buffer.from(files.contents(`${path}.bak`)).toString()).toBe("old");
  await expectWhole("pictured", hash, parts);
  expect(await listTrash(parts)).toEqual([]);
});

test("the newest comes first, also when the clock stands still", async () => {
  const { parts } = ground();
  const { ports } = parts;
  if (!ports) throw new Error("no ports");
  const still = { ...parts, ports: { ...ports, now: () => 1767225600000 } };
  const path = await session(still, { id: "a" });
  const first = await trashSession(path, still);
  await session(still, { id: "a" });
  const second = await trashSession(path, still);
  expect((await listTrash(parts)).map(({ folder }) => folder)).toEqual(
    [second, first].map((each) => each.type === "trashed" && each.folder),
  );
});

test("DISK10 a clock 400 days ahead removes nothing", async () => {
  const { files, parts } = ground();
  const { ports } = parts;
  if (!ports) throw new Error("no ports");
  const { path } = await sessionWithBlob(parts);
  await trashSession(await session(parts, { id: "b" }), parts);
  const before = files.paths();
  const later = { ...parts, ports: { ...ports, now: () => ports.now() + 400 * 24 * 3600 * 1000 } };
  await listSessions(later);
  await listTrash(later);
  await findSession("nobody", later);
  await storeIn(await createSession({ cwd: "/code/one", id: "c", ...later })).close();
  await storeIn(await openStore(path, later)).close();
  for (const file of before.filter((each) => !each.includes("/writer.lease."))) expect(files.paths()).toContain(file);
  expect((await listTrash(later)).map(({ id }) => id)).toEqual(["b"]);
});

test("a session that another process writes is not put into the trash", async () => {
  const { parts } = ground();
  const path = await session(parts, { id: "a" });
  const store = storeIn(await openStore(path, parts));
  expect(await trashSession(path, parts)).toMatchObject({ type: "held", owner: { pid: 1 } });
  await store.close();
  expect(await trashSession(path, parts)).toMatchObject({ type: "trashed" });
  expect(await trashSession(path, parts)).toMatchObject({ type: "unavailable", code: "ENOENT" });
});

test("what is damaged, or no session at all, can be put into the trash too", async () => {
  const { files, parts } = ground();
  files.write("/pi/not json.jsonl", Buffer.from("\u0000\u0000"));
  const trashed = await trashSession("/pi/not json.jsonl", parts);
  expect(trashed).toMatchObject({ type: "trashed", folder: expect.stringMatching(/Z_session$/) });
  expect(await listTrash(parts)).toMatchObject([{ from: "/pi/not json.jsonl" }]);
});

test("a session is not put back over another, nor where a strange note says; a lost note asks where to", async () => {
  const { files, parts } = ground();
  const path = await session(parts, { id: "a" });
  const trashed = await trashSession(path, parts);
  const folder = trashed.type === "trashed" ? trashed.folder : "";
  files.write(path, Buffer.from("another"));
  expect(await restoreSession(folder, parts)).toMatchObject({ type: "taken" });
  for (const note of ["", "{", '{"from":"/etc/cron.d/x"}', '{"from":"a.jsonl"}', '{"from":7}', "null"]) {
    files.write(join(folder, "note.json"), Buffer.from(note));
    expect(await restoreSession(folder, parts)).toMatchObject({
      type: "none",
      why: expect.stringContaining("say where"),
    });
  }
  expect(await restoreSession(folder, { ...parts, to: "/elsewhere/b.jsonl" })).toEqual({
    type: "restored",
    path: "/elsewhere/b.jsonl",
  });
  expect(await idsAt("/elsewhere/b.jsonl", parts)).toEqual(["e1", "e2"]);
  expect(await restoreSession("/pith/trash/nothing", parts)).toMatchObject({ type: "none" });
});

test("whatever the disk refuses, a session is whole in its place or whole in the trash, and somebody is told", async () => {
  const ends = await atEveryRefusal(
    ({ parts }) => sessionWithBlob(parts),
    ({ parts }, { path }) => trashSession(path, parts),
    async ({ parts }, { path, hash }, outcome) => {
      expect(["trashed", "unavailable"]).toContain(outcome.type);
      const [item] = await listTrash(parts);
      if (item) await restoreSession(item.folder, parts);
      expect(await expectWhole("pictured", hash, parts)).toBe(path);
    },
  );
  expect(ends).toBeGreaterThan(40);
});

test("HOME3 whenever the process or the power ends, a session is whole in its place or whole in the trash, and can be put back", async () => {
  const places = new Set<string>();
  const ends = await atEveryEnd(
    ({ parts }) => sessionWithBlob(parts),
    ({ parts }, { path }) => trashSession(path, parts),
    async ({ parts }, { path, hash }) => {
      const there = (await findSession("pictured", parts)).type === "found";
      const [item, ...more] = await listTrash(parts);
      expect([there, item === undefined, more]).toEqual([there, there, []]);
      places.add(there ? "in its place" : "in the trash");
      if (item) {
        expect(await readBlob(item.path, hash, parts)).toMatchObject({ type: "read" });
        expect(await restoreSession(item.folder, parts)).toEqual({ type: "restored", path });
      }
      expect(await expectWhole("pictured", hash, parts)).toBe(path);
      expect(await trashSession(path, parts)).toMatchObject({ type: "trashed" });
    },
  );
  expect(ends).toBeGreaterThan(40);
  expect([...places].sort()).toEqual(["in its place", "in the trash"]);
});

test("whenever the process or the power ends while it is put back, it is whole in one of the two places", async () => {
  await atEveryEnd(
    async ({ parts }) => {
      const { path, hash } = await sessionWithBlob(parts);
      const trashed = await trashSession(path, parts);
      return { path, hash, folder: trashed.type === "trashed" ? trashed.folder : "" };
    },
    ({ parts }, { folder }) => restoreSession(folder, parts),
    async ({ parts }, { path, hash, folder }) => {
      if ((await findSession("pictured", parts)).type === "none")
        expect(await restoreSession(folder, parts)).toEqual({ type: "restored", path });
      expect(await expectWhole("pictured", hash, parts)).toBe(path);
    },
  );
});
