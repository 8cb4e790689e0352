/** A newcomer's first hour, as CONTRIBUTING.md lists it: short enough to read, and no file needs one that comes later. */

import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const source = join(root, "packages/context/src");
const text = (path: string): string => readFileSync(join(root, path), "utf8");
const lines = (path: string): number => text(path).split("\n").length;

/** What the page says, in its order. */
const hour = [
  ...(/## A first hour\n([\s\S]*?)\n## /.exec(text("CONTRIBUTING.md"))?.[1] ?? "").matchAll(/`([\w/.-]+\.ts)`/g),
].map(([, path = ""]) => (path.startsWith("packages/") ? path : join("packages/context/src", path)));

test("the page names the files, from the vocabulary to a story", () => {
  expect(hour.map((path) => relative("packages/context/src", path))).toEqual([
    "message.ts",
    "entry.ts",
    "references.ts",
    "model.ts",
    "session/state.ts",
    "session/loaded-branch.ts",
    "context/summary-parts.ts",
    "context/damage-note.ts",
    "context/build-context.ts",
    "../test/stories/02-a-compaction.test.ts",
  ]);
});

test("together with the readme and the architecture they are about fifteen hundred lines", () => {
  const total = ["README.md", "ARCHITECTURE.md", ...hour].reduce((sum, path) => sum + lines(path), 0);
  expect(total).toBeGreaterThan(500);
  expect(total).toBeLessThan(1650);
});

test("no source file of it needs one that comes later", () => {
  const sources = hour.filter((path) => path.startsWith("packages/context/src"));
  for (const [at, path] of sources.entries()) {
    const needed = [...text(path).matchAll(/from "(\.[^"]+)"/g)].map(([, to = ""]) =>
      relative(root, join(root, dirname(path), to)),
    );
    for (const other of needed)
      expect(sources.slice(0, at), `${relative(source, join(root, path))} needs ${other}`).toContain(other);
  }
});
