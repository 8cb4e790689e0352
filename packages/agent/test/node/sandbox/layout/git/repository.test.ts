/** Worktrees: git keeps their history elsewhere, and commits need it; what only claims to be one gets nothing. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryOf } from "../../../../../src/node/sandbox/layout/git/repository.ts";
import { boxOf, ranIn, type World, world } from "../../world.ts";

const AUTHOR = ["-c", "user.name=a", "-c", "user.email=a@b"];

/** The workspace becomes a worktree of a repository outside. */
function worktree(): World & { readonly main: string } {
  const place = world();
  const main = join(place.outside, "main");
  const git = (...words: readonly string[]) => execFileSync("git", [...AUTHOR, ...words], { stdio: "pipe" });
  rmSync(place.workspace, { recursive: true });
  git("init", "-q", "-b", "main", main);
  git("-C", main, "commit", "-q", "--allow-empty", "-m", "first");
  git("-C", main, "worktree", "add", "-q", place.workspace);
  return { ...place, main };
}

test("BOX2 honest work goes on: a commit in a worktree", async () => {
  const place = worktree();
  const { end, text } = await ranIn(
    boxOf(place),
    `touch a && git add a && git ${AUTHOR.join(" ")} commit -qm second && git log --format=%s`,
  );
  expect({ end, text }).toEqual({ end: { type: "ended", exitCode: 0 }, text: "second\nfirst\n" });
});

test.each([
  ["its settings", "git config core.fsmonitor x"],
  ["its hooks", "echo x >$MAIN/.git/hooks/pre-commit"],
  ["the settings of the worktree", "echo x >$MAIN/.git/worktrees/workspace/commondir"],
  ["where it says that it lies", "echo x >.git; rm -f .git; echo x >$MAIN/.git/worktrees/workspace/gitdir"],
  ["the files beside it", "echo x >$MAIN/new"],
  ["what it has besides history", "echo x >$MAIN/.git/HEAD"],
])("BOX1 no way out by a worktree: %s", async (_, command) => {
  const place = worktree();
  const files = [
    "config",
    "HEAD",
    "hooks/pre-commit",
    "worktrees/workspace/commondir",
    "worktrees/workspace/gitdir",
    "../new",
  ];
  const look = () =>
    files.map((name) => join(place.main, ".git", name)).map((path) => existsSync(path) && readFileSync(path, "utf8"));
  const before = look();
  await ranIn(boxOf(place, { environment: { MAIN: place.main } }), command);
  expect(look()).toEqual(before);
});

/** Files as a worktree has them, all within the workspace, with history that leads elsewhere. */
function pretended({ workspace, outside }: World): void {
  const own = join(workspace, "fake/worktrees/x");
  rmSync(join(workspace, ".git"), { recursive: true });
  mkdirSync(own, { recursive: true });
  writeFileSync(join(workspace, ".git"), "gitdir: fake/worktrees/x\n");
  writeFileSync(join(own, "gitdir"), join(workspace, ".git"));
  writeFileSync(join(own, "commondir"), "../..");
  symlinkSync(outside, join(workspace, "fake/objects"));
}

test("BOX1 no way out by a worktree: one that is pretended", async () => {
  const place = world();
  pretended(place);
  await ranIn(boxOf(place), "echo x >$OUTSIDE/new; echo x >fake/objects/new");
  expect(existsSync(join(place.outside, "new"))).toBe(false);
});

test("BOX1 a folder that knows nothing of the worktree is not believed to be its repository", () => {
  const { workspace, outside, home } = world();
  const git = join(workspace, ".git");
  rmSync(git, { recursive: true });
  writeFileSync(git, `gitdir: ${outside}\n`);
  expect(repositoryOf(workspace, home)).toEqual({ writable: [], guarded: [{ path: git }], link: null });
});
