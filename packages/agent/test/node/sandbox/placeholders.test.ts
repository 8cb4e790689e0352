/** Tests node/sandbox/placeholders.ts: held files, placeholders. */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { reserveFileName, reserveFolderName } from "../../../src/node/sandbox/placeholders.ts";
import { boxOf, namesAt, ranIn, world } from "./world.ts";

describe("held files", () => {
  test("BOX5 a file that keeps a name is there until the last command has ended", () => {
    const { temporary } = world();
    const path = join(temporary, "commondir");
    const holdings = [reserveFileName(path, ".\n"), reserveFileName(path, ".\n")];
    expect(readFileSync(path, "utf8")).toBe(".\n");
    for (const [at, holding] of holdings.entries()) {
      expect(existsSync(path)).toBe(true);
      if (holding.type === "reserved") holding.release();
      expect(existsSync(path)).toBe(at === 0);
    }
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("BOX5 a file that is somebody's own is not taken for one, whatever it says", () => {
    const { temporary } = world();
    const path = join(temporary, "commondir");
    writeFileSync(path, ".\n");
    expect(reserveFileName(path, ".\n")).toEqual({ type: "not-reserved" });
    expect(readdirSync(temporary)).toEqual(["commondir"]);
  });

  test("BOX5 what a program left that was killed goes with the next command", () => {
    const { temporary } = world();
    const path = join(temporary, "commondir");
    writeFileSync(path, ".\n");
    mkdirSync(`${path}.pith/pith-4194305-1`, { recursive: true });
    const holding = reserveFileName(path, ".\n");
    if (holding.type === "reserved") holding.release();
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("BOX5 where something else stands beside its marks, the name is not kept", () => {
    const { temporary } = world();
    const path = join(temporary, "commondir");
    writeFileSync(path, "../evil\n");
    mkdirSync(`${path}.pith/pith-4194305-1`, { recursive: true });
    expect(reserveFileName(path, ".\n")).toMatchObject({ type: "failed" });
  });

  test("BOX5 an empty folder in place of its marks is no reason to leave the name to others", () => {
    const { temporary } = world();
    const path = join(temporary, "commondir");
    mkdirSync(`${path}.pith`);
    expect(reserveFileName(path, ".\n")).toMatchObject({ type: "reserved" });
    mkdirSync(join(temporary, "other.pith/full"), { recursive: true });
    expect(reserveFileName(join(temporary, "other"), "")).toMatchObject({ type: "failed" });
  });
});

describe("placeholders", () => {
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
    const holding = reserveFolderName(join(closed, ".vscode"));
    process.seteuid?.(me);
    rmdirSync(closed);
    expect(holding).toMatchObject({ type: "failed" });
  });

  test("BOX5 what a program left that was killed goes with the next command", () => {
    const { temporary } = world();
    const path = join(temporary, ".vscode");
    mkdirSync(join(path, "pith-4194305-1"), { recursive: true });
    const holding = reserveFolderName(path);
    if (holding.type === "reserved") holding.release();
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("BOX5 a name in a folder that is not there can be taken by nobody", () => {
    expect(reserveFolderName("/no/such/.vscode")).toEqual({ type: "not-reserved" });
  });
});
