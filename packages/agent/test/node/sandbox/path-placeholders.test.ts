/** Tests node/sandbox/path-placeholders.ts: placeholder files and folders, and process records with and without /proc. */

import { spawn } from "node:child_process";
import { once } from "node:events";
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
import {
  currentProcess,
  hasEnded,
  reserveFileName,
  reserveFolderName,
} from "../../../src/node/sandbox/path-placeholders.ts";
import { createSandboxFolders, namesAt, ranIn, sandboxOptions } from "../../support/sandbox-folders.ts";

describe("placeholder files", () => {
  test("BOX5 a placeholder file exists until the last command has ended", () => {
    const { temporary } = createSandboxFolders();
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

  test("BOX5 the user's own file does not count as a placeholder, whatever its content", () => {
    const { temporary } = createSandboxFolders();
    const path = join(temporary, "commondir");
    writeFileSync(path, ".\n");
    expect(reserveFileName(path, ".\n")).toEqual({ type: "not-reserved" });
    expect(readdirSync(temporary)).toEqual(["commondir"]);
  });

  test("BOX5 a placeholder file of a killed program is removed with the next command", () => {
    const { temporary } = createSandboxFolders();
    const path = join(temporary, "commondir");
    writeFileSync(path, ".\n");
    mkdirSync(`${path}.pith/pith-4194305-1`, { recursive: true });
    const holding = reserveFileName(path, ".\n");
    if (holding.type === "reserved") holding.release();
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("BOX5 reserving a name fails if another file is beside the marks", () => {
    const { temporary } = createSandboxFolders();
    const path = join(temporary, "commondir");
    writeFileSync(path, "../evil\n");
    mkdirSync(`${path}.pith/pith-4194305-1`, { recursive: true });
    expect(reserveFileName(path, ".\n")).toMatchObject({ type: "failed" });
  });

  test("BOX5 a name is reserved even if the folder of marks is empty", () => {
    const { temporary } = createSandboxFolders();
    const path = join(temporary, "commondir");
    mkdirSync(`${path}.pith`);
    expect(reserveFileName(path, ".\n")).toMatchObject({ type: "reserved" });
    mkdirSync(join(temporary, "other.pith/full"), { recursive: true });
    expect(reserveFileName(join(temporary, "other"), "")).toMatchObject({ type: "failed" });
  });
});

describe("placeholder folders", () => {
  /** Root ignores permissions. */
  const NOBODY = 65_534;

  test("BOX5 placeholders are removed even if a command made the folder read-only", async () => {
    const folders = createSandboxFolders();
    const before = namesAt(folders.workspace);
    await ranIn(sandboxOptions(folders), "chmod 555 . .git");
    expect(namesAt(folders.workspace)).toEqual(before);
  });

  test("BOX4 reserving fails if a command could create the path and it cannot be reserved", () => {
    const closed = mkdtempSync(join(tmpdir(), "pith-closed-"));
    chmodSync(closed, 0o555);
    const me = process.geteuid?.() ?? 0;
    // Root ignores permissions.
    if (me === 0) process.seteuid?.(NOBODY);
    const holding = reserveFolderName(join(closed, ".vscode"));
    process.seteuid?.(me);
    rmdirSync(closed);
    expect(holding).toMatchObject({ type: "failed" });
  });

  test("BOX5 a placeholder folder of a killed program is removed with the next command", () => {
    const { temporary } = createSandboxFolders();
    const path = join(temporary, ".vscode");
    mkdirSync(join(path, "pith-4194305-1"), { recursive: true });
    const holding = reserveFolderName(path);
    if (holding.type === "reserved") holding.release();
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("BOX5 a path in a missing folder needs no placeholder", () => {
    expect(reserveFolderName("/no/such/.vscode")).toEqual({ type: "not-reserved" });
  });
});

describe.each([
  ["Linux", "/proc"],
  ["a system without /proc", "/no-proc"],
])("process records on %s", (_, proc) => {
  test("PLAT11 tells a running process from one that has ended", async () => {
    const own = currentProcess(proc);
    expect(hasEnded(own, proc)).toBe(false);
    const child = spawn("true");
    await once(child, "exit");
    expect(hasEnded({ ...own, pid: child.pid ?? 0 }, proc)).toBe(true);
  });
});
