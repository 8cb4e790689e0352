/** Tests that changes of an open session file by other processes are detected before the next append, and reported. */

import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { realFiles } from "../../../src/node/files.ts";
import type { JsonlStore } from "../../../src/node/jsonl/jsonl-store.ts";
import { createStore, openStore } from "../../../src/node/jsonl/open-store.ts";
import { chain, file, note, piHeader } from "../../format/specimen.ts";
import { temporaryFolder } from "./disks.ts";
import { append, branchIds, noteEntries, type ProcessSimulation, simulateProcesses } from "./simulate-processes.ts";
import { damageText } from "./store-contents.ts";

interface TestSession {
  readonly path: string;
  readonly elsewhere: string;
  readonly simulation: ProcessSimulation;
  readonly store: JsonlStore;
}

/** An open session of one entry, a. */
async function createSession(): Promise<TestSession> {
  const folder = temporaryFolder();
  const path = join(folder, "s.jsonl");
  const simulation = simulateProcesses(realFiles);
  const store = await simulation.create(path);
  await append(store, "a");
  return { path, elsewhere: join(folder, "elsewhere.jsonl"), simulation, store };
}

const acts: readonly (readonly [name: string, outcome: string, act: (session: TestSession) => void])[] = [
  [
    "another file was renamed over it",
    "file-replaced",
    ({ path, elsewhere }) => {
      writeFileSync(elsewhere, file(piHeader, chain(3)));
      renameSync(elsewhere, path);
    },
  ],
  [
    "it was removed and written anew",
    "file-replaced",
    ({ path, elsewhere }) => {
      const bytes = readFileSync(path);
      // Its number must not be given to the new one.
      renameSync(path, elsewhere);
      writeFileSync(path, bytes);
    },
  ],
  ["it was removed", "file-removed", ({ path }) => rmSync(path)],
  ["it was moved", "file-removed", ({ path, elsewhere }) => renameSync(path, elsewhere)],
  [
    "its folder was moved",
    "file-removed",
    ({ path }) => {
      const folder = join(path, "..");
      renameSync(folder, `${folder}-moved`);
      mkdirSync(folder);
      renameSync(`${folder}-moved`, join(folder, "moved"));
      mkdirSync(join(folder, ".pith"));
    },
  ],
  [
    "a link took its place",
    "file-replaced",
    ({ path, elsewhere }) => {
      renameSync(path, elsewhere);
      symlinkSync(elsewhere, path);
    },
  ],
  [
    "a folder took its place",
    "file-replaced",
    ({ path, elsewhere }) => {
      renameSync(path, elsewhere);
      mkdirSync(path);
    },
  ],
  ["it was cut", "file-shortened", ({ path }) => truncateSync(path, readFileSync(path).length - 5)],
  ["it was emptied", "file-shortened", ({ path }) => truncateSync(path, 0)],
  ["it was made read-only", "not-writable", ({ path }) => chmodSync(path, 0o400)],
];

describe("between two appends", () => {
  test.each(acts)(
    "DISK4 D14 %s: the next append is refused with %s, and nothing is written",
    async (_, outcome, act) => {
      const { path, elsewhere, simulation, store } = await createSession();
      act({ path, elsewhere, simulation, store });
      const before = [contents(path), contents(elsewhere)];
      for (const id of ["b", "c"]) expect(await append(store, id)).toBe(outcome);
      expect([contents(path), contents(elsewhere)]).toEqual(before);
      expect(await branchIds(store).catch(() => ["it cannot be read"])).not.toContain("b");
      await store.close();
      expect([contents(path), contents(elsewhere)]).toEqual(before);
    },
  );

  test("D14 appends work again after a temporary change is undone", async () => {
    const { path, elsewhere, store } = await createSession();
    renameSync(path, elsewhere);
    expect(await append(store, "b")).toBe("file-removed");
    renameSync(elsewhere, path);
    expect(await append(store, "b")).toBe("appended");
    chmodSync(path, 0o400);
    expect(await append(store, "c")).toBe("not-writable");
    chmodSync(path, 0o600);
    expect(await append(store, "c")).toBe("appended");
    expect(await branchIds(store)).toEqual(["a", "b", "c"]);
  });

  test("D14 after another process has appended a line, the leaf has moved, and the next append follows it", async () => {
    const { path, simulation, store } = await createSession();
    appendFileSync(path, `${note("p", "a")}\n`);
    const before = contents(path);
    expect(await store.append(noteEntries("a", ["b"]), { expectedLeaf: "a" })).toEqual({
      type: "leaf-moved",
      leaf: "p",
    });
    expect(contents(path)).toBe(before);
    expect(await append(store, "b")).toBe("appended");
    expect(await branchIds(store)).toEqual(["a", "p", "b"]);
    expect(await branchIds(await simulation.open(path, { mode: "follower" }))).toEqual(["a", "p", "b"]);
  });

  test("D14 after another process appends right after an append, both lines are there and the leaf has moved", async () => {
    const { path, simulation, store } = await createSession();
    const pending = store.append(noteEntries("a", ["b"]), { expectedLeaf: "a" });
    appendFileSync(path, `${note("p", "a")}\n`);
    expect(await pending).toEqual({ type: "appended", leaf: "b" });
    expect(await store.append(noteEntries("b", ["c"]), { expectedLeaf: "b" })).toEqual({
      type: "leaf-moved",
      leaf: "p",
    });
    const follower = await simulation.open(path, { mode: "follower" });
    expect((await follower.children("a")).map(({ id }) => id)).toEqual(["b", "p"]);
    expect(await branchIds(follower)).toEqual(["a", "p"]);
  });

  test("D14 garbage from another process stays on its line, is reported, and the session continues", async () => {
    const { path, simulation, store } = await createSession();
    appendFileSync(path, "garbage\n");
    expect(await append(store, "b")).toBe("appended");
    expect(damageText(store.damage)).toBe("not-json@3");
    appendFileSync(path, "more garbage\n");
    expect(await append(store, "c")).toBe("appended");
    for (const each of [store, await simulation.open(path, { mode: "follower" })]) {
      expect(await branchIds(each)).toEqual(["a", "b", "c"]);
      expect(damageText(await each.check())).toBe("not-json@3 not-json@5");
    }
  });

  test("D14 an append after garbage without a line end starts a new line", async () => {
    const { path, simulation, store } = await createSession();
    appendFileSync(path, "garbage");
    expect(await append(store, "b")).toBe("appended");
    expect(contents(`${path}.damaged`)).toBe("garbage");
    const again = await simulation.open(path, { mode: "follower" });
    expect([await branchIds(again), damageText(await again.check())]).toEqual([["a", "b"], ""]);
  });

  test("D14 a line from another process without a line end counts, and the next append starts a new line", async () => {
    const { path, simulation, store } = await createSession();
    appendFileSync(path, note("p", "a"));
    expect(await store.append(noteEntries("a", ["b"]), { expectedLeaf: "a" })).toEqual({
      type: "leaf-moved",
      leaf: "p",
    });
    expect(await append(store, "b")).toBe("appended");
    expect(await branchIds(await simulation.open(path, { mode: "follower" }))).toEqual(["a", "p", "b"]);
  });
});

describe("at open", () => {
  test.each(["writer", "follower", "takeover"] as const)("DISK5 D14 a %s cannot open a link", async (as) => {
    const { elsewhere, path, simulation, store } = await createSession();
    await store.close();
    renameSync(path, elsewhere);
    symlinkSync(elsewhere, path);
    expect(await openStore(path, { ...simulation.parts, mode: as })).toMatchObject({ type: "unavailable" });
    rmSync(elsewhere);
    expect(await openStore(path, { ...simulation.parts, mode: as })).toMatchObject({ type: "unavailable" });
  });

  test("D14 a session is not created through a link or over an existing file", async () => {
    const { elsewhere, path, simulation, store } = await createSession();
    await store.close();
    const before = contents(path);
    expect(await createStore(path, { cwd: "/" }, simulation.parts)).toMatchObject({ code: "EEXIST" });
    expect(contents(path)).toBe(before);
    rmSync(path);
    symlinkSync(elsewhere, path);
    expect(await createStore(path, { cwd: "/" }, simulation.parts)).toMatchObject({ code: "EEXIST" });
    expect(existsSync(elsewhere)).toBe(false);
  });

  test.each(["writer", "follower"] as const)("D14 a %s cannot open a folder", async (as) => {
    const path = temporaryFolder();
    expect(await openStore(path, { ...simulateProcesses(realFiles).parts, mode: as })).toMatchObject({
      type: "unavailable",
    });
  });

  test.each(["writer", "follower"] as const)("D14 a %s does not create a missing session", async (as) => {
    const path = join(temporaryFolder(), "s.jsonl");
    const found = await openStore(path, { ...simulateProcesses(realFiles).parts, mode: as });
    expect(found).toMatchObject({ type: "unavailable", code: "ENOENT" });
    expect([existsSync(path), existsSync(join(path, "../.pith"))]).toEqual([false, false]);
  });
});

/** Null where there is no file. */
function contents(path: string): string | null {
  return realFiles.stat(path)?.kind === "file" ? readFileSync(path, "latin1") : null;
}
