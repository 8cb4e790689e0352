/** Tests node/sandbox/detect.ts: trusted bwrap binary, unusable root folder. */

import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { detectSandbox, findRootProblem, findSafeProgram } from "../../../src/node/sandbox/detect.ts";
import { createSandboxFolders, program } from "../../support/sandbox-folders.ts";

describe("trusted bwrap binary", () => {
  /** A folder with a program that does nothing. */
  function folderWith(path: string): string {
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "bwrap"), "#!/bin/sh\n", { mode: 0o755 });
    return path;
  }

  test("BOX7 skips a program in a folder that commands may write, also if reached by a link", () => {
    const { base, workspace, temporary } = createSandboxFolders();
    const own = folderWith(join(workspace, "node_modules/.bin"));
    const linked = join(base, "linked");
    symlinkSync(own, linked);
    const lone = join(base, "lone");
    mkdirSync(lone);
    symlinkSync(join(own, "bwrap"), join(lone, "bwrap"));
    const honest = folderWith(join(base, "bin"));
    const folders = [own, folderWith(join(temporary, "bin")), linked, lone, "relative", "", honest].join(":");
    expect(findSafeProgram({ name: "bwrap", searchPath: folders, writable: [workspace, temporary] })).toBe(
      join(honest, "bwrap"),
    );
  });

  test("BOX7 skips a program that is world-writable or in a world-writable folder", () => {
    const { base } = createSandboxFolders();
    const open = folderWith(join(base, "open"));
    chmodSync(open, 0o777);
    const loose = folderWith(join(base, "loose"));
    chmodSync(join(loose, "bwrap"), 0o777);
    expect(findSafeProgram({ name: "bwrap", searchPath: `${open}:${loose}`, writable: [] })).toBe(null);
  });

  test("BOX7 skips a link to a program in a world-writable folder", () => {
    const { base } = createSandboxFolders();
    const open = folderWith(join(base, "open"));
    chmodSync(open, 0o777);
    const closed = join(base, "closed");
    mkdirSync(closed);
    symlinkSync(join(open, "bwrap"), join(closed, "bwrap"));
    const search = { name: "bwrap", searchPath: closed, writable: [] };
    expect(findSafeProgram(search)).toBe(null);
    chmodSync(open, 0o755);
    expect(findSafeProgram(search)).toBe(join(open, "bwrap"));
  });

  test("BOX7 uses the machine's bwrap, not one in the workspace", async () => {
    const { workspace, home } = createSandboxFolders();
    const PATH = `${folderWith(join(workspace, "node_modules/.bin"))}:${process.env.PATH}`;
    expect(await detectSandbox({ environment: { PATH }, root: workspace, home })).toEqual({
      type: "available",
      program,
      networkProblem: null,
    });
  });
});

describe("unusable root folder", () => {
  test.each([
    ["/", "the whole disk"],
    ["/home", "contains your home folder"],
    ["/home/u", "is your home folder"],
    ["/home/u/.config", "/home/u/.config"],
    ["/home/u/.local", "/home/u/.local/bin"],
  ])("BOX4 %s cannot be the workspace of sandboxed commands", (root, why) => {
    expect(findRootProblem(root, "/home/u")).toContain(why);
  });

  test.each(["/home/u/project", "/home/u/.config/editor", "/home/user"])(
    "BOX4 %s can be the workspace of sandboxed commands",
    (root) => {
      expect(findRootProblem(root, "/home/u")).toBe(null);
    },
  );

  test("BOX4 a home as a workspace is refused before any command", async () => {
    const { home } = createSandboxFolders();
    const here = await detectSandbox({ environment: process.env, root: home, home });
    expect(here).toMatchObject({ type: "unavailable", why: expect.stringContaining("your home folder") });
  });
});
