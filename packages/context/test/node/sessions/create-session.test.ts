/** A new session: in the folder of its directory, for its owner alone. */

import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSession } from "../../../src/node/sessions/create-session.ts";
import { folderName } from "../../../src/node/sessions/folder-name.ts";
import { story } from "../../../src/testing/story.ts";
import { appended, ground, session, storeIn } from "./ground.ts";

test("a session lies in the folder of its directory, named by time and id, and can be written", async () => {
  const { files, parts } = ground();
  const store = storeIn(await createSession({ cwd: "/code/one", parentSession: "/old.jsonl", ...parts }));
  expect(dirname(store.path)).toBe(`/pith/sessions/${folderName("/code/one")}`);
  const { id, timestamp } = store.header;
  expect(basename(store.path)).toBe(`${timestamp.replace(/[:.]/g, "-")}_${id}.jsonl`);
  expect(store.header).toMatchObject({ cwd: "/code/one", version: 3, parentSession: "/old.jsonl" });
  expect(Buffer.from(files.contents(join(dirname(store.path), "folder.json"))).toString()).toBe(
    '{"cwd":"/code/one"}\n',
  );
  await appended(store, story("user: hello"));
});

test("S5 files are for their owner alone, folders too, whatever the umask", async () => {
  const home = mkdtempSync(join(tmpdir(), "pith-create-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const before = process.umask(0);
  const store = storeIn(await createSession({ cwd: "/code", env: { PITH_HOME: home } }));
  process.umask(before);
  const mode = (path: string): number => statSync(path).mode & 0o777;
  expect(mode(store.path)).toBe(0o600);
  expect(mode(join(dirname(store.path), "folder.json"))).toBe(0o600);
  expect([mode(dirname(store.path)), mode(join(home, "sessions"))]).toEqual([0o700, 0o700]);
  expect(readFileSync(store.path, "utf8")).toContain('"pith":{"format":1}');
  await store.close();
});

test("a full disk and a forbidden folder are outcomes with a next step", async () => {
  const full = ground();
  full.files.room = 0;
  expect(await createSession({ cwd: "/w", ...full.parts })).toMatchObject({
    type: "unavailable",
    code: "ENOSPC",
    why: expect.stringContaining("free some space"),
  });
  const closed = ground();
  closed.files.failEvery("EACCES", ["makeFolder"]);
  expect(await createSession({ cwd: "/w", ...closed.parts })).toMatchObject({
    type: "unavailable",
    code: "EACCES",
    why: expect.stringContaining("permissions"),
  });
});

test("a session that was created is there after a power cut", async () => {
  const { files, parts } = ground();
  const path = await session(parts);
  files.powerCut(() => 0);
  expect(files.paths()).toContain(path);
});
