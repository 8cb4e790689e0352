/** Many files, and keys that must not wait for them. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeSearch } from "@pith/agent/node";
import { expect, onTestFinished, test } from "vitest";
import {
  FileList,
  listMatchingNames,
  parseOutsideFolder,
  scorePath,
} from "../../../../src/modes/interactive/editor/completion.ts";

const { signal } = new AbortController();

function listOf(paths: readonly string[]): FileList {
  return new FileList(async () => ({ find: async () => ({ type: "found", items: paths, isComplete: true }) }));
}

test("TYP11 paths are ranked: whole words first, file names before folders", async () => {
  const list = listOf(["src/editor/theme.ts", "docs/writing.md", "src/typing/editor-on.ts", "test/typing.test.ts"]);
  expect((await list.find("editor", signal))[0]).toBe("src/typing/editor-on.ts");
  expect((await list.find("edon", signal))[0]).toBe("src/typing/editor-on.ts");
  expect((await list.find("typing", signal))[0]).toBe("test/typing.test.ts");
  expect(await list.find("xyz", signal)).toEqual([]);
  expect(await list.find("src/ty", signal)).toEqual(["src/typing/editor-on.ts", "src/typing/"]);
});

test("TYP11 folders are completed too", async () => {
  expect(await listOf(["src/deep/a.ts"]).find("deep", signal)).toEqual(["src/deep/", "src/deep/a.ts"]);
});

test("TYP11 after a folder's slash, its direct content is offered, folders first", async () => {
  const list = listOf(["docs/a.md", "docs/pictures/one.png", "docs/pictures/two.png", "src/docs/c.md", "docs.md"]);
  expect(await list.find("docs/", signal)).toEqual(["docs/pictures/", "docs/a.md"]);
  expect(await list.find("Docs/pictures/", signal)).toEqual(["docs/pictures/one.png", "docs/pictures/two.png"]);
});

test("TYP11 a search among 50,000 files lets the event loop run in between", async () => {
  const paths = Array.from({ length: 50_000 }, (_, at) => `packages/p${at % 97}/src/some-folder/file-${at}.ts`);
  const list = listOf(paths);
  await list.refresh();
  const turns = { count: 0 };
  const turn = (): void => {
    turns.count += 1;
    if (turns.count < 1_000) setImmediate(turn);
  };
  setImmediate(turn);
  const found = await list.find("file4999", signal);
  expect(found[0]).toMatch(/file-4999/);
  // The loop came round between the pieces.
  expect(turns.count).toBeGreaterThanOrEqual(10);
});

test("TYP11 an aborted search does not wait for the file list, and a failed listing completes nothing", async () => {
  const typed = new AbortController();
  const slow = new FileList(async () => ({ find: () => new Promise(() => {}) }));
  const finding = slow.find("a", typed.signal);
  typed.abort();
  expect(await finding).toEqual([]);
  const broken = new FileList(async () => ({ find: () => Promise.reject(new Error("it takes too long")) }));
  expect(await broken.find("a", signal)).toEqual([]);
});

test("TYP11 typing on aborts a search among 50,000 files", async () => {
  const typed = new AbortController();
  const list = listOf(Array.from({ length: 50_000 }, (_, at) => `a/${at}.ts`));
  await list.refresh();
  const finding = list.find("9", typed.signal);
  typed.abort();
  expect(await finding).toEqual([]);
});

test("TYP11 ignored files are not offered, and a path outside the folder is completed name by name", async () => {
  const root = mkdtempSync(join(tmpdir(), "pith-files-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "dist"));
  mkdirSync(join(root, "src"));
  for (const name of [".gitignore", "src/made.ts", "dist/made.js"]) writeFileSync(join(root, name), "dist\n");
  const search = nodeSearch({ root });
  expect(await new FileList(async () => search).find("made", signal)).toEqual(["src/made.ts"]);
  expect(parseOutsideFolder("src/ma")).toBeNull();
  const folder = parseOutsideFolder("./dist/m") ?? "";
  expect(await listMatchingNames(folder, "./dist/m", { search, signal })).toEqual(["./dist/made.js"]);
});

test("TYP11 a shorter path gets a better score", () => {
  expect(scorePath("a.ts", "a") ?? 0).toBeGreaterThan(scorePath("deep/down/a.ts", "a") ?? 0);
});
