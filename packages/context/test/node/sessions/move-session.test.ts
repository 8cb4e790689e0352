/** Tests node/sessions/move-session.ts: rebind session, trash session. */

import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { readBlob } from "../../../src/node/blobs.ts";
import { blobFolder, indexPath } from "../../../src/node/files.ts";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import { listSessions } from "../../../src/node/sessions/list-sessions.ts";
import { listTrash, rebindSession, restoreSession, trashSession } from "../../../src/node/sessions/move-session.ts";
import { sessionFolderName } from "../../../src/node/sessions/paths.ts";
import { createSession, findSession } from "../../../src/node/sessions/sessions.ts";
import { requireStore } from "../jsonl/simulate-processes.ts";
import {
  crashAtEveryStep,
  createTestHome,
  createTestSession,
  expectIntactSession,
  readEntries,
  readIds,
  refuseAtEveryStep,
  sessionWithBlob,
} from "./test-home.ts";

describe("rebind session", () => {
  test("a session moves to the folder of its new directory, with all its files", async () => {
    const { files, parts } = createTestHome();
    const { path, hash } = await sessionWithBlob(parts);
    files.addFile(`${path}.damaged`, Buffer.from("torn"));
    files.addFile(`${path}.bak`, Buffer.from("old"));
    files.addFile(`${path}.bak-2`, Buffer.from("older"));
    files.addFile(indexPath(path), Buffer.from("index"));
    const before = await readIds(path, parts);

    const moved = await rebindSession(path, "/code/two", parts);
    const to = moved.type === "rebound" ? moved.path : "";
    expect(dirname(to)).toBe(`/pith/sessions/${sessionFolderName("/code/two")}`);
    const here = files.listPaths().filter((each) => each.startsWith(dirname(to)));
    for (const own of [to, `${to}.damaged`, `${to}.bak`, `${to}.bak-2`, indexPath(to), `${blobFolder(to)}/${hash}`])
      expect(here).toContain(own);
    const left = files.listPaths().filter((each) => each.startsWith(dirname(path)) && !each.includes("/writer.lease."));
    expect(left).toEqual([`${dirname(path)}/folder.json`]);

    const entries = await readEntries(to, parts);
    expect(entries.slice(0, -1).map(({ id }) => id)).toEqual(before);
    expect(entries.at(-1)).toMatchObject({ type: "custom", customType: "pith.folder", data: { cwd: "/code/two" } });
    expect(await expectIntactSession("pictured", hash, parts)).toBe(to);
  });

  test("the list shows the directory of the session's folder, even if that directory no longer exists", async () => {
    const { parts } = createTestHome();
    const path = await createTestSession(parts, { cwd: "/never/was/here", id: "a" });
    expect(await listSessions({ ...parts, cwd: "/never/was/here" })).toMatchObject([
      { id: "a", cwd: "/never/was/here" },
    ]);
    requireStore(await openStore(path, parts)).close();
    await rebindSession(path, "/now", parts);
    expect(await listSessions(parts)).toMatchObject([{ id: "a", cwd: "/now" }]);
    expect(await listSessions({ ...parts, cwd: "/never/was/here" })).toEqual([]);
  });

  test("a session moves to another directory and can move back", async () => {
    const { parts } = createTestHome();
    const { path, hash } = await sessionWithBlob(parts);
    const away = await rebindSession(path, "/code/two", parts);
    const back = await rebindSession(away.type === "rebound" ? away.path : "", "/code/one", parts);
    expect(back).toEqual({ type: "rebound", path });
    expect(await expectIntactSession("pictured", hash, parts)).toBe(path);
    expect(await rebindSession(path, "/code/one", parts)).toEqual({ type: "rebound", path });
  });

  test("a session in use, a missing one and one whose target exists are not moved", async () => {
    const { files, parts } = createTestHome();
    const path = await createTestSession(parts, { id: "a" });
    const store = requireStore(await openStore(path, parts));
    expect(await rebindSession(path, "/code/two", parts)).toMatchObject({ type: "held", owner: { pid: 1 } });
    await store.close();
    files.addFile(path.replace(sessionFolderName("/code/one"), sessionFolderName("/code/two")), Buffer.from("another"));
    expect(await rebindSession(path, "/code/two", parts)).toMatchObject({ type: "taken" });
    expect(await readIds(path, parts)).toEqual(["e1", "e2"]);
    expect(await rebindSession("/pith/gone.jsonl", "/x", parts)).toMatchObject({ type: "unavailable", code: "ENOENT" });
  });

  test("a full disk and a target on another disk leave the session at its path", async () => {
    const full = createTestHome();
    const path = await createTestSession(full.parts, { id: "a" });
    full.files.failEvery("ENOSPC", ["append"]);
    expect(["refused", "unavailable"]).toContain((await rebindSession(path, "/code/two", full.parts)).type);
    full.files.clearFaults();
    full.ends();
    expect(await readIds(path, full.parts)).toEqual(["e1", "e2"]);
    full.files.failEvery("EXDEV", ["rename"]);
    expect(await rebindSession(path, "/code/two", full.parts)).toMatchObject({
      type: "unavailable",
      code: "EXDEV",
      why: expect.stringContaining("clone"),
    });
    expect(await findSession("a", full.parts)).toMatchObject({ type: "found", path });
  });

  test("after any disk error the session is complete at one of the two paths, and the error is reported", async () => {
    await refuseAtEveryStep(
      ({ parts }) => sessionWithBlob(parts),
      ({ parts }, { path }) => rebindSession(path, "/code/two", parts),
      async ({ parts }, { hash }, outcome) => {
        expect(["rebound", "refused", "unavailable"]).toContain(outcome.type);
        const now = await expectIntactSession("pictured", hash, parts);
        if (outcome.type === "rebound") expect(outcome.path).toBe(now);
      },
    );
  });

  test("HOME3 after a crash or power cut at any step, the session is complete at one of the two paths and found by its id", async () => {
    const places = new Set<string>();
    const ends = await crashAtEveryStep(
      ({ parts }) => sessionWithBlob(parts),
      ({ parts }, { path }) => rebindSession(path, "/code/two", parts),
      async ({ parts }, { path, hash }) => {
        const now = await expectIntactSession("pictured", hash, parts);
        places.add(now === path ? "old" : "new");
        expect((await readIds(now, parts)).slice(0, 3)).toEqual(["e1", "e3", "e4"]);
        const again = await rebindSession(now, "/code/two", parts);
        expect(again).toMatchObject({ type: "rebound" });
        await expectIntactSession("pictured", hash, parts);
      },
    );
    expect(ends).toBeGreaterThan(40);
    expect([...places].sort()).toEqual(["new", "old"]);
  });
});

describe("trash session", () => {
  test("a session in the trash is listed with its old path, and is restored with all its files", async () => {
    const { files, parts } = createTestHome();
    const { path, hash } = await sessionWithBlob(parts);
    files.addFile(`${path}.bak`, Buffer.from("old"));
    const before = files.readBytes(path);
    const trashed = await trashSession(path, parts);
    if (trashed.type !== "trashed") throw new Error(JSON.stringify(trashed));
    expect(trashed.folder).toMatch(/^\/pith\/trash\/2026-01-01T[\d-]+Z_pictured$/);
    expect([await listSessions(parts), (await findSession("pictured", parts)).type]).toEqual([[], "none"]);

    const [item] = await listTrash(parts);
    expect(item).toMatchObject({ id: "pictured", from: path, folder: trashed.folder, size: before.length });
    expect(await readBlob(item?.path ?? "", hash, parts)).toMatchObject({ type: "read" });
    expect(await restoreSession(trashed.folder, parts)).toEqual({ type: "restored", path });
    expect(Buffer.compare(files.readBytes(path), before)).toBe(0);
    expect(Buffer.from(files.readBytes(`${path}.bak`)).toString()).toBe("old");
    await expectIntactSession("pictured", hash, parts);
    expect(await listTrash(parts)).toEqual([]);
  });

  test("the newest item comes first, also if the clock stands still", async () => {
    const { parts } = createTestHome();
    const { runtime: ports } = parts;
    if (!ports) throw new Error("no ports");
    const still = { ...parts, runtime: { ...ports, now: () => 1767225600000 } };
    const path = await createTestSession(still, { id: "a" });
    const first = await trashSession(path, still);
    await createTestSession(still, { id: "a" });
    const second = await trashSession(path, still);
    expect((await listTrash(parts)).map(({ folder }) => folder)).toEqual(
      [second, first].map((each) => each.type === "trashed" && each.folder),
    );
  });

  test("DISK10 a clock 400 days ahead removes nothing", async () => {
    const { files, parts } = createTestHome();
    const { runtime: ports } = parts;
    if (!ports) throw new Error("no ports");
    const { path } = await sessionWithBlob(parts);
    await trashSession(await createTestSession(parts, { id: "b" }), parts);
    const before = files.listPaths();
    const later = { ...parts, runtime: { ...ports, now: () => ports.now() + 400 * 24 * 3600 * 1000 } };
    await listSessions(later);
    await listTrash(later);
    await findSession("nobody", later);
    await requireStore(await createSession({ cwd: "/code/one", id: "c", ...later })).close();
    await requireStore(await openStore(path, later)).close();
    for (const file of before.filter((each) => !each.includes("/writer.lease.")))
      expect(files.listPaths()).toContain(file);
    expect((await listTrash(later)).map(({ id }) => id)).toEqual(["b"]);
  });

  test("a session in use is not moved to the trash", async () => {
    const { parts } = createTestHome();
    const path = await createTestSession(parts, { id: "a" });
    const store = requireStore(await openStore(path, parts));
    expect(await trashSession(path, parts)).toMatchObject({ type: "held", owner: { pid: 1 } });
    await store.close();
    expect(await trashSession(path, parts)).toMatchObject({ type: "trashed" });
    expect(await trashSession(path, parts)).toMatchObject({ type: "unavailable", code: "ENOENT" });
  });

  test("a damaged file, or one that is not a session, can be moved to the trash", async () => {
    const { files, parts } = createTestHome();
    files.addFile("/pi/not json.jsonl", Buffer.from("\u0000\u0000"));
    const trashed = await trashSession("/pi/not json.jsonl", parts);
    expect(trashed).toMatchObject({ type: "trashed", folder: expect.stringMatching(/Z_session$/) });
    expect(await listTrash(parts)).toMatchObject([{ from: "/pi/not json.jsonl" }]);
  });

  test("a restore does not overwrite a file or trust an invalid note; a lost note asks for a path", async () => {
    const { files, parts } = createTestHome();
    const path = await createTestSession(parts, { id: "a" });
    const trashed = await trashSession(path, parts);
    const folder = trashed.type === "trashed" ? trashed.folder : "";
    files.addFile(path, Buffer.from("another"));
    expect(await restoreSession(folder, parts)).toMatchObject({ type: "taken" });
    for (const note of ["", "{", '{"from":"/etc/cron.d/x"}', '{"from":"a.jsonl"}', '{"from":7}', "null"]) {
      files.addFile(join(folder, "note.json"), Buffer.from(note));
      expect(await restoreSession(folder, parts)).toMatchObject({
        type: "none",
        why: expect.stringContaining("give the path"),
      });
    }
    expect(await restoreSession(folder, { ...parts, to: "/elsewhere/b.jsonl" })).toEqual({
      type: "restored",
      path: "/elsewhere/b.jsonl",
    });
    expect(await readIds("/elsewhere/b.jsonl", parts)).toEqual(["e1", "e2"]);
    expect(await restoreSession("/pith/trash/nothing", parts)).toMatchObject({ type: "none" });
  });

  test("after any disk error a session is complete at its path or in the trash, and the error is reported", async () => {
    const ends = await refuseAtEveryStep(
      ({ parts }) => sessionWithBlob(parts),
      ({ parts }, { path }) => trashSession(path, parts),
      async ({ parts }, { path, hash }, outcome) => {
        expect(["trashed", "unavailable"]).toContain(outcome.type);
        const [item] = await listTrash(parts);
        if (item) await restoreSession(item.folder, parts);
        expect(await expectIntactSession("pictured", hash, parts)).toBe(path);
      },
    );
    expect(ends).toBeGreaterThan(40);
  });

  test("HOME3 after a crash or power cut at any step, a session is complete at its path or in the trash, and can be restored", async () => {
    const places = new Set<string>();
    const ends = await crashAtEveryStep(
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
        expect(await expectIntactSession("pictured", hash, parts)).toBe(path);
        expect(await trashSession(path, parts)).toMatchObject({ type: "trashed" });
      },
    );
    expect(ends).toBeGreaterThan(40);
    expect([...places].sort()).toEqual(["in its place", "in the trash"]);
  });

  test("after a crash or power cut during a restore, the session is complete at one of the two paths", async () => {
    await crashAtEveryStep(
      async ({ parts }) => {
        const { path, hash } = await sessionWithBlob(parts);
        const trashed = await trashSession(path, parts);
        return { path, hash, folder: trashed.type === "trashed" ? trashed.folder : "" };
      },
      ({ parts }, { folder }) => restoreSession(folder, parts),
      async ({ parts }, { path, hash, folder }) => {
        if ((await findSession("pictured", parts)).type === "none")
          expect(await restoreSession(folder, parts)).toEqual({ type: "restored", path });
        expect(await expectIntactSession("pictured", hash, parts)).toBe(path);
      },
    );
  });
});
