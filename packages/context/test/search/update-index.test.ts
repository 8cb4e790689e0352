/** The index follows the files: what was added is found at once, what is gone no more, and nothing is read twice. */

import { appendFileSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type Files, realFiles } from "../../src/node/files.ts";
import { nodeRuntime } from "../../src/node/runtime.ts";
import { searchSessions } from "../../src/search/search.ts";
import { appendLines, createSearchHome, toolResultLine, userLine } from "./search-home.ts";

test("FIND5 the next search finds appended entries, and reads only them", async () => {
  const on = createSearchHome();
  const path = on.session("s", [toolResultLine("big", "filler ".repeat(100_000)), userLine("one", "needle")]);
  const read: number[] = [];
  const files = counting(read);
  expect(await on.ids("needle", { files })).toEqual(["one"]);
  expect(sum(read)).toBeGreaterThan(700_000);
  appendLines(path, userLine("two", "needle"));
  read.length = 0;
  expect(await on.ids("needle", { files })).toEqual(["one", "two"]);
  expect(sum(read)).toBeLessThan(100_000);
});

test("FIND5 an incomplete line is indexed once it is complete", async () => {
  const on = createSearchHome();
  const path = on.session("s", [userLine("one", "needle")]);
  const line = JSON.stringify(userLine("two", "needle"));
  appendFileSync(path, line.slice(0, 40));
  expect(await on.ids("needle")).toEqual(["one"]);
  appendFileSync(path, line.slice(40));
  expect(await on.ids("needle")).toEqual(["one"]);
  appendFileSync(path, "\n");
  expect(await on.ids("needle")).toEqual(["one", "two"]);
});

test("FIND6 removed, moved or rewritten files are no longer found at their old place", async () => {
  const on = createSearchHome();
  const deletedPath = on.session("gone", [userLine("a", "needle")]);
  const other = on.session("other", [userLine("b", "needle")], { cwd: "/code/two" });
  const anew = on.session("anew", [userLine("c", "needle"), userLine("d", "pin")]);
  expect(await on.ids("needle")).toEqual(["a", "b", "c"]);
  renameSync(deletedPath, join(dirname(other), "moved.jsonl"));
  writeFileSync(anew, `${JSON.stringify(userLine("e", "needle, longer than before"))}\n`.repeat(3));
  const found = await on.find("needle");
  expect(found.map(({ entry }) => entry).sort()).toEqual(["a", "b", "e", "e", "e"]);
  expect(found.find(({ entry }) => entry === "a")?.session.path).toBe(join(dirname(other), "moved.jsonl"));
  expect(await on.ids("pin")).toEqual([]);
  rmSync(dirname(other), { recursive: true });
  expect(await on.ids("needle")).toEqual(["e", "e", "e"]);
});

test("FIND6 a rewritten file is indexed again, even if its start and end are the same", async () => {
  const on = createSearchHome();
  const filler = "filler ".repeat(1_000);
  const path = on.session("s", [
    userLine("one", filler),
    userLine("two", "hunter2 is secret"),
    userLine("three", filler),
  ]);
  expect(await on.ids("hunter2")).toEqual(["two"]);
  writeFileSync(`${path}.new`, readFileSync(path, "utf8").replace("hunter2", "purged2"));
  renameSync(`${path}.new`, path);
  appendLines(path, userLine("four", "more"));
  expect(await on.ids("hunter2")).toEqual([]);
  expect(await on.ids("purged2")).toEqual(["two"]);
  expect(await on.ids("more")).toEqual(["four"]);
});

test("FIND6 a file that changed without a visible sign gives no outdated hit", async () => {
  const on = createSearchHome();
  const path = on.session("s", [userLine("one", "needle"), userLine("two", "other words")]);
  expect(await on.ids("needle")).toEqual(["one"]);
  const { atime, mtime } = statSync(path);
  writeFileSync(path, readFileSync(path, "utf8").replace("needle", "noodle"));
  utimesSync(path, atime, mtime);
  expect(await on.ids("needle")).toEqual([]);
});

test("FIND12 in damaged, old and differently encoded files everything readable is found, and nothing throws", async () => {
  const on = createSearchHome();
  const path = on.session("s", [userLine("one", "needle\u2028still needle")]);
  appendFileSync(path, '{"type":"message","id":"x","message":\n\u0000\u0000\n[]\n\n{"type":"message"}\n"needle"\n');
  appendLines(
    path,
    { type: "message", message: { role: "hookMessage", content: "needle" } },
    userLine("two", "needle"),
  );
  const wide = on.session("wide", []);
  const lines = [{ type: "session", version: 3, id: "w", timestamp: "", cwd: "/" }, userLine("three", "needle")];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  writeFileSync(wide, Buffer.from(`\ufeff${text}`, "utf16le"));
  writeFileSync(on.session("old-mac", []), text.replaceAll("\n", "\r").replace("three", "four"));
  writeFileSync(on.session("marked", []), `\ufeff${text.replace("three", "five")}`);
  writeFileSync(on.session("empty", []), "");
  writeFileSync(on.session("headless", []), `${JSON.stringify(userLine("six", "needle"))}\n`);
  expect(await on.ids("needle")).toEqual(["five", "four", null, "one", "six", "three", "two"]);
});

test("FIND12 an unreadable file does not prevent finding the others, and is reported", async () => {
  const on = createSearchHome();
  const closed = on.session("closed", [userLine("one", "needle")]);
  on.session("open", [userLine("two", "needle")]);
  const refused = Object.assign(new Error("EACCES: no"), { code: "EACCES" });
  const files: Files = {
    ...realFiles,
    open: (path, how) => {
      if (path === closed) throw refused;
      return realFiles.open(path, how);
    },
  };
  const found = await searchSessions("needle", { env: on.env, files });
  expect(found).toMatchObject({ hits: [{ entry: "two" }], pending: { bytes: statSync(closed).size } });
  expect(await on.ids("needle")).toEqual(["one", "two"]);
});

test("FIND9 the first update reports progress, yields to other work, can be aborted and continues from there", async () => {
  const on = createSearchHome();
  for (const at of [1, 2, 3, 4]) on.session(`s${at}`, [userLine(`e${at}`, "needle"), ...many(at)]);
  const stop = new AbortController();
  const progress: number[] = [];
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const onProgress = ({ done, total }: { readonly done: number; readonly total: number }): void => {
    progress.push(done / total);
    if (progress.length === 12) stop.abort();
  };
  const parts = { env: on.env, onProgress };
  expect(await searchSessions("needle", { ...parts, signal: stop.signal })).toEqual({ type: "aborted" });
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
  const reached = progress.at(-1) ?? 0;
  expect(reached).toBeGreaterThan(0.1);
  expect(reached).toBeLessThan(0.9);
  const read: number[] = [];
  expect(await on.ids("needle", { files: counting(read) })).toEqual(["e1", "e2", "e3", "e4"]);
  const all = [1, 2, 3, 4].length * sizeOfMany;
  expect(sum(read)).toBeLessThan(all * 1.3);
  expect(await on.ids("filler499")).toHaveLength(4);
});

const many = (seed: number): readonly object[] =>
  Array.from({ length: 500 }, (_, at) =>
    toolResultLine(`r${seed}x${at}`, `filler${at} ${"and more words ".repeat(80)}`),
  );
const sizeOfMany = JSON.stringify(many(1)).length;

/** The disk, noting how much is read of session files. */
function counting(read: number[]): Files {
  return {
    ...realFiles,
    open: (path, how) => {
      const file = realFiles.open(path, how);
      return {
        ...file,
        read: (into, position) => {
          const count = file.read(into, position);
          read.push(count);
          return count;
        },
      };
    },
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);

test("FIND5 an append to a file that was idle for a day is found within a second", async () => {
  const on = createSearchHome();
  const path = on.session("s", [userLine("one", "needle")]);
  const long = new Date(Date.UTC(2026, 0, 1));
  utimesSync(path, long, long);
  let now = Date.now();
  const ports = { ...nodeRuntime, now: () => now };
  expect(await on.ids("needle", { runtime: ports })).toEqual(["one"]);
  appendLines(path, userLine("two", "needle"));
  now += 1000;
  expect(await on.ids("needle", { runtime: ports })).toEqual(["one", "two"]);
});
