/** Tests node/sandbox/git-paths.ts: a workspace that is a subfolder or a module of a repository. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findRepositoryPaths } from "../../../src/node/sandbox/git-paths.ts";
import type { SandboxOptions } from "../../../src/node/sandbox/options.ts";
import { createSandboxFolders, ranIn, type SandboxFolders, sandboxOptions } from "../../support/sandbox-folders.ts";

interface OuterRepository extends SandboxFolders {
  readonly outer: string;
  readonly git: (...words: readonly string[]) => string;
  readonly createOptions: () => SandboxOptions;
}

const AUTHOR = Object.fromEntries(
  ["GIT_AUTHOR", "GIT_COMMITTER"].flatMap((name) => [
    [`${name}_NAME`, "a"],
    [`${name}_EMAIL`, "a@b"],
  ]),
);

/** The workspace is a subfolder of the repository at `outer`. */
function outerRepository(): OuterRepository {
  const folders = createSandboxFolders({ workspaceIn: "outer" });
  const outer = join(folders.base, "outer");
  const git = (...words: readonly string[]): string => {
    const env = { PATH: process.env.PATH, HOME: folders.home, ...AUTHOR };
    const settings = ["-c", "protocol.file.allow=always"];
    return execFileSync("git", ["-C", outer, ...settings, ...words], { stdio: "pipe", env }).toString();
  };
  rmSync(join(folders.workspace, ".git"), { recursive: true });
  git("init", "-q", "-b", "main");
  writeFileSync(join(outer, "beside"), "as it was\n");
  writeFileSync(join(folders.workspace, "file"), "as it was\n");
  git("add", "beside", "workspace/file");
  git("commit", "-q", "-m", "first");
  return {
    ...folders,
    outer,
    git,
    createOptions: () => sandboxOptions(folders, { environment: { ...AUTHOR, OUTER: outer } }),
  };
}

const ended = (exitCode: number) => ({ type: "ended", exitCode });

describe("a workspace in a subfolder of a repository", () => {
  test("BOX49 commits, branches, stashes and settings work", async () => {
    const { git, createOptions: box } = outerRepository();
    const command = `set -e; echo x >new; git add new; git commit -qm second; git checkout -q -b work; echo y >file; git stash -q; git stash pop -q
     git commit -qam third; git checkout -q main; git merge -q work; git branch -q -d work; git tag v1; git config user.email a@example.com; git gc -q; git log --format=%s; git status --short -uno`;
    const { end, text } = await ranIn(box(), command);
    expect({ end, text }).toEqual({ end: ended(0), text: "third\nsecond\nfirst\n" });
    expect(git("log", "--format=%s", "-1", "v1")).toBe("third\n");
    expect(git("config", "user.email")).toBe("a@example.com\n");
    expect(git("status", "--short", "-uno")).toBe("");
  });

  test.each([
    ["settings", "printf '[core]\\nfsmonitor = ./x\\n' >>$OUTER/.git/config"],
    ["settings by git", "git config core.fsmonitor ./x"],
    ["other settings", "mv $OUTER/.git/config $OUTER/.git/c; cp $OUTER/.git/c $OUTER/.git/config"],
    ["a hook", "echo x >$OUTER/.git/hooks/post-commit"],
    ["other hooks", "mv $OUTER/.git/hooks $OUTER/.git/h; mkdir $OUTER/.git/hooks"],
    ["another place for settings", "echo ../workspace >$OUTER/.git/commondir"],
    ["another repository", "mv $OUTER/.git $OUTER/g; mkdir $OUTER/.git"],
    ["a file beside the workspace", "echo x >$OUTER/beside; echo x >$OUTER/new; git checkout HEAD~0 -- ../beside"],
    [
      "a link of the repository",
      "mkdir -p evil/hooks; rm -rf $OUTER/.git/hooks; ln -s $PWD/evil/hooks $OUTER/.git/hooks",
    ],
  ])("BOX49 other parts of the repository cannot be changed: %s", async (_, command) => {
    const { outer, createOptions: box } = outerRepository();
    const names = [".git/config", ".git/hooks/post-commit", ".git/commondir", "beside", "new"];
    const look = () =>
      names.map((name) => join(outer, name)).map((path) => existsSync(path) && readFileSync(path, "utf8"));
    const before = look();
    await ranIn(box(), command);
    expect(look()).toEqual(before);
  });

  test("BOX49 nothing works that writes if the command may not write", async () => {
    const repository = outerRepository();
    const { end, text } = await ranIn(
      { ...repository.createOptions(), mayWrite: () => false },
      "git commit -q --allow-empty -m x",
    );
    expect(end).not.toEqual(ended(0));
    expect(text).toContain("Read-only file system");
  });

  test("BOX49 the repository is not writable if it contains the home, is a link or has a part that is a link", () => {
    const { outer, workspace, home, base } = outerRepository();
    const find = (options: { readonly home: string }) =>
      findRepositoryPaths({ root: workspace, environment: {}, ...options }).writable;
    expect(find({ home })).toEqual([join(outer, ".git")]);
    expect(find({ home: join(outer, "home") })).toEqual([]);
    expect(find({ home: workspace })).toEqual([]);
    renameSync(join(outer, ".git/hooks"), join(base, "hooks"));
    symlinkSync(join(base, "hooks"), join(outer, ".git/hooks"));
    expect(find({ home })).toEqual([]);
    rmSync(join(outer, ".git/hooks"));
    renameSync(join(outer, ".git"), join(base, "git"));
    symlinkSync(join(base, "git"), join(outer, ".git"));
    expect(find({ home })).toEqual([]);
  });
});

describe("a workspace that is a module of a repository", () => {
  function moduleOf(): OuterRepository {
    const repository = outerRepository();
    const source = join(repository.outside, "module");
    repository.git("init", "-q", "-b", "main", source);
    repository.git("-C", source, "commit", "-q", "--allow-empty", "-m", "first");
    rmSync(repository.workspace, { recursive: true });
    repository.git("rm", "-q", "--cached", "workspace/file");
    repository.git("submodule", "--quiet", "add", source, "workspace");
    return repository;
  }

  test("BOX49 commits work in it, and its settings and hooks are protected", async () => {
    const { outer, git, workspace, createOptions: box } = moduleOf();
    const command = `touch a; git add a; git commit -qm second && git config user.email a@example.com && git log --format=%s
     git config core.fsmonitor ./x; echo x >$OUTER/.git/modules/workspace/hooks/post-commit; echo x >>$OUTER/.git/modules/workspace/config; echo x >$OUTER/.git/HEAD; echo x >.git`;
    const { text } = await ranIn(box(), command);
    expect(text).toMatch(/^second\nfirst\n/);
    const settings = readFileSync(join(outer, ".git/modules/workspace/config"), "utf8");
    expect(settings).toContain("email = a@example.com\n");
    expect(settings).not.toContain("fsmonitor");
    expect(existsSync(join(outer, ".git/modules/workspace/hooks/post-commit"))).toBe(false);
    expect(readFileSync(join(outer, ".git/HEAD"), "utf8")).toBe("ref: refs/heads/main\n");
    expect(git("-C", workspace, "log", "--format=%s", "-1")).toBe("second\n");
  });

  test("BOX49 a .git file that names a module of another folder makes nothing writable", () => {
    const { outer, workspace, home } = moduleOf();
    const other = join(outer, "other");
    mkdirSync(other);
    writeFileSync(join(other, ".git"), readFileSync(join(workspace, ".git")));
    expect(findRepositoryPaths({ root: other, home, environment: {} })).toMatchObject({
      writable: [],
      guarded: [{ path: join(other, ".git") }],
    });
  });
});
