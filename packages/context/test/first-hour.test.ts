/** Checks the first hour of CONTRIBUTING.md: the files are short enough to read, and no file imports one that comes later. */

import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const source = join(root, "packages/context/src");
const text = (path: string): string => readFileSync(join(root, path), "utf8");
const lines = (path: string): number => text(path).split("\n").length;

/** The files that the page lists, in order. */
const pageFiles = [
  ...(/## A first hour\n([\s\S]*?)\n## /.exec(text("CONTRIBUTING.md"))?.[1] ?? "").matchAll(/`([\w/.-]+\.ts)`/g),
].map(([, path = ""]) => (path.startsWith("packages/") ? path : join("packages/context/src", path)));

test("the page lists the files in order, from the data types to a story test", () => {
  expect(pageFiles.map((path) => relative("packages/context/src", path))).toEqual([
    "message.ts",
    "json.ts",
    "entry.ts",
    "model.ts",
    "session/state.ts",
    "session/loaded-branch.ts",
    "context/read-summary-parts.ts",
    "context/damage-note.ts",
    "cache.ts",
    "context/build-context.ts",
    "../test/stories/02-a-compaction.test.ts",
  ]);
});

test("the listed files, the readme and the architecture have about 1,650 lines together", () => {
  const total = ["README.md", "ARCHITECTURE.md", ...pageFiles].reduce((sum, path) => sum + lines(path), 0);
  expect(total).toBeGreaterThan(500);
  expect(total).toBeLessThan(1650);
});

test("no source file on the page imports one that comes later", () => {
  const sources = pageFiles.filter((path) => path.startsWith("packages/context/src"));
  for (const [index, path] of sources.entries()) {
    const imports = [...text(path).matchAll(/from "(\.[^"]+)"/g)].map(([, target = ""]) =>
      relative(root, join(root, dirname(path), target)),
    );
    for (const imported of imports)
      expect(sources.slice(0, index), `${relative(source, join(root, path))} imports ${imported}`).toContain(imported);
  }
});
