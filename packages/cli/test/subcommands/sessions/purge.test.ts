/** `pith sessions purge` as people call it. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openStore } from "@pith/context/node";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Ground } from "../../ground.ts";
import { idOf, Shelf } from "../shelf.ts";

let ground: Ground;
beforeEach(() => {
  ground = new Ground();
});
afterEach(() => ground.clear());

const WORD = "the-cellar-door-4711";

/** All that lies under Pith's home. */
function everything(): string {
  const names = readdirSync(ground.home, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return names.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1")).join("\n");
}

test("PUR7 what is piped in is taken out of a session, of what was kept to put files back, and of the index", async () => {
  writeFileSync(join(ground.folder, "door.txt"), `open with ${WORD}\n`);
  const edit = { path: "door.txt", edits: [{ oldText: "open", newText: "close" }] };
  const script = [
    { parts: [{ type: "call", name: "read", arguments: { path: "door.txt" } }] },
    { parts: [{ type: "call", name: "edit", arguments: edit }] },
    `it says ${WORD}`,
  ] as const;
  const said = await ground.pith(["-p", `remember ${WORD}`], script);
  expect(said.code).toBe(0);
  expect((await ground.run(["sessions", "search", "cellar"])).out).toContain("cellar");
  expect(everything()).toContain(WORD);

  const looked = await ground.run(["sessions", "purge", "last", "--stdin", "--json"], { input: `${WORD}\n` });
  expect(JSON.parse(looked.out)).toMatchObject({ purged: false, sessions: [{ lines: expect.any(Number) }] });
  expect(everything()).toContain(WORD);

  const done = await ground.run(["sessions", "purge", "--all", "--stdin", "--yes"], { input: `${WORD}\n` });
  expect(done).toMatchObject({ code: 0 });
  expect(done.out).toContain("they are gone from here");
  expect(done.out + done.notes).not.toContain(WORD);
  expect(everything()).not.toContain(WORD);
  expect(everything()).not.toContain("cellar");
  const again = await ground.pith(["-p", "-c", "go on"], ["on it goes"]);
  expect(again).toMatchObject({ code: 0, out: "on it goes\n" });
  expect(JSON.stringify(ground.body())).toContain("PITH_SECRET_");
});

test("PUR7 who names nothing, or pipes in nothing, is told what to write", async () => {
  expect(await ground.run(["sessions", "purge"])).toMatchObject({
    code: 2,
    notes: expect.stringContaining("say which sessions: pith sessions purge last, or --all"),
  });
  expect(await ground.run(["sessions", "purge", "--all", "--stdin"], { input: "abc\n" })).toMatchObject({
    code: 2,
    notes: expect.stringContaining("line 1 has fewer than 6 letters"),
  });
});

const TOKEN = `Zk9-vT3qLm7w${"Xb2rNc8sPd4f"}`;

/** Sessions that were written before anybody knew the token. */
async function tellingShelf(count: number): Promise<{ readonly shelf: Shelf; readonly paths: readonly string[] }> {
  const shelf = new Shelf();
  shelf.environment = { ...shelf.environment, DEPLOY_TOKEN: TOKEN };
  const paths: string[] = [];
  for (let at = 0; at < count; at++) paths.push(await shelf.add({ said: `deploy with ${TOKEN}` }));
  return { shelf, paths };
}

test("PUR5 one that is in use is left alone and named; all others are purged, and the index is forgotten", async () => {
  const { shelf, paths } = await tellingShelf(3);
  const [, busy = ""] = paths;
  await shelf.run("sessions", "search", "deploy");
  expect(existsSync(join(shelf.home, "search.db"))).toBe(true);
  const opened = await openStore(busy);
  if (opened.type !== "opened") throw new Error(opened.type);
  const { code, out, notes } = await shelf.run("sessions", "purge", "--all", "--yes", "--json");
  await opened.store.close();
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({ sessions: [{ lines: 1 }, { lines: 1 }], failed: [{ path: busy }] });
  expect(notes).toContainEqual(expect.stringContaining(`${busy}: process ${process.pid} writes this session`));
  expect(paths.map((path) => readFileSync(path, "utf8").includes(TOKEN))).toEqual([false, true, false]);
  expect(existsSync(join(shelf.home, "search.db"))).toBe(false);
  shelf.clear();
});

test("PUR8 a purge leaves sessions in the order in which somebody spoke in them", async () => {
  const { shelf } = await tellingShelf(0);
  const paths: string[] = [];
  for (const age of [3, 1, 2]) paths.push(await shelf.add({ said: `deploy with ${TOKEN}`, age }));
  const listed = async (): Promise<unknown> => {
    const { sessions } = (await shelf.json("sessions", "list")) as { sessions: readonly { path: string }[] };
    return sessions.map(({ path }) => path);
  };
  expect(await listed()).toEqual([paths[1], paths[2], paths[0]]);
  expect(await shelf.json("sessions", "purge", "--all", "--yes")).toMatchObject({ looked: 3, sessions: [{}, {}, {}] });
  expect(await listed()).toEqual([paths[1], paths[2], paths[0]]);
  shelf.clear();
});

test("PUR7 what was kept to put files back is found, also of a session that is named by its path, or lies in the trash", async () => {
  const { shelf, paths } = await tellingShelf(2);
  const [named = "", trashed = ""] = paths;
  for (const path of paths) {
    mkdirSync(join(shelf.home, "restore", idOf(path)), { recursive: true });
    writeFileSync(join(shelf.home, "restore", idOf(path), "original"), `key ${TOKEN}`);
  }
  // What lies beside a session elsewhere is somebody's own.
  mkdirSync(join(dirname(named), "restore"));
  writeFileSync(join(dirname(named), "restore", "own.txt"), TOKEN);
  await shelf.run("sessions", "rm", trashed);
  expect(await shelf.json("sessions", "purge", named, "--yes")).toMatchObject({ sessions: [{ lines: 1, files: 1 }] });
  expect(await shelf.json("sessions", "purge", "--all", "--yes")).toMatchObject({ sessions: [{ lines: 1, files: 1 }] });
  const names = readdirSync(shelf.home, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const telling = names.filter(({ parentPath, name }) =>
    readFileSync(join(parentPath, name), "latin1").includes(TOKEN),
  );
  expect(telling.map(({ name }) => name)).toEqual(["own.txt"]);
  shelf.clear();
});
