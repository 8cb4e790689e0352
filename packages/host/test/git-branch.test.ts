/** Tests app/git-branch.ts: the branch of a folder, of a worktree, and of a folder without one. */

import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGitHeadReader, describeGitHead, formatGitHead } from "../src/git-branch.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pith-branch-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const branchAt = (path: string): string | null => formatGitHead(createGitHeadReader(path)());

function writeHead(text: string): void {
  mkdirSync(join(folder, ".git"), { recursive: true });
  writeFileSync(join(folder, ".git/HEAD"), text);
}

test("MET6 reads the branch from .git of the folder or of a parent folder", () => {
  writeHead("ref: refs/heads/feature/parser\n");
  mkdirSync(join(folder, "src/deep"), { recursive: true });
  expect(branchAt(join(folder, "src/deep"))).toBe("feature/parser");
});

test("MET6 ENV2 a detached HEAD is shown to the user as a short commit id and to the model as no branch", () => {
  writeHead("0123456789abcdef0123456789abcdef01234567\n");
  const head = createGitHeadReader(folder)();
  expect(formatGitHead(head)).toBe("0123456");
  expect(describeGitHead(head)).toBe("none (detached HEAD)");
});

test("MET6 in a worktree, the branch is that of the worktree", () => {
  mkdirSync(join(folder, "main/.git/worktrees/side"), { recursive: true });
  mkdirSync(join(folder, "side"));
  writeFileSync(join(folder, "main/.git/worktrees/side/HEAD"), "ref: refs/heads/side\n");
  writeFileSync(join(folder, "side/.git"), "gitdir: ../main/.git/worktrees/side\n");
  expect(branchAt(join(folder, "side"))).toBe("side");
});

test("MET6 a folder without a repository or with an unreadable HEAD has no branch", () => {
  expect(branchAt(folder)).toBeNull();
  expect(branchAt(join(folder, "is/not/there"))).toBeNull();
  for (const text of ["", "nonsense", "ref: refs/heads/a b\n", "ref: refs/heads/.invalid\n", "x".repeat(100_000)]) {
    writeHead(text);
    expect(branchAt(folder)).toBeNull();
  }
  rmSync(join(folder, ".git/HEAD"));
  mkdirSync(join(folder, ".git/HEAD"));
  expect(branchAt(folder)).toBeNull();
});

test("ENV2 one reader sees a branch switch, a removed repository and a new repository", () => {
  const readHead = createGitHeadReader(folder);
  expect(readHead()).toBeNull();
  writeHead("ref: refs/heads/main\n");
  expect(readHead()).toEqual({ type: "branch", name: "main" });
  writeHead("ref: refs/heads/next\n");
  expect(readHead()).toEqual({ type: "branch", name: "next" });
  renameSync(join(folder, ".git"), join(folder, "gone"));
  expect(readHead()).toBeNull();
});
