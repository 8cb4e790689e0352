/** Files that keep a name, and go with whoever needs them last. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keptFile } from "../../../../../src/node/sandbox/layout/names/kept-file.ts";
import { world } from "../../world.ts";

test("BOX5 a file that keeps a name is there until the last command has ended", () => {
  const { temporary } = world();
  const path = join(temporary, "commondir");
  const holdings = [keptFile(path, ".\n"), keptFile(path, ".\n")];
  expect(readFileSync(path, "utf8")).toBe(".\n");
  for (const [at, holding] of holdings.entries()) {
    expect(existsSync(path)).toBe(true);
    if (holding.type === "held") holding.release();
    expect(existsSync(path)).toBe(at === 0);
  }
  expect(readdirSync(temporary)).toEqual([]);
});

test("BOX5 a file that is somebody's own is not taken for one, whatever it says", () => {
  const { temporary } = world();
  const path = join(temporary, "commondir");
  writeFileSync(path, ".\n");
  expect(keptFile(path, ".\n")).toEqual({ type: "not-free" });
  expect(readdirSync(temporary)).toEqual(["commondir"]);
});

test("BOX5 what a program left that was killed goes with the next command", () => {
  const { temporary } = world();
  const path = join(temporary, "commondir");
  writeFileSync(path, ".\n");
  mkdirSync(`${path}.pith/pith-4194305-1`, { recursive: true });
  const holding = keptFile(path, ".\n");
  if (holding.type === "held") holding.release();
  expect(readdirSync(temporary)).toEqual([]);
});

test("BOX5 where something else stands beside its marks, the name is not kept", () => {
  const { temporary } = world();
  const path = join(temporary, "commondir");
  writeFileSync(path, "../evil\n");
  mkdirSync(`${path}.pith/pith-4194305-1`, { recursive: true });
  expect(keptFile(path, ".\n")).toMatchObject({ type: "unkept" });
});

test("BOX5 an empty folder in place of its marks is no reason to leave the name to others", () => {
  const { temporary } = world();
  const path = join(temporary, "commondir");
  mkdirSync(`${path}.pith`);
  expect(keptFile(path, ".\n")).toMatchObject({ type: "held" });
  mkdirSync(join(temporary, "other.pith/full"), { recursive: true });
  expect(keptFile(join(temporary, "other"), "")).toMatchObject({ type: "unkept" });
});
