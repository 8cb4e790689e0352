/** Tests the entry points of @pith/context: how many names they export, and that only /search reaches the search code. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readApi } from "../docs/api.ts";

const root = join(import.meta.dirname, "../..");
const { entryPoints } = readApi(root);

test("the main entry point exports at most 130 names, and all together at most 300", () => {
  const main = entryPoints.find(({ specifier }) => specifier === "@pith/context");
  expect(main?.exports.length).toBeLessThanOrEqual(130);
  const names = entryPoints.flatMap(({ exports }) => exports.map(({ name }) => name));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  // A store that does not read whole files, such as the one in PostgreSQL, needs 20 of them.
  expect(names.length).toBeLessThanOrEqual(300);
});

/** Prints the loaded files below src/search, and the loaded parts of Node that concern SQLite. */
const PROBE = `
import { registerHooks } from "node:module";
const loaded = [];
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
await import(process.argv[1]);
const search = loaded.filter((url) => url.includes("/context/src/search/")).length;
console.log(JSON.stringify({ search, sqlite: process.moduleLoadList.filter((name) => /sqlite/i.test(name)) }));
`;

function probe(path: string): unknown {
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", PROBE, join(root, path)], {
    encoding: "utf8",
    timeout: 60_000,
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

test.each(entryPoints.filter(({ specifier }) => specifier !== "@pith/context/search"))(
  "$specifier loads neither SQLite nor the search code",
  ({ path }) => {
    expect(probe(path)).toEqual({ search: 0, sqlite: [] });
  },
);

test("@pith/context/search loads SQLite only when something is searched", () => {
  expect(probe("packages/context/src/search/index.ts")).toMatchObject({ sqlite: [] });
});
