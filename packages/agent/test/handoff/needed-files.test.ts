/** Which files go with work that is handed over. */

import { story } from "@pith/context/testing";
import { expect, test } from "vitest";
import { neededFiles } from "../../src/handoff/needed-files.ts";

const there = async (): Promise<boolean> => true;

test("COM32 files that are named go first, then those that were changed; a name inside another is none", async () => {
  const entries = story(
    "calls: read path=a.ts; read path=b.ts; write path=c.ts content=x",
    "result c1: x",
    "result c2: x",
    "result c3: x",
  );
  const files = (told: string): Promise<readonly string[]> =>
    neededFiles({ entries, tools: undefined, story: told, isThere: there });
  expect(await files("see `a.ts`.")).toEqual(["a.ts", "c.ts"]);
  expect(await files("see lib/a.ts, a.tsx, ba.ts and b.ts")).toEqual(["b.ts", "c.ts"]);
  expect(await files("a.ts")).toEqual(["a.ts", "c.ts"]);
});

test("COM32 there are no more than twenty, and none that are gone", async () => {
  const calls = Array.from({ length: 60 }, (_, at) => `write path=f${at}.ts content=x`).join("; ");
  const results = Array.from({ length: 60 }, (_, at) => `result c${at + 1}: done`);
  const entries = story(`calls: ${calls}`, ...results);
  const isThere = async (path: string): Promise<boolean> => path.length === 6;
  const files = await neededFiles({ entries, tools: undefined, story: "", isThere });
  expect(files).toHaveLength(20);
  expect(files.every((path) => path.length === 6)).toBe(true);
});
