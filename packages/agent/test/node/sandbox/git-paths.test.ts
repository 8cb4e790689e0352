/** Tests node/sandbox/git-paths.ts: git folder, repository. */

import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { findRepositoryPaths } from "../../../src/node/sandbox/git-paths.ts";
import { createSandboxFolders, ranIn, type SandboxFolders, sandboxOptions } from "../../support/sandbox-folders.ts";

describe("git folder", () => {
  interface Repository extends SandboxFolders {
    readonly git: (...words: readonly string[]) => string;
  }

  /** A real one, with a module and a worktree beside it. */
  function repository(): Repository {
    const folders = createSandboxFolders();
    const { base, home, workspace } = folders;
    const git = (...words: readonly string[]): string => {
      const settings = ["user.name=a", "user.email=a@b", "protocol.file.allow=always"].flatMap((each) => ["-c", each]);
      const env = { PATH: process.env.PATH, HOME: home };
      return execFileSync("git", [...settings, ...words], { cwd: workspace, stdio: "pipe", env }).toString();
    };
    rmSync(join(workspace, ".git"), { recursive: true });
    git("init", "-q", join(base, "module"));
    git("-C", join(base, "module"), "commit", "-q", "--allow-empty", "-m", "first");
    git("init", "-q", ".");
    git("submodule", "--quiet", "add", join(base, "module"), "lib");
    git("commit", "-q", "-m", "first");
    git("worktree", "add", "-q", join(base, "beside"));
    return { ...folders, git };
  }

  const EVIL = "printf '#!/bin/sh\\ntouch $PWD/RAN\\n' >m.sh; chmod +x m.sh; mkdir evil; cp -r .git/. evil;";
  const setting = (file: string): string => `git config -f ${file} core.fsmonitor $PWD/m.sh;`;
  const hook = (folder: string): string => `cp m.sh ${folder}/post-checkout;`;

  const attacks: readonly (readonly [string, string])[] = [
    ["settings", setting(".git/config")],
    ["settings of a module", setting(".git/modules/lib/config")],
    ["a hook of a module", hook(".git/modules/lib/hooks")],
    ["another place for settings", `${setting("evil/config")} echo ../evil >.git/commondir; chmod 555 .git`],
    [
      "another place for the settings of a module",
      `${setting("evil/config")} echo $PWD/evil >.git/modules/lib/commondir`,
    ],
    [
      "another place for the settings of a worktree",
      `${setting("evil/config")} echo $PWD/evil >.git/worktrees/beside/commondir`,
    ],
    ["settings for later", setting(".git/config.worktree")],
    ["another repository for a module", `rm lib/.git; git init -q lib; ${setting("lib/.git/config")}`],
    [
      "the modules put aside",
      `mv .git/modules .git/m2; cp -r .git/m2 .git/modules; ${setting(".git/modules/lib/config")}`,
    ],
    [
      "the marks of what keeps a name",
      `rm -rf .git/commondir.pith; rm -f .git/commondir; ${setting("evil/config")} echo ../evil >.git/commondir`,
    ],
  ];

  test.each(attacks)("BOX5 git does not run what a command left: %s", async (_, attack) => {
    const repo = repository();
    const { end } = await ranIn(sandboxOptions(repo), `${EVIL} ${attack} true`);
    expect(end.type).toBe("ended");
    repo.git("config", "extensions.worktreeConfig", "true");
    for (const [at, folder] of [".", "lib", join(repo.base, "beside")].entries()) {
      repo.git("-C", folder, "status", "--short");
      repo.git("-C", folder, "checkout", "-q", "-b", `other-${at}`);
    }
    const ran = readdirSync(repo.base, { recursive: true }).filter((name) => String(name).endsWith("RAN"));
    expect(ran).toEqual([]);
  });

  test("BOX5 git does not run what a command left while the command is still running", async () => {
    const repo = repository();
    const command = `${EVIL} ${setting("evil/config")} for i in 1 2 3; do echo ../evil >.git/commondir; git status >/dev/null; done; ls; cat .git/commondir`;
    const { text } = await ranIn(sandboxOptions(repo), command);
    expect(text).not.toContain("RAN");
    expect(text).toMatch(/\n\.\n$/);
    expect(existsSync(join(repo.workspace, ".git/commondir"))).toBe(false);
  });

  test.each([".git", ".git/hooks", ".git/config"])(
    "BOX4 a repository whose %s is a link prevents the command",
    async (name) => {
      const repo = repository();
      const path = join(repo.workspace, name);
      renameSync(path, join(repo.base, "elsewhere"));
      symlinkSync(join(repo.base, "elsewhere"), path);
      const { end } = await ranIn(sandboxOptions(repo), "touch ran");
      expect(end).toMatchObject({
        type: "not-started",
        message: expect.stringContaining("is reached through a symbolic link"),
      });
      expect(existsSync(join(repo.workspace, "ran"))).toBe(false);
    },
  );

  test("BOX2 commits in a module, and branches, stashes and worktrees beside it work", async () => {
    const repo = repository();
    const author = "-c user.name=a -c user.email=a@b";
    const { end, text } = await ranIn(
      sandboxOptions(repo),
      `set -e; echo x >lib/a; git -C lib add a; git -C lib ${author} commit -qm second; git add lib; git ${author} commit -qm module
     echo y >b; git add b; git ${author} stash -q; git ${author} stash pop -q; git checkout -qb more; git gc -q; git fsck --no-dangling; git log --format=%s; git status --short -uno`,
    );
    expect({ end, text }).toEqual({ end: { type: "ended", exitCode: 0 }, text: "module\nfirst\nA  b\n" });
  });

  test("BOX5 paths in git's configuration are guarded: hooks and includes, existing or not, and the file system monitor", async () => {
    const repo = repository();
    const at = (name: string): string => join(repo.workspace, name);
    mkdirSync(at(".husky/_"), { recursive: true });
    writeFileSync(at("more"), "[include]\n\tpath = evenmore\n");
    repo.git("config", "core.hooksPath", ".husky/_");
    repo.git("config", "include.path", "../more");
    writeFileSync(at("monitor.sh"), "exit 1\n");
    repo.git("config", "core.fsmonitor", "./monitor.sh");
    const { text } = await ranIn(
      sandboxOptions(repo),
      "for f in .husky/pre-commit more monitor.sh; do (echo x >$f) 2>/dev/null && echo $f; done; echo '[core]' >evenmore; git log --format=%s; ls -A .husky",
    );
    expect(text).toBe("first\n_\n");
    expect(existsSync(at("evenmore"))).toBe(false);
  });

  test("BOX44 generated hooks can be generated again in a copy, while the real ones and the user's own stay unchanged", async () => {
    const repo = repository();
    const at = (name: string): string => join(repo.workspace, name);
    mkdirSync(at(".husky/_"), { recursive: true });
    writeFileSync(at(".husky/_/h"), "exit 0\n");
    writeFileSync(at(".husky/pre-commit"), "npm test\n");
    repo.git("config", "core.hooksPath", ".husky/_");
    const shell = sandboxOptions(repo);
    const { end, text } = await ranIn(
      shell,
      "rm .husky/_/h && echo evil >.husky/_/h && echo x >.husky/_/new; cat .husky/_/h; echo x >.husky/pre-commit",
    );
    expect(end).toEqual({ type: "ended", exitCode: 1 });
    expect(text).toMatch(/^evil\n.*pre-commit: Read-only file system\n$/);
    expect(readdirSync(at(".husky/_"))).toEqual(["h"]);
    expect(readFileSync(at(".husky/_/h"), "utf8")).toBe("exit 0\n");
  });

  test.each([
    ["~/.gitconfig", ".gitconfig", null],
    ["~/.config/git/config", ".config/git/config", null],
    ["$XDG_CONFIG_HOME/git/config", "settings/git/config", ["XDG_CONFIG_HOME", "settings"]],
    ["$GIT_CONFIG_GLOBAL", "settings/gitconfig", ["GIT_CONFIG_GLOBAL", "settings/gitconfig"]],
  ] as const)(
    "BOX5 a command cannot write a hook into the workspace folder that the user's %s names",
    async (_, name, variable) => {
      const folders = createSandboxFolders();
      const hooks = join(folders.workspace, "tools/hooks");
      mkdirSync(hooks, { recursive: true });
      mkdirSync(dirname(join(folders.home, name)), { recursive: true });
      writeFileSync(join(folders.home, name), "[core]\n\thooksPath = tools/hooks\n");
      const environment = variable ? { [variable[0]]: join(folders.home, variable[1]) } : {};
      const command = "echo x >tools/hooks/post-commit; echo x >tools/other && ls tools";
      const { text } = await ranIn(sandboxOptions(folders, { environment }), command);
      expect(text).toMatch(/Read-only file system\nhooks\nother\n$/);
      expect(readdirSync(hooks)).toEqual([]);
    },
  );
});

describe("repository", () => {
  const AUTHOR = ["-c", "user.name=a", "-c", "user.email=a@b"];

  /** The workspace becomes a worktree of a repository outside. */
  function worktree(): SandboxFolders & { readonly main: string } {
    const folders = createSandboxFolders();
    const main = join(folders.outside, "main");
    const git = (...words: readonly string[]) => execFileSync("git", [...AUTHOR, ...words], { stdio: "pipe" });
    rmSync(folders.workspace, { recursive: true });
    git("init", "-q", "-b", "main", main);
    git("-C", main, "commit", "-q", "--allow-empty", "-m", "first");
    git("-C", main, "worktree", "add", "-q", folders.workspace);
    return { ...folders, main };
  }

  test("BOX2 a commit in a worktree works", async () => {
    const folders = worktree();
    const { end, text } = await ranIn(
      sandboxOptions(folders),
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
  ])("BOX1 a worktree cannot be used to escape: %s", async (_, command) => {
    const folders = worktree();
    const files = [
      "config",
      "HEAD",
      "hooks/pre-commit",
      "worktrees/workspace/commondir",
      "worktrees/workspace/gitdir",
      "../new",
    ];
    const look = () =>
      files
        .map((name) => join(folders.main, ".git", name))
        .map((path) => existsSync(path) && readFileSync(path, "utf8"));
    const before = look();
    await ranIn(sandboxOptions(folders, { environment: { MAIN: folders.main } }), command);
    expect(look()).toEqual(before);
  });

  /** Files as a worktree has them, all within the workspace, with history that leads elsewhere. */
  function pretended({ workspace, outside }: SandboxFolders): void {
    const own = join(workspace, "fake/worktrees/x");
    rmSync(join(workspace, ".git"), { recursive: true });
    mkdirSync(own, { recursive: true });
    writeFileSync(join(workspace, ".git"), "gitdir: fake/worktrees/x\n");
    writeFileSync(join(own, "gitdir"), join(workspace, ".git"));
    writeFileSync(join(own, "commondir"), "../..");
    symlinkSync(outside, join(workspace, "fake/objects"));
  }

  test("BOX1 a fake worktree cannot be used to escape", async () => {
    const folders = createSandboxFolders();
    pretended(folders);
    await ranIn(sandboxOptions(folders), "echo x >$OUTSIDE/new; echo x >fake/objects/new");
    expect(existsSync(join(folders.outside, "new"))).toBe(false);
  });

  test("BOX1 a folder that does not name the worktree is not trusted as its repository", () => {
    const { workspace, outside, home } = createSandboxFolders();
    const git = join(workspace, ".git");
    rmSync(git, { recursive: true });
    writeFileSync(git, `gitdir: ${outside}\n`);
    expect(findRepositoryPaths({ root: workspace, home, environment: {} })).toEqual({
      writable: [],
      guarded: [{ path: git }],
      linkedPath: null,
    });
  });
});
