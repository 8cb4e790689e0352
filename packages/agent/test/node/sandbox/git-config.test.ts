/** Tests node/sandbox/git-config.ts and git-dangers.ts: settings that run programs, and repositories that a command made. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { findProgramKeys, parseGitConfigStrictly } from "../../../src/node/sandbox/git-config.ts";
import { findRepositoryDangers } from "../../../src/node/sandbox/git-dangers.ts";

const keys = (text: string): readonly string[] => findProgramKeys(text).map(({ key }) => key);

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pith-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe("settings", () => {
  const TEXTS: readonly string[] = [
    "",
    "\ufeff[core]\n\tbare = false\n",
    "[core]\r\n\tfsmonitor = ./x\r\n",
    "[core] fsmonitor = ./x",
    "[CORE]\n\tFsMonitor = ./x ; comment\n",
    "[core]\n\t# comment \\\n\tfsmonitor = ./x\n",
    "[core]\n\tfsmonitor = ./x\\\n\ty\n",
    '[core]\n\tfsmonitor = " ./x "  y # z\n',
    '[alias]\n\tx = "!echo \\"a b\\" \\\\ \\t"\n',
    '[remote "a.b \\"c\\" \\\\d"]\n\turl = x\n',
    "[remote.Origin]\n\turl = x\n",
    "[a]\n\tb\n\tc = \n\td=1\n",
    "[a]b=1\n[a]b=2\n",
    '[filter "x"] clean = a\n\tsmudge = "b;c" # d\n',
    "[core]\n\tfsmonitor = a\tb  c\n",
    "[core]\n\tx = a\\",
    // Errors.
    "[core\n",
    '[core "x]\n',
    '[core "x" ]\n',
    "[core]\n\t1x = y\n",
    "[core]\n\tx y\n",
    '[core]\n\tx = "y\n',
    "[core]\n\tx = \\q\n",
    "[core]\n\tx = y\n]\n",
  ];

  test.each(TEXTS)("BOX45 settings are parsed as git parses them: %j", (text) => {
    const file = join(temporaryFolder(), "config");
    writeFileSync(file, text);
    let expected: readonly string[] | null = null;
    try {
      const output = execFileSync("git", ["config", "-z", "-f", file, "--list"], { stdio: "pipe" }).toString();
      expected = output.split("\0").slice(0, -1);
    } catch {
      // Git reports an error.
    }
    const settings = parseGitConfigStrictly(text);
    const listed = settings?.map(({ key, value }) => (value === null ? key : `${key}\n${value}`)) ?? null;
    expect(listed).toEqual(expected);
  });

  test.each([
    ["core.fsmonitor", "[core]\n\tfsmonitor = ./monitor.sh\n"],
    ["core.hookspath", "[core]\n\thooksPath = .husky/_\n"],
    ["core.sshcommand", "[core]\n\tsshCommand = ./x\n"],
    ["core.worktree", "[core]\n\tworktree = /\n"],
    ["alias.st", "[alias]\n\tst = !./x\n"],
    ["alias.st", "[alias]\n\tst = rebase -x ./x\n"],
    ["filter.x.clean", '[filter "x"]\n\tclean = ./x\n'],
    ["diff.x.textconv", '[diff "x"]\n\ttextconv = ./x\n'],
    ["diff.external", "[diff]\n\texternal = ./x\n"],
    ["merge.x.driver", '[merge "x"]\n\tdriver = ./x\n'],
    ["include.path", "[include]\n\tpath = ../more\n"],
    ["includeif.gitdir:/.path", '[includeIf "gitdir:/"]\n\tpath = ../more\n'],
    ["url./evil/.insteadof", '[url "/evil/"]\n\tinsteadOf = https://\n'],
    ["rebase.instructionformat", "[rebase]\n\tinstructionFormat = x%nexec ./x\n"],
    ["gc.recentobjectshook", "[gc]\n\trecentObjectsHook = ./x\n"],
    ["remote.o.url", '[remote "o"]\n\turl = ext::sh -c x\n'],
    ["remote.o.url", '[remote "o"]\n\turl = ./evil.git\n'],
    ["remote.o.url", '[remote "o"]\n\turl = file:///evil.git\n'],
    ["remote.o.pushurl", '[remote "o"]\n\tpushurl = -oProxyCommand=x:y\n'],
    ["remote.o.receivepack", '[remote "o"]\n\treceivepack = ./x\n'],
    ["branch.main.remote", '[branch "main"]\n\tremote = evil\n'],
    ["submodule.x.update", '[submodule "x"]\n\tupdate = !./x\n'],
    ["credential.helper", "[credential]\n\thelper = ./x\n"],
    ["pager.log", "[pager]\n\tlog = ./x\n"],
    ["protocol.ext.allow", '[protocol "ext"]\n\tallow = always\n'],
    ["extensions.partialclone", "[extensions]\n\tpartialClone = x\n"],
    ["http.sslverify", "[http]\n\tsslVerify = false\n"],
    ["some.thing", "[some]\n\tthing = 1\n"],
    ["core.x.bare", '[core "x"]\n\tbare = true\n'],
    ["(unreadable)", "[core]\n\tbare = \0\n"],
  ])("BOX45 a setting that is not on the list of harmless ones is found: %s", (key, text) => {
    expect(keys(text)).toEqual([key]);
  });

  test("BOX45 settings that git itself writes are harmless", () => {
    const text = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = true
	fsmonitor = true
[remote "origin"]
	url = git@example.com:team/project.git
	pushurl = https://example.com/project.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
	remote = origin
	merge = refs/heads/main
[branch "other"]
	remote = .
	merge = refs/heads/main
[user]
	name = A
	email = a@example.com
[submodule "lib"]
	active = true
	url = ssh://git@example.com/lib.git
[filter "lfs"]
	clean = git-lfs clean -- %f
	smudge = git-lfs smudge -- %f
	process = git-lfs filter-process
	required = true
`;
    expect(keys(text)).toEqual([]);
  });
});

describe("repositories that a command made", () => {
  const author = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"];
  const git = (folder: string, ...words: readonly string[]): string =>
    execFileSync("git", ["-C", folder, ...author, ...words], { stdio: "pipe" }).toString();

  function repository(): { readonly root: string; readonly gitFolder: string } {
    const root = temporaryFolder();
    git(root, "init", "-q");
    git(root, "commit", "-q", "--allow-empty", "-m", "first");
    return { root, gitFolder: join(root, ".git") };
  }

  test("BOX45 a new repository is harmless, and so is a missing one", () => {
    const { gitFolder } = repository();
    expect(findRepositoryDangers(gitFolder)).toEqual([]);
    expect(findRepositoryDangers(join(gitFolder, "missing"))).toEqual([]);
  });

  test.each<readonly [string, (folder: string) => void]>([
    ["config sets core.fsmonitor = ./x", (folder) => git(folder, "config", "-f", "config", "core.fsmonitor", "./x")],
    ["config.worktree sets core.pager", (folder) => writeFileSync(join(folder, "config.worktree"), "[core]\npager=x")],
    ["hooks/pre-commit is a hook", (folder) => writeFileSync(join(folder, "hooks/pre-commit"), "")],
    ["commondir names another repository", (folder) => writeFileSync(join(folder, "commondir"), ".")],
    [
      "remotes/origin is an address",
      (folder) => {
        mkdirSync(join(folder, "remotes"));
        writeFileSync(join(folder, "remotes/origin"), "URL: ./evil");
      },
    ],
    [
      "config is a link",
      (folder) => {
        rmSync(join(folder, "config"));
        symlinkSync("/dev/null", join(folder, "config"));
      },
    ],
    [
      "modules/a/b/hooks/post-checkout is a hook",
      (folder) => {
        mkdirSync(join(folder, "modules/a/b/hooks"), { recursive: true });
        writeFileSync(join(folder, "modules/a/b/HEAD"), "");
        writeFileSync(join(folder, "modules/a/b/hooks/post-checkout"), "");
      },
    ],
    [
      "worktrees/x/commondir names another repository",
      (folder) => {
        mkdirSync(join(folder, "worktrees/x"), { recursive: true });
        writeFileSync(join(folder, "worktrees/x/commondir"), "/evil");
      },
    ],
  ])("BOX45 a danger in a new repository is found: %s", (why, change) => {
    const { gitFolder } = repository();
    change(gitFolder);
    expect(findRepositoryDangers(gitFolder)).toContainEqual(expect.stringContaining(why));
  });

  test("BOX45 a link in place of the repository is a danger", () => {
    const folder = temporaryFolder();
    symlinkSync("/", join(folder, ".git"));
    expect(findRepositoryDangers(join(folder, ".git"))).toHaveLength(1);
  });

  test("BOX45 a worktree and a module of a guarded repository are harmless if the repository refers back to them", () => {
    const { root, gitFolder } = repository();
    const lib = repository();
    git(root, "worktree", "add", "-q", join(root, "tree"));
    git(root, "submodule", "--quiet", "add", lib.root, "lib");
    git(root, "config", "-f", join(gitFolder, "modules/lib/config"), "remote.origin.url", "https://example.com/lib");
    const guardedRepositories = [gitFolder];
    expect(findRepositoryDangers(join(root, "tree/.git"), { guardedRepositories })).toEqual([]);
    expect(findRepositoryDangers(join(root, "lib/.git"), { guardedRepositories })).toEqual([]);
    expect(findRepositoryDangers(join(root, "lib/.git"))).toHaveLength(1);
    mkdirSync(join(root, "copy"));
    writeFileSync(join(root, "copy/.git"), `gitdir: ${join(gitFolder, "worktrees/tree")}\n`);
    expect(findRepositoryDangers(join(root, "copy/.git"), { guardedRepositories })).toEqual([
      expect.stringContaining("does not name it"),
    ]);
  });
});
