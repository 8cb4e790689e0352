/** Sessions that are put away, brought back and moved. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSession } from "../../../src/app/session.ts";
import { formatSessionArgument } from "../../../src/sessions/find-session.ts";
import { idOf, SubcommandRunner } from "../../support/subcommand-runner.ts";

let runner: SubcommandRunner;

beforeEach(() => {
  runner = new SubcommandRunner();
});

afterEach(() => runner.remove());

test("SUB9 a deleted session goes to the trash with its saved originals, and is restored with them", async () => {
  const path = await runner.add({ prompt: "Precious." });
  const kept = join(runner.home, "restore", idOf(path));
  mkdirSync(kept, { recursive: true });
  writeFileSync(join(kept, "original"), "bytes");
  const before = readFileSync(path);
  const { code, out } = await runner.run("sessions", "rm", "last");
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringContaining(`pith sessions restore ${idOf(path).slice(0, 8)}`),
  });
  expect([existsSync(path), existsSync(kept)]).toEqual([false, false]);
  expect((await runner.run("sessions", "restore")).out).toContain(path);
  expect(await runner.run("sessions", "restore", idOf(path).slice(0, 6))).toMatchObject({ code: 0 });
  expect(readFileSync(path)).toEqual(before);
  expect(readdirSync(kept)).toEqual(["original"]);
  expect(readdirSync(join(runner.home, "trash"))).toEqual(["log.jsonl"]);
  expect(await runner.run("sessions", "restore", "last")).toMatchObject({ code: 2 });
});

test("SUB9 deleting several sessions needs --yes, and one unknown name deletes none", async () => {
  const paths = [await runner.add({ prompt: "One." }), await runner.add({ prompt: "Two." })];
  const [one = "", two = ""] = paths.map(idOf);
  expect(await runner.run("sessions", "rm", one, two)).toMatchObject({
    code: 2,
    notes: [expect.stringContaining("--yes")],
  });
  expect(await runner.run("sessions", "rm", one, "nobody", "--yes")).toMatchObject({ code: 2 });
  expect(paths.map((path) => existsSync(path))).toEqual([true, true]);
  expect(await runner.run("sessions", "rm", one, two, one, "--yes")).toMatchObject({ code: 0 });
  expect(paths.map((path) => existsSync(path))).toEqual([false, false]);
});

test("SUB9 saved originals stay while a copy of the session needs them", async () => {
  const path = await runner.add();
  const kept = join(runner.home, "restore", idOf(path));
  mkdirSync(kept, { recursive: true });
  const copy = join(runner.home, "sessions", "another", path.split("/").at(-1) ?? "");
  mkdirSync(join(copy, ".."));
  writeFileSync(copy, readFileSync(path));
  expect(await runner.run("sessions", "rm", path)).toMatchObject({ code: 0 });
  expect(existsSync(kept)).toBe(true);
});

test("SUB9 a file that is not a session is not written, moved or deleted", async () => {
  const notes = join(runner.folder, "notes.md");
  const data = join(runner.folder, "data.jsonl");
  for (const path of [notes, data]) writeFileSync(path, '{"some":"data"}\n');
  const acts = [
    ["sessions", "rm"],
    ["sessions", "rebind", runner.home],
    ["sessions", "purge", "--yes"],
    ["compact", "-m", "ollama/llama3"],
  ] as const;
  for (const [first, second, ...rest] of acts)
    for (const path of [notes, data]) {
      const words = first === "compact" ? [first, path, second, ...rest] : [first, second, path, ...rest];
      const { code, notes } = await runner.run(...words);
      expect([code, notes.join()], words.join(" ")).toEqual([2, expect.stringContaining(`${path} is not a session`)]);
    }
  const opened = await openSession(
    { type: "named", name: data },
    {
      ...{ cwd: runner.folder, home: runner.home, environment: {}, vault: null },
    },
  );
  expect(opened).toEqual({ type: "failed", message: `${data} is not a session, so it is not changed` });
  expect([notes, data].map((path) => readFileSync(path, "utf8"))).toEqual(['{"some":"data"}\n', '{"some":"data"}\n']);
  expect(readdirSync(runner.folder).sort()).toEqual(["data.jsonl", "notes.md"]);
});

test("SUB19 the command to continue works as printed, with all parts of others quoted", async () => {
  const sessionPath = join(runner.folder, "my talk.jsonl");
  const [, ...lines] = readFileSync(await runner.add({ prompt: "Talk." }), "utf8").split("\n");
  const header = { type: "session", version: 3, id: ";reboot;", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/x" };
  writeFileSync(sessionPath, [JSON.stringify(header), ...lines].join("\n"));
  const { out } = await runner.run("sessions", "rm", sessionPath);
  const [, typed = ""] = /Restore it with: pith sessions restore (.*)\n/.exec(out) ?? [];
  expect(typed).toMatch(/^[\w./:-]+$/);
  expect((await runner.run("sessions", "restore", typed)).out).toContain(`pith -p --session '${sessionPath}' "…"`);
  expect(readFileSync(sessionPath, "utf8")).toContain("Talk.");
  const kept = await runner.add();
  expect(formatSessionArgument({ id: idOf(kept), path: kept }, runner.home)).toBe(idOf(kept).slice(0, 8));
  expect(formatSessionArgument({ id: "$(reboot)", path: kept }, runner.home)).toBe(kept);
  expect(formatSessionArgument({ id: "a", path: "/it's $(here).jsonl" }, runner.home)).toBe(
    "'/it'\\''s $(here).jsonl'",
  );
});

test("SUB10 rebind moves a session to another folder, only if that exists", async () => {
  const path = await runner.add({ prompt: "Moving." });
  const moved = join(runner.folder, "moved");
  expect(await runner.run("sessions", "rebind", "last", moved)).toMatchObject({ code: 2 });
  mkdirSync(moved);
  expect(await runner.run("sessions", "rebind", "last", "moved")).toMatchObject({ code: 0 });
  expect(existsSync(path)).toBe(false);
  expect((await runner.run("sessions", "list", "--folder", moved)).out).toContain("Moving.");
});
