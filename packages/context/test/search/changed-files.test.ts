/** A look at thousands of files costs little when nobody has touched them, and misses nothing that is new. */

import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type Files, realFiles } from "../../src/node/files.ts";
import { scanFolder } from "../../src/search/changed-files.ts";
import { appendLines, createSearchHome, userLine } from "./search-home.ts";

test("idle files are checked at most twice a second; new, removed and recent files are noticed at once", () => {
  const on = createSearchHome();
  const resting = on.session("resting", []);
  const busy = on.session("busy", []);
  const folder = dirname(resting);
  const long = new Date(Date.UTC(2026, 0, 1));
  utimesSync(resting, long, long);
  const stats: string[] = [];
  const files: Files = {
    ...realFiles,
    stat: (path) => {
      if (path !== folder) stats.push(path);
      return realFiles.stat(path);
    },
  };
  let now = Date.now();
  const names = (): readonly string[] => [...(scanFolder(folder, { files, now: () => now })?.keys() ?? [])].sort();
  const first = scanFolder(folder, { files, now: () => now });
  expect(stats.sort()).toEqual([busy, resting]);

  stats.length = 0;
  expect(scanFolder(folder, { files, now: () => now })).toBe(first);
  expect(stats).toEqual([busy]);

  appendLines(busy, userLine("one", "more"));
  expect(scanFolder(folder, { files, now: () => now })).not.toBe(first);

  const added = join(folder, "added.jsonl");
  writeFileSync(added, "");
  rmSync(resting);
  // Where a clock ticks slowly, two changes may bear the same time; after half a second nothing rests on it.
  now += 500;
  expect(names().map((name) => join(folder, name))).toEqual([busy, added].sort());

  expect(scanFolder(join(folder, "none"), { files, now: () => now })?.size).toBe(0);
});
