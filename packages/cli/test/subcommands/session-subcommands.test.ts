/** Tests subcommands/session-subcommands.ts: prune, purge. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pinText, Session } from "@pith/context";
import { labelEntry, nodeRuntime, openStore } from "@pith/context/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { idOf, SubcommandRunner } from "../support/subcommand-runner.ts";
import { TestProgram } from "../support/test-program.ts";

describe("prune", () => {
  let runner: SubcommandRunner;

  beforeEach(() => {
    runner = new SubcommandRunner();
  });

  afterEach(() => runner.remove());

  test("PRUNE1 no session is pruned without the command, even after years", async () => {
    const paths = [await runner.add({ age: 400 }), await runner.add({ age: 4_000 })];
    for (const args of [
      ["sessions", "list"],
      ["sessions", "stats"],
      ["sessions", "prune"],
    ])
      await runner.run(...args);
    const shown = (await runner.json("sessions", "prune", "--dry-run")) as {
      isDone: boolean;
      inactive: readonly unknown[];
    };
    expect(shown).toMatchObject({ isDone: false, olderThan: "90d", inactive: { length: 2 } });
    expect(paths.every((path) => existsSync(path))).toBe(true);
    expect(existsSync(join(runner.home, "trash"))).toBe(false);
  });

  test("PRUNE2 the age of a session is that of its newest entry, not of its file", async () => {
    const copied = await runner.add({ prompt: "Young words, old file.", age: 1 });
    utimesSync(copied, new Date(0), new Date(0));
    const touched = await runner.add({ prompt: "Old words, new file.", age: 400 });
    utimesSync(touched, new Date(), new Date());
    const old = await runner.add({ prompt: "Old both.", age: 400 });
    expect(await runner.json("sessions", "prune")).toMatchObject({ inactive: [{ path: old }], kept: { younger: 2 } });
  });

  test("PRUNE3 sessions with a name, a label, a pin or damage are not pruned", async () => {
    await runner.add({ age: 400, name: "kept" });
    const labelled = await runner.add({ age: 400 });
    const pinned = await runner.add({ age: 400 });
    const old = { ...nodeRuntime, now: () => Date.now() - 400 * 24 * 3_600_000 };
    await labelEntry(labelled, { entryId: await firstOf(labelled), label: "here", runtime: old });
    await withWriter(pinned, async (session) => void (await pinText(session, "Never forget.")));
    const damaged = await runner.add({ age: 400 });
    writeFileSync(damaged, `${readFileSync(damaged, "utf8").trim()}garbage\n`);
    for (const path of [labelled, pinned, damaged]) utimesSync(path, new Date(0), new Date(0));
    const gone = await runner.add({ age: 400 });
    const found = await runner.json("sessions", "prune");
    expect(found).toMatchObject({ inactive: [{ path: gone }], kept: { named: 1, labeled: 1, pinned: 1, damaged: 1 } });
  });

  test("PRUNE4 without an inactive session, prune reports that and moves nothing", async () => {
    await runner.add({ age: 1 });
    expect((await runner.run("sessions", "prune")).out).toBe("No sessions have been inactive for 90 days.\n");
    expect((await runner.run("sessions", "prune", "--older-than", "1y", "--yes")).out).toBe(
      "Nothing to prune: no sessions have been inactive for 1 year.\n",
    );
  });

  test("PRUNE4 prune needs --older-than and --yes, moves sessions to the trash with a log line each, and empties it after 30 days", async () => {
    const path = await runner.add({ age: 400 });
    await runner.add({ age: 1 });
    expect(await runner.run("sessions", "prune", "--yes")).toMatchObject({ code: 2 });
    expect(await runner.run("sessions", "prune", "--older-than", "1y", "--yes", "--dry-run")).toMatchObject({
      code: 2,
    });
    expect(await runner.run("sessions", "prune", "--older-than", "soon")).toMatchObject({ code: 2 });
    const done = (await runner.json("sessions", "prune", "--older-than", "1y", "--yes", "--empty-trash")) as object;
    expect(done).toMatchObject({ isDone: true, trashed: [{ path }], removed: [] });
    const log = join(runner.home, "trash", "log.jsonl");
    expect(JSON.parse(readFileSync(log, "utf8"))).toMatchObject({ act: "trashed", id: idOf(path), path });
    expect(statSync(log).mode & 0o777).toBe(0o600);
    const [folder = ""] = readdirSync(join(runner.home, "trash")).filter((name) => name !== "log.jsonl");
    const note = join(runner.home, "trash", folder, "note.json");
    writeFileSync(
      note,
      readFileSync(note, "utf8").replace(/"trashed":"[^"]*"/, '"trashed":"2020-01-01T00:00:00.000Z"'),
    );
    expect(await runner.json("sessions", "prune", "--empty-trash")).toMatchObject({ trash: [{ id: idOf(path) }] });
    expect(existsSync(note)).toBe(true);
    await runner.run("sessions", "prune", "--older-than", "1y", "--yes", "--empty-trash");
    expect(readdirSync(join(runner.home, "trash"))).toEqual(["log.jsonl"]);
    expect(readFileSync(log, "utf8").trim().split("\n")[1]).toContain('"act":"removed"');
  });

  test("PRUNE4 a session that is in use or cannot be logged stays and is reported; the others are pruned, with exit code 1", async () => {
    const busy = await runner.add({ age: 400 });
    const gone = await runner.add({ age: 401 });
    const act = ["sessions", "prune", "--older-than", "1y", "--empty-trash", "--yes"] as const;
    const opened = await openStore(busy);
    if (opened.type !== "opened") throw new Error(opened.type);
    const first = await runner.run(...act);
    await opened.store.close();
    expect(first).toMatchObject({ code: 1, out: expect.stringContaining("Moved 1 session") });
    expect(first.notes.join()).toContain(`${busy}: process ${process.pid} is using this session`);
    expect([busy, gone].map((path) => existsSync(path))).toEqual([true, false]);

    const trash = join(runner.home, "trash");
    const [folder = ""] = readdirSync(trash).filter((name) => name !== "log.jsonl");
    const note = join(trash, folder, "note.json");
    writeFileSync(
      note,
      readFileSync(note, "utf8").replace(/"trashed":"[^"]*"/, '"trashed":"2020-01-01T00:00:00.000Z"'),
    );
    rmSync(join(trash, "log.jsonl"));
    mkdirSync(join(trash, "log.jsonl"));
    utimesSync(busy, new Date(), new Date());
    const second = await runner.run(...act);
    expect(second).toMatchObject({ code: 1, out: expect.stringContaining("Permanently deleted 0 sessions") });
    expect(second.notes.join()).toContain("the deletion cannot be logged in");
    expect(existsSync(note)).toBe(true);
  });

  async function withWriter(path: string, act: (session: Session) => Promise<void>): Promise<void> {
    const ports = { ...nodeRuntime, now: () => Date.now() - 400 * 24 * 3_600_000 };
    const opened = await openStore(path);
    if (opened.type !== "opened") throw new Error(opened.type);
    await act(await Session.open(opened.store, ports));
    await opened.store.close();
  }

  async function firstOf(path: string): Promise<string> {
    const opened = await openStore(path, { mode: "follower" });
    if (opened.type !== "opened") throw new Error(opened.type);
    const [first] = await opened.store.children(null);
    await opened.store.close();
    return first?.id ?? "";
  }
});

describe("purge", () => {
  let program: TestProgram;
  beforeEach(() => {
    program = new TestProgram();
  });
  afterEach(() => program.remove());

  const WORD = "the-cellar-door-4711";

  /** All that lies under Pith's home. */
  function everything(): string {
    const names = readdirSync(program.home, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    return names.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1")).join("\n");
  }

  test("PUR7 purge --stdin removes the piped text from a session, its saved originals and the search index", async () => {
    writeFileSync(join(program.folder, "door.txt"), `open with ${WORD}\n`);
    const edit = { path: "door.txt", edits: [{ oldText: "open", newText: "close" }] };
    const script = [
      { parts: [{ type: "call", name: "read", arguments: { path: "door.txt" } }] },
      { parts: [{ type: "call", name: "edit", arguments: edit }] },
      `it says ${WORD}`,
    ] as const;
    const result = await program.runWithScript(["-p", `remember ${WORD}`], script);
    expect(result.code).toBe(0);
    expect((await program.run(["sessions", "search", "cellar"])).out).toContain("cellar");
    expect(everything()).toContain(WORD);

    const preview = await program.run(["sessions", "purge", "last", "--stdin", "--json"], { input: `${WORD}\n` });
    expect(JSON.parse(preview.out)).toMatchObject({ purged: false, sessions: [{ lines: expect.any(Number) }] });
    expect(everything()).toContain(WORD);

    const done = await program.run(["sessions", "purge", "--all", "--stdin", "--yes"], { input: `${WORD}\n` });
    expect(done).toMatchObject({ code: 0 });
    expect(done.out).toContain("The secrets were removed");
    expect(done.out + done.notes).not.toContain(WORD);
    expect(everything()).not.toContain(WORD);
    expect(everything()).not.toContain("cellar");
    const again = await program.runWithScript(["-p", "-c", "go on"], ["on it goes"]);
    expect(again).toMatchObject({ code: 0, out: "on it goes\n" });
    expect(JSON.stringify(program.lastRequestBody())).toContain("PITH_SECRET_");
  });

  test("PUR7 purge without a session or without usable text is a mistake that says what to write", async () => {
    expect(await program.run(["sessions", "purge"])).toMatchObject({
      code: 2,
      notes: expect.stringContaining("specify the sessions, e.g. pith sessions purge last, or use --all"),
    });
    expect(await program.run(["sessions", "purge", "--all", "--stdin"], { input: "abc\n" })).toMatchObject({
      code: 2,
      notes: expect.stringContaining("line 1 has fewer than 6 characters"),
    });
  });

  const TOKEN = `Zk9-vT3qLm7w${"Xb2rNc8sPd4f"}`;

  /** Sessions that were written before anybody knew the token. */
  async function createRunnerWithSecret(
    count: number,
  ): Promise<{ readonly runner: SubcommandRunner; readonly paths: readonly string[] }> {
    const runner = new SubcommandRunner();
    runner.environment = { ...runner.environment, DEPLOY_TOKEN: TOKEN };
    const paths: string[] = [];
    for (let at = 0; at < count; at++) paths.push(await runner.add({ prompt: `deploy with ${TOKEN}` }));
    return { runner, paths };
  }

  test("PUR5 purge skips and names a session in use, purges all others and deletes the search index", async () => {
    const { runner, paths } = await createRunnerWithSecret(3);
    const [, busy = ""] = paths;
    await runner.run("sessions", "search", "deploy");
    expect(existsSync(join(runner.home, "search.db"))).toBe(true);
    const opened = await openStore(busy);
    if (opened.type !== "opened") throw new Error(opened.type);
    const { code, out, notes } = await runner.run("sessions", "purge", "--all", "--yes", "--json");
    await opened.store.close();
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ sessions: [{ lines: 1 }, { lines: 1 }], failed: [{ path: busy }] });
    expect(notes).toContainEqual(expect.stringContaining(`${busy}: process ${process.pid} is using this session`));
    expect(paths.map((path) => readFileSync(path, "utf8").includes(TOKEN))).toEqual([false, true, false]);
    expect(existsSync(join(runner.home, "search.db"))).toBe(false);
    runner.remove();
  });

  test("PUR8 purge keeps the order of sessions by their last message", async () => {
    const { runner } = await createRunnerWithSecret(0);
    const paths: string[] = [];
    for (const age of [3, 1, 2]) paths.push(await runner.add({ prompt: `deploy with ${TOKEN}`, age }));
    const listed = async (): Promise<unknown> => {
      const { sessions } = (await runner.json("sessions", "list")) as { sessions: readonly { path: string }[] };
      return sessions.map(({ path }) => path);
    };
    expect(await listed()).toEqual([paths[1], paths[2], paths[0]]);
    expect(await runner.json("sessions", "purge", "--all", "--yes")).toMatchObject({
      searched: 3,
      sessions: [{}, {}, {}],
    });
    expect(await listed()).toEqual([paths[1], paths[2], paths[0]]);
    runner.remove();
  });

  test("PUR7 purge searches the saved originals, also of a session given by its path or in the trash", async () => {
    const { runner, paths } = await createRunnerWithSecret(2);
    const [named = "", trashed = ""] = paths;
    for (const path of paths) {
      mkdirSync(join(runner.home, "restore", idOf(path)), { recursive: true });
      writeFileSync(join(runner.home, "restore", idOf(path), "original"), `key ${TOKEN}`);
    }
    // What lies beside a session elsewhere is somebody's own.
    mkdirSync(join(dirname(named), "restore"));
    writeFileSync(join(dirname(named), "restore", "own.txt"), TOKEN);
    await runner.run("sessions", "rm", trashed);
    expect(await runner.json("sessions", "purge", named, "--yes")).toMatchObject({
      sessions: [{ lines: 1, files: 1 }],
    });
    expect(await runner.json("sessions", "purge", "--all", "--yes")).toMatchObject({
      sessions: [{ lines: 1, files: 1 }],
    });
    const names = readdirSync(runner.home, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    const filesWithSecret = names.filter(({ parentPath, name }) =>
      readFileSync(join(parentPath, name), "latin1").includes(TOKEN),
    );
    expect(filesWithSecret.map(({ name }) => name)).toEqual(["own.txt"]);
    runner.remove();
  });
});
