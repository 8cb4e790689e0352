/** Tests the Windows paths of node/shell.ts, node/kill-process-group.ts, node/safe-files.ts and text.ts on any system. Nothing here ran on Windows. */

import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { killTreeCommand } from "../../src/node/kill-process-group.ts";
import { ensureOwnerOnlyFolder, syncFolder } from "../../src/node/safe-files.ts";
import { findGitBash, nodeShell } from "../../src/node/shell.ts";
import { isWithin, shortenPath } from "../../src/text.ts";

describe("Git Bash", () => {
  const environment = {
    ProgramFiles: "C:\\Program Files",
    LOCALAPPDATA: "C:\\Users\\ann\\AppData\\Local",
    SystemRoot: "C:\\Windows",
    PATH: "C:\\Windows\\System32;C:\\work\\bin;relative;D:\\tools",
  };
  const root = "C:\\work";
  const found = (...files: readonly string[]): string | null =>
    findGitBash(environment, root, (path) => files.includes(path));

  test("PLAT13 is found where Git for Windows installs it, otherwise in PATH", () => {
    expect(found("C:\\Program Files\\Git\\bin\\bash.exe", "D:\\tools\\bash.exe")).toBe(
      "C:\\Program Files\\Git\\bin\\bash.exe",
    );
    expect(found("C:\\Users\\ann\\AppData\\Local\\Programs\\Git\\bin\\bash.exe")).toMatch(/^C:\\Users\\ann/);
    expect(found("D:\\tools\\bash.exe")).toBe("D:\\tools\\bash.exe");
  });

  test("PLAT13 is neither the WSL launcher nor a program in the workspace", () => {
    expect(found("C:\\Windows\\System32\\bash.exe", "C:\\work\\bin\\bash.exe", "relative\\bash.exe")).toBe(null);
  });

  test("PLAT13 is required for commands, and the message says what to install", async () => {
    const shell = nodeShell({ root: "/nowhere", environment: {}, platform: "win32" });
    const end = await shell.run("true", { signal: new AbortController().signal, onOutput: () => {} });
    expect(end).toMatchObject({ type: "not-started", message: expect.stringMatching(/Git for Windows.*WSL 2/) });
  });

  test("PLAT13 taskkill ends a command with everything it started", () => {
    expect(killTreeCommand(42, { SystemRoot: "D:\\Win" })).toEqual([
      "D:\\Win\\System32\\taskkill.exe",
      ...["/pid", "42", "/t", "/f"],
    ]);
  });
});

describe("files", () => {
  test("PLAT14 a folder is neither flushed nor chmodded on Windows", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pith-windows-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    await syncFolder(join(folder, "none"), "win32");
    await expect(syncFolder(join(folder, "none"), "linux")).rejects.toMatchObject({ code: "ENOENT" });
    const own = join(folder, "own");
    await ensureOwnerOnlyFolder(own, "win32");
    expect(existsSync(own)).toBe(true);
    await ensureOwnerOnlyFolder(own, "linux");
    expect(statSync(own).mode & 0o777).toBe(0o700);
  });

  test("PLAT14 backslashes separate Windows paths only", () => {
    expect(isWithin("C:\\work", "C:\\work\\a\\b")).toBe(true);
    expect(isWithin("C:\\work", "C:\\workshop")).toBe(false);
    expect(isWithin("C:\\", "C:\\work")).toBe(true);
    expect(isWithin("\\\\server\\share", "\\\\server\\share\\a")).toBe(true);
    expect(isWithin("/w/a", "/w/a\\b")).toBe(false);
    expect(shortenPath("C:\\work", "C:\\work\\a\\b")).toBe("a\\b");
    expect(shortenPath("/w", "/w/a")).toBe("a");
  });
});
