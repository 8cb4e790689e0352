/** The whole round on the disk of this machine: made, forked, cloned, moved, trashed, put back, and found each time. */

import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cloneSession, forkSession } from "../../../src/node/sessions/copy-session.ts";
import { listSessions } from "../../../src/node/sessions/list-sessions.ts";
import { listTrash, rebindSession, restoreSession, trashSession } from "../../../src/node/sessions/move-session.ts";
import { expectIntactSession, sessionWithBlob } from "./test-home.ts";

test("S5 every operation leaves a complete session that only its owner can read", async () => {
  const home = mkdtempSync(join(tmpdir(), "pith-round-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const parts = { env: { PITH_HOME: home } };
  const before = process.umask(0);
  onTestFinished(() => void process.umask(before));

  const { path, hash } = await sessionWithBlob(parts, "first");
  expect(await forkSession(path, { ...parts, id: "fork" })).toMatchObject({ type: "forked", missing: [] });
  expect(await cloneSession(path, { ...parts, id: "clone", cwd: "/code/two" })).toMatchObject({ type: "cloned" });
  const moved = await rebindSession(path, "/code/three", parts);
  expect(moved).toMatchObject({ type: "rebound" });
  for (const id of ["first", "fork", "clone"]) await expectIntactSession(id, hash, parts);

  expect(await trashSession(moved.type === "rebound" ? moved.path : "", parts)).toMatchObject({ type: "trashed" });
  expect((await listSessions(parts)).map(({ id }) => id).sort()).toEqual(["clone", "fork"]);
  const [item] = await listTrash(parts);
  expect(await restoreSession(item?.folder ?? "", parts)).toMatchObject({ type: "restored" });
  await expectIntactSession("first", hash, parts);
  expect((await listSessions(parts)).map(({ id, cwd, name }) => [id, cwd, name]).sort()).toEqual([
    ["clone", "/code/two", "pictures"],
    ["first", "/code/three", "pictures"],
    ["fork", "/code/one", "pictures (fork)"],
  ]);
  for (const name of readdirSync(home, { recursive: true, encoding: "utf8" })) {
    const stat = statSync(join(home, name));
    expect([name, stat.mode & 0o777]).toEqual([name, stat.isDirectory() ? 0o700 : 0o600]);
  }
});
