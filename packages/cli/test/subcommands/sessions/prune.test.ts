/** Pruning: what goes, what stays, and that nothing goes by itself. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pinWords, Session } from "@pith/context";
import { labelEntry, machine, openStore } from "@pith/context/node";
import { afterEach, beforeEach, expect, test } from "vitest";
import { idOf, Shelf } from "../shelf.ts";

let shelf: Shelf;

beforeEach(() => {
  shelf = new Shelf();
});

afterEach(() => shelf.clear());

test("PRUNE1 nothing is pruned by itself, however old it is: 400 days later all is there", async () => {
  const paths = [await shelf.add({ age: 400 }), await shelf.add({ age: 4_000 })];
  for (const args of [
    ["sessions", "list"],
    ["sessions", "stats"],
    ["sessions", "prune"],
  ])
    await shelf.run(...args);
  const shown = (await shelf.json("sessions", "prune", "--dry-run")) as { isDone: boolean; silent: readonly unknown[] };
  expect(shown).toMatchObject({ isDone: false, olderThan: "90d", silent: { length: 2 } });
  expect(paths.every((path) => existsSync(path))).toBe(true);
  expect(existsSync(join(shelf.home, "trash"))).toBe(false);
});

test("PRUNE2 the newest entry decides, and the file's time alone never does", async () => {
  const copied = await shelf.add({ said: "Young words, old file.", age: 1 });
  utimesSync(copied, new Date(0), new Date(0));
  const touched = await shelf.add({ said: "Old words, new file.", age: 400 });
  utimesSync(touched, new Date(), new Date());
  const old = await shelf.add({ said: "Old both.", age: 400 });
  expect(await shelf.json("sessions", "prune")).toMatchObject({ silent: [{ path: old }], stays: { younger: 2 } });
});

test("PRUNE3 what is named, labelled, pinned or damaged stays", async () => {
  await shelf.add({ age: 400, name: "kept" });
  const labelled = await shelf.add({ age: 400 });
  const pinned = await shelf.add({ age: 400 });
  const old = { ...machine, now: () => Date.now() - 400 * 24 * 3_600_000 };
  await labelEntry(labelled, { entryId: await firstOf(labelled), label: "here", ports: old });
  await withWriter(pinned, async (session) => void (await pinWords(session, "Never forget.")));
  const damaged = await shelf.add({ age: 400 });
  writeFileSync(damaged, `${readFileSync(damaged, "utf8").trim()}garbage\n`);
  for (const path of [labelled, pinned, damaged]) utimesSync(path, new Date(0), new Date(0));
  const gone = await shelf.add({ age: 400 });
  const found = await shelf.json("sessions", "prune");
  expect(found).toMatchObject({ silent: [{ path: gone }], stays: { named: 1, labelled: 1, pinned: 1, damaged: 1 } });
});

test("PRUNE4 done only with an age and --yes: into the trash, with a line for each, and out of it only after 30 days", async () => {
  const path = await shelf.add({ age: 400 });
  await shelf.add({ age: 1 });
  expect(await shelf.run("sessions", "prune", "--yes")).toMatchObject({ code: 2 });
  expect(await shelf.run("sessions", "prune", "--older-than", "1y", "--yes", "--dry-run")).toMatchObject({ code: 2 });
  expect(await shelf.run("sessions", "prune", "--older-than", "soon")).toMatchObject({ code: 2 });
  const done = (await shelf.json("sessions", "prune", "--older-than", "1y", "--yes", "--empty-trash")) as object;
  expect(done).toMatchObject({ isDone: true, trashed: [{ path }], removed: [] });
  const log = join(shelf.home, "trash", "log.jsonl");
  expect(JSON.parse(readFileSync(log, "utf8"))).toMatchObject({ act: "trashed", id: idOf(path), path });
  expect(statSync(log).mode & 0o777).toBe(0o600);
  const [folder = ""] = readdirSync(join(shelf.home, "trash")).filter((name) => name !== "log.jsonl");
  const note = join(shelf.home, "trash", folder, "note.json");
  writeFileSync(note, readFileSync(note, "utf8").replace(/"trashed":"[^"]*"/, '"trashed":"2020-01-01T00:00:00.000Z"'));
  expect(await shelf.json("sessions", "prune", "--empty-trash")).toMatchObject({ trash: [{ id: idOf(path) }] });
  expect(existsSync(note)).toBe(true);
  await shelf.run("sessions", "prune", "--older-than", "1y", "--yes", "--empty-trash");
  expect(readdirSync(join(shelf.home, "trash"))).toEqual(["log.jsonl"]);
  expect(readFileSync(log, "utf8").trim().split("\n")[1]).toContain('"act":"removed"');
});

test("PRUNE4 what is in use, or cannot be noted, stays and is told; the others go, and it ends with 1", async () => {
  const busy = await shelf.add({ age: 400 });
  const gone = await shelf.add({ age: 401 });
  const act = ["sessions", "prune", "--older-than", "1y", "--empty-trash", "--yes"] as const;
  const opened = await openStore(busy);
  if (opened.type !== "opened") throw new Error(opened.type);
  const first = await shelf.run(...act);
  await opened.store.close();
  expect(first).toMatchObject({ code: 1, out: expect.stringContaining("1 session moved") });
  expect(first.notes.join()).toContain(`${busy}: process ${process.pid} writes this session`);
  expect([busy, gone].map((path) => existsSync(path))).toEqual([true, false]);

  const trash = join(shelf.home, "trash");
  const [folder = ""] = readdirSync(trash).filter((name) => name !== "log.jsonl");
  const note = join(trash, folder, "note.json");
  writeFileSync(note, readFileSync(note, "utf8").replace(/"trashed":"[^"]*"/, '"trashed":"2020-01-01T00:00:00.000Z"'));
  rmSync(join(trash, "log.jsonl"));
  mkdirSync(join(trash, "log.jsonl"));
  utimesSync(busy, new Date(), new Date());
  const second = await shelf.run(...act);
  expect(second).toMatchObject({ code: 1, out: expect.stringContaining("0 sessions removed for good") });
  expect(second.notes.join()).toContain("it cannot be noted in");
  expect(existsSync(note)).toBe(true);
});

async function withWriter(path: string, act: (session: Session) => Promise<void>): Promise<void> {
  const ports = { ...machine, now: () => Date.now() - 400 * 24 * 3_600_000 };
  const opened = await openStore(path);
  if (opened.type !== "opened") throw new Error(opened.type);
  await act(await Session.open(opened.store, ports));
  await opened.store.close();
}

async function firstOf(path: string): Promise<string> {
  const opened = await openStore(path, { as: "follower" });
  if (opened.type !== "opened") throw new Error(opened.type);
  const [first] = await opened.store.children(null);
  await opened.store.close();
  return first?.id ?? "";
}
