/** What becomes of names that are kept free where a command closes the folder around them. */

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { placeholder } from "../../../../../src/node/sandbox/layout/names/placeholder.ts";
import { boxOf, namesAt, ranIn, world } from "../../world.ts";

/** To root no folder is closed. */
const NOBODY = 65_534;

test("BOX5 where a command closed the folder, nothing is left of the names either", async () => {
  const place = world();
  const before = namesAt(place.workspace);
  await ranIn(boxOf(place), "chmod 555 . .git");
  expect(namesAt(place.workspace)).toEqual(before);
});

test("BOX4 a name that a command could take though we cannot is a reason not to run it", () => {
  const closed = mkdtempSync(join(tmpdir(), "pith-closed-"));
  chmodSync(closed, 0o555);
  const me = process.geteuid?.() ?? 0;
  // Root is kept out of nowhere.
  if (me === 0) process.seteuid?.(NOBODY);
  const holding = placeholder(join(closed, ".vscode"));
  process.seteuid?.(me);
  rmdirSync(closed);
  expect(holding).toMatchObject({ type: "unkept" });
});

test("BOX5 what a program left that was killed goes with the next command", () => {
  const { temporary } = world();
  const path = join(temporary, ".vscode");
  mkdirSync(join(path, "pith-4194305-1"), { recursive: true });
  const holding = placeholder(path);
  if (holding.type === "held") holding.release();
  expect(readdirSync(temporary)).toEqual([]);
});

test("BOX5 a name in a folder that is not there can be taken by nobody", () => {
  expect(placeholder("/no/such/.vscode")).toEqual({ type: "not-free" });
});
