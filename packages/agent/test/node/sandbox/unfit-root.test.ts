/** Some workspaces cannot be held. */

import { expect, test } from "vitest";
import { sandboxHere } from "../../../src/node/sandbox/sandbox-here.ts";
import { unfitRoot } from "../../../src/node/sandbox/unfit-root.ts";
import { world } from "./world.ts";

test.each([
  ["/", "the whole disk"],
  ["/home", "the home itself"],
  ["/home/u", "the home itself"],
  ["/home/u/.config", "/home/u/.config"],
  ["/home/u/.local", "/home/u/.local/bin"],
])("BOX4 %s is no workspace for commands that are held", (root, why) => {
  expect(unfitRoot(root, "/home/u")).toContain(why);
});

test.each(["/home/u/project", "/home/u/.config/editor", "/home/user"])("BOX4 %s is one", (root) => {
  expect(unfitRoot(root, "/home/u")).toBe(null);
});

test("BOX4 that a home is none is said before any command", async () => {
  const { home } = world();
  const here = await sandboxHere({ environment: process.env, root: home, home });
  expect(here).toMatchObject({ type: "does-not", why: expect.stringContaining("the home itself") });
});
