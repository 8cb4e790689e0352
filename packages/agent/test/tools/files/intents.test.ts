/** What calls of the file tools are about to do. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { newGround } from "./ground.ts";

test("FILE19 a call says which file it will look at or change, by its absolute path", () => {
  const { root, tools } = newGround();
  const intents = (path: unknown) => tools.map(({ intent }) => intent?.({ path }));
  const at = (...paths: readonly string[]) => ["look", "change", "change"].map((type) => ({ type, paths }));
  expect(intents("src/../a.ts")).toEqual(at(join(root, "a.ts")));
  expect(intents("/etc/passwd")).toEqual(at("/etc/passwd"));
});

test("FILE19 a handle, and a call that will only be answered, does nothing", () => {
  const { tools } = newGround();
  for (const path of ["blob:1", "entry:1", "", undefined, 7])
    for (const { intent } of tools) expect(intent?.({ path })).toEqual({ type: "nothing" });
});
