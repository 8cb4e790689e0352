/** The branch of a folder, from its files. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { gitBranch, headFile } from "../../../../src/screen/acting/facts/git-branch.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pith-branch-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const branchAt = async (path: string): Promise<string | null> => gitBranch(await headFile(path));

test("MET6 the branch is read from the files of the folder or of one above it", async () => {
  mkdirSync(join(folder, ".git"));
  mkdirSync(join(folder, "src/deep"), { recursive: true });
  writeFileSync(join(folder, ".git/HEAD"), "ref: refs/heads/feature/parser\n");
  expect(await branchAt(join(folder, "src/deep"))).toBe("feature/parser");
  writeFileSync(join(folder, ".git/HEAD"), "0123456789abcdef0123456789abcdef01234567\n");
  expect(await branchAt(folder)).toBe("0123456");
});

test("MET6 in a worktree it is that of the worktree", async () => {
  mkdirSync(join(folder, "main/.git/worktrees/side"), { recursive: true });
  mkdirSync(join(folder, "side"));
  writeFileSync(join(folder, "main/.git/worktrees/side/HEAD"), "ref: refs/heads/side\n");
  writeFileSync(join(folder, "side/.git"), "gitdir: ../main/.git/worktrees/side\n");
  expect(await branchAt(join(folder, "side"))).toBe("side");
});

test("MET6 where there is no branch, or nonsense, there is none", async () => {
  expect(await gitBranch(null)).toBeNull();
  expect(await gitBranch(join(folder, "HEAD"))).toBeNull();
  mkdirSync(join(folder, ".git"));
  for (const text of ["", "nonsense", "ref: refs/heads/a b\n", "x".repeat(100_000)]) {
    writeFileSync(join(folder, ".git/HEAD"), text);
    expect(await branchAt(folder)).toBeNull();
  }
});
