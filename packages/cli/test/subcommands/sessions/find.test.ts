/** Sessions by whatever they are called, and lists of them. */

import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { idOf, SubcommandRunner } from "../../support/subcommand-runner.ts";

let runner: SubcommandRunner;

beforeEach(() => {
  runner = new SubcommandRunner();
});

afterEach(() => runner.remove());

test("SUB7 a session is found by the beginning of its id, its name, its path, or as last", async () => {
  const old = await runner.add({ prompt: "First.", age: 3, name: "login bug" });
  const young = await runner.add({ prompt: "Second.", age: 1 });
  const meant = async (word: string): Promise<unknown> =>
    ((await runner.json("sessions", "show", word)) as { path: string }).path;
  expect(await meant("last")).toBe(young);
  expect(await meant(idOf(old).slice(0, 8))).toBe(old);
  expect(await meant("Login Bug")).toBe(old);
  expect(await meant("login")).toBe(old);
  expect(await meant(young)).toBe(young);
});

test("SUB7 a name that matches several sessions or none is a mistake that lists the matches or the command to list all", async () => {
  await runner.add({ name: "one thing" });
  await runner.add({ name: "one other thing" });
  const several = await runner.run("sessions", "show", "one");
  expect(several).toMatchObject({
    code: 2,
    notes: [expect.stringContaining('"one" matches 2 sessions: ')],
  });
  const link = join(runner.folder, "link.jsonl");
  symlinkSync("/etc/passwd", link);
  for (const word of ["", "nobody", "./missing.jsonl", link, runner.folder])
    expect(await runner.run("sessions", "show", word)).toMatchObject({ code: 2, out: "" });
  expect((await runner.run("sessions", "show", "nobody")).notes).toEqual([
    'pith: no session "nobody"; pith sessions list --all lists all ids and names',
  ]);
});

test("SUB8 pith sessions list shows the sessions of this folder, or others with --all or --folder, newest first", async () => {
  await runner.add({ prompt: "Old here.", age: 2 });
  await runner.add({ prompt: "New here.", age: 1 });
  await runner.add({ prompt: "Elsewhere.", cwd: "/gone/project" });
  const words = async (...args: string[]): Promise<unknown> => {
    const { sessions } = (await runner.json("sessions", "list", ...args)) as {
      sessions: readonly { firstMessage: string }[];
    };
    return sessions.map(({ firstMessage }) => firstMessage);
  };
  expect(await words()).toEqual(["New here.", "Old here."]);
  expect(await words("--all")).toEqual(["Elsewhere.", "New here.", "Old here."]);
  expect(await words("--folder", "/gone/project")).toEqual(["Elsewhere."]);
  expect(await words("--limit", "1")).toEqual(["New here."]);
  const { out } = await runner.run("sessions", "list", "--limit", "1");
  expect(out).toMatch(/^[0-9a-f]{8} +24 h +\d+ B +New here\.\n… 1 more session; --limit 0 shows all\n$/);
  expect(await runner.run("sessions", "list", "--limit", "few")).toMatchObject({ code: 2 });
});

test("SUB8 an unreadable session folder is an error, not an empty list", async () => {
  expect(await runner.run("sessions", "list")).toMatchObject({
    code: 0,
    out: expect.stringContaining("No sessions in"),
  });
  writeFileSync(join(runner.home, "sessions"), "");
  expect(await runner.run("sessions", "list")).toMatchObject({
    code: 1,
    out: "",
    notes: [`pith: cannot read ${join(runner.home, "sessions")}: ENOTDIR; run pith doctor for details`],
  });
});

test("SUB8 --folder lists sessions in the folder of another program", async () => {
  const path = await runner.add({ prompt: "Of pi." });
  const pi = join(runner.folder, "pi-sessions");
  mkdirSync(join(pi, "--work--"), { recursive: true });
  copyFileSync(path, join(pi, "--work--", basename(path)));
  for (const folder of [pi, join(pi, "--work--"), "pi-sessions"]) {
    const { out } = await runner.run("sessions", "list", "--folder", folder);
    expect(out).toContain("Of pi.");
    const shown = await runner.run("sessions", "show", "last", "--folder", folder);
    expect(shown.out).toContain("Of pi.");
  }
});
