/** Tests node/sandbox/git-setting-requests.ts and git-shim.ts: commands change the settings of a repository. */

import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { changeGitConfig } from "../../../src/node/sandbox/change-git-config.ts";
import type { GitSettingsRequest, PermitGitSettings } from "../../../src/node/sandbox/git-config.ts";
import type { SandboxOptions } from "../../../src/node/sandbox/options.ts";
import { sandboxedShell } from "../../../src/node/sandbox/shell.ts";
import {
  createSandboxFolders,
  ranIn,
  type SandboxFolders,
  sandboxOptions,
  until,
} from "../../support/sandbox-folders.ts";

interface Repository extends SandboxFolders {
  readonly git: (...words: readonly string[]) => string;
  readonly config: string;
  readonly createOptions: (parts?: Partial<SandboxOptions>) => SandboxOptions;
}

const AUTHOR = Object.fromEntries(
  ["GIT_AUTHOR", "GIT_COMMITTER"].flatMap((name) => [
    [`${name}_NAME`, "a"],
    [`${name}_EMAIL`, "a@b"],
  ]),
);

/** The workspace is a repository with a bare one in it, to which it can push. */
function repository(): Repository {
  const folders = createSandboxFolders();
  const { home, workspace } = folders;
  const git = (...words: readonly string[]): string => {
    const env = { PATH: process.env.PATH, HOME: home, ...AUTHOR };
    return execFileSync("git", [...words], { cwd: workspace, stdio: "pipe", env }).toString();
  };
  rmSync(join(workspace, ".git"), { recursive: true });
  git("init", "-q", "-b", "main", ".");
  writeFileSync(join(workspace, ".git/info/exclude"), "*\n");
  git("commit", "-q", "--allow-empty", "-m", "first");
  git("init", "-q", "--bare", "bare.git");
  git("remote", "add", "origin", "./bare.git");
  git("push", "-q", "origin", "main");
  const createOptions = (parts: Partial<SandboxOptions> = {}): SandboxOptions =>
    sandboxOptions(folders, { ...parts, environment: { ...AUTHOR, ...parts.environment } });
  return { ...folders, git, createOptions, config: join(workspace, ".git/config") };
}

const ended = (exitCode: number) => ({ type: "ended", exitCode });

describe("harmless settings", () => {
  test("BOX46 can be changed by a command, which cannot write the file itself before or after", async () => {
    const repo = repository();
    appendFileSync(repo.config, "# a comment\n[user]\n\tname = Ada ; of the team\n");
    const { ino } = statSync(repo.config);
    const command = "echo x >>.git/config; git config user.email a@example.com && echo x >>.git/config";
    const { text } = await ranIn(repo.createOptions(), command);
    expect(text.match(/Read-only file system/g)).toHaveLength(2);
    expect(readFileSync(repo.config, "utf8")).toMatch(
      /# a comment\n\[user\]\n\tname = Ada ; of the team\n\temail = a@example\.com\n$/,
    );
    expect(statSync(repo.config).ino).toBe(ino);
    expect(readdirSync(dirname(repo.config)).filter((name) => name.includes("lock"))).toEqual([]);
  });

  test.each<readonly [string, string]>([
    ["git config user.email a@b", "user.email a@b"],
    ["git config --local user.email a@b", "user.email a@b"],
    ["cd bin 2>/dev/null || mkdir bin && cd bin; git -c core.abbrev=9 config user.email a@b", "user.email a@b"],
    ["git -C . remote add other https://example.com/x.git", "remote.other.url https://example.com/x.git"],
    ["git remote add o https://example.com/x; git remote rename o p", "remote.p.url https://example.com/x"],
    ["git remote set-url --add origin https://example.com/x", "remote.origin.url https://example.com/x"],
    ["git push -q -u origin main", "branch.main.remote origin"],
    ["git push -q --set-upstream origin HEAD:refs/heads/other", "branch.main.merge refs/heads/other"],
    ["git config push.autoSetupRemote true; git checkout -q -b new; git push -q", "branch.new.merge refs/heads/new"],
    ["git branch -q --set-upstream-to=origin/main", "branch.main.merge refs/heads/main"],
    ["git branch -q new origin/main", "branch.new.merge refs/heads/main"],
    ["git checkout -q -b new origin/main", "branch.new.merge refs/heads/main"],
    ["git switch -q -c new origin/main", "branch.new.merge refs/heads/main"],
    ["git push -q origin main:two; git checkout -q two", "branch.two.merge refs/heads/two"],
    ["git branch -q new origin/main; git branch -m new newer", "branch.newer.merge refs/heads/main"],
    ["git branch -q new origin/main; git branch -c new copy", "branch.copy.merge refs/heads/main"],
    ["GIT_EDITOR='echo text >' git branch --edit-description", "branch.main.description text"],
  ])("BOX46 are set by: %s", async (command, setting) => {
    const repo = repository();
    const { end, text } = await ranIn(repo.createOptions(), command);
    expect({ end, text }).toEqual({ end: ended(0), text: expect.not.stringContaining("pith:") });
    const [name = "", value] = setting.split(" ");
    expect(repo.git("config", "--get-all", name).split("\n")).toContain(value);
    expect(repo.git("fsck")).toBe("");
  });

  test.each<readonly [string, string]>([
    ["git branch new origin/main -q; git branch -d new -q", "branch.new"],
    ["git branch new origin/main -q; git branch -D new -q; git pack-refs --all", "branch.new"],
    ["git branch -q -u origin/main; git branch --unset-upstream", "branch.main"],
    ["git remote remove origin", "remote.origin"],
    ["git config user.email x; git config --unset user.email", "user.email"],
  ])("BOX46 are removed by: %s", async (command, section) => {
    const repo = repository();
    const { end, text } = await ranIn(repo.createOptions(), command);
    expect({ end, text }).toEqual({ end: ended(0), text: expect.not.stringContaining("pith:") });
    expect(repo.git("config", "--list")).not.toContain(section);
    expect(repo.git("fsck")).toBe("");
  });

  test("BOX46 of a sparse checkout can be changed", async () => {
    const repo = repository();
    for (const name of ["one/a", "two/a"]) {
      mkdirSync(dirname(join(repo.workspace, name)));
      writeFileSync(join(repo.workspace, name), "");
    }
    repo.git("add", "-f", "one", "two");
    repo.git("commit", "-q", "-m", "second");
    repo.git("sparse-checkout", "set", "one");
    const command = `git sparse-checkout set two && ls -d one two; git sparse-checkout disable && ls -d one two
     git sparse-checkout set one && ls -d one two; git status -s -uno; git commit -q --allow-empty -m third; echo x >>.git/config.worktree`;
    const { text } = await ranIn(repo.createOptions(), command);
    expect(text).not.toContain("pith:");
    expect(text).toContain("Read-only file system");
    expect(repo.git("sparse-checkout", "list")).toBe("one\n");
    expect(repo.git("log", "--format=%s", "-1")).toBe("third\n");
    expect(repo.git("status", "--short", "-uno")).toBe("");
    expect([existsSync(join(repo.workspace, "one/a")), existsSync(join(repo.workspace, "two/a"))]).toEqual([
      true,
      false,
    ]);
    expect(readFileSync(join(repo.workspace, ".git/config.worktree"), "utf8")).toContain("sparseCheckout = true");
  });

  test("BOX46 of a submodule can be changed, with a question if its address is a path", async () => {
    const repo = repository();
    const source = join(repo.outside, "module");
    repo.git("init", "-q", source);
    repo.git("-C", source, "commit", "-q", "--allow-empty", "-m", "first");
    const command = `git -c protocol.file.allow=always submodule --quiet add -f ${source} lib && git commit -qm module && git submodule deinit -qf lib
     git -c protocol.file.allow=always submodule --quiet update --init && git -C lib log --format=%s && git -C lib config user.name b && git submodule status | cut -c1`;
    const changes: unknown[] = [];
    const permitGitSettings: PermitGitSettings = async (request) => {
      changes.push(...request.changes);
      return { type: "allowed" };
    };
    const { text } = await ranIn(repo.createOptions({ permitGitSettings }), command);
    expect(text).toMatch(/first\n \n$/);
    expect(changes).toEqual([{ key: "submodule.lib.url", value: source, type: "set" }]);
  });

  test("BOX46 of a new worktree refer to the repository, and the worktree can be removed", async () => {
    const repo = repository();
    const command = "git worktree add -q -b new tree origin/main && cat tree/.git && git -C tree status -sb";
    const { end, text } = await ranIn(repo.createOptions(), command);
    const folder = join(repo.workspace, ".git/worktrees/tree");
    expect({ end, text }).toEqual({ end: ended(0), text: `gitdir: ${folder}\n## new...origin/main\n` });
    expect(repo.git("-C", "tree", "status", "-sb")).toBe("## new...origin/main\n");
    expect(await ranIn(repo.createOptions(), "git worktree remove tree 2>&1 && git worktree list | wc -l")).toEqual({
      ...{ end: ended(0), text: "1\n" },
    });
    const again = "git worktree add -q other && git worktree remove other && git worktree list | wc -l";
    expect(await ranIn(repo.createOptions(), again)).toEqual({ end: ended(0), text: "1\n" });
  });

  test("BOX46 in a file that the repository includes by a relative path are found", async () => {
    const repo = repository();
    repo.git("config", "include.path", "../more");
    writeFileSync(join(repo.workspace, "more"), "[remote]\n\tpushDefault = origin\n");
    const { end } = await ranIn(
      repo.createOptions(),
      "git remote add other https://example.com/x; git push -q -u origin main",
    );
    expect(end).toEqual(ended(0));
    const command = "git config user.name b; GIT_TRACE=1 git push -u 2>&1 | grep -c 'origin'";
    expect((await ranIn(repo.createOptions(), command)).text).toMatch(/^[1-9]/);
  });

  test("BOX46 of a repository that the command created are changed directly", async () => {
    const repo = repository();
    const command = "git init -q sub && cd sub && git config core.pager less && git config core.pager";
    expect(await ranIn(repo.createOptions(), command)).toEqual({ end: ended(0), text: "less\n" });
  });

  test("BOX46 a git hook of a push can change the settings of another repository", async () => {
    const repo = repository();
    const hook = join(repo.workspace, ".git/hooks/pre-push");
    const script = "#!/bin/sh\ncat; git init -q sub && git -C sub config core.pager less; echo hook $GIT_COMMON_DIR.";
    writeFileSync(hook, script);
    chmodSync(hook, 0o755);
    const { end, text } = await ranIn(
      repo.createOptions(),
      "git push -u origin HEAD:refs/heads/new; git config core.pager",
    );
    expect(end).toEqual(ended(1));
    expect(text).toContain("refs/heads/new");
    expect(text).toContain("hook .\n");
    expect(readFileSync(join(repo.workspace, "sub/.git/config"), "utf8")).toContain("pager = less");
  });

  test("BOX46 can be changed by several commands at the same time", async () => {
    const repo = repository();
    const shell = sandboxedShell(repo.createOptions());
    const options = { signal: new AbortController().signal, onOutput: () => {} };
    const command = (name: string): string =>
      `for i in 1 2 3; do until git config branch.${name}.description $i 2>/dev/null; do sleep 0.1; done; done`;
    await Promise.all(["a", "b", "c"].map((name) => shell.run(command(name), options)));
    for (const name of ["a", "b", "c"]) expect(repo.git("config", `branch.${name}.description`)).toBe("3\n");
  });

  test("BOX46 are read by git at the same time as either the old or the new ones", async () => {
    const repo = repository();
    const original = readFileSync(repo.config, "utf8");
    const texts = ["", "[user]\n\tname = Ada\n", `[user]\n\tname = ${"Ada ".repeat(300)}\n`].map(
      (each) => original + each,
    );
    let isDone = false;
    const change = async (): Promise<void> => {
      for (let at = 0; at < 150; at += 1) {
        const [oldText = "", newText = ""] = [texts[at % 3], texts[(at + 1) % 3]];
        expect(await changeGitConfig({ file: repo.config, oldText, newText })).toEqual({ type: "changed" });
        await new Promise(setImmediate);
      }
      isDone = true;
    };
    const read = async (): Promise<void> => {
      while (!isDone) {
        const text = readFileSync(repo.config, "utf8").replace(/\n?#+$/, "");
        expect(texts.some((each) => each.trimEnd() === text.trimEnd())).toBe(true);
        await new Promise(setImmediate);
      }
    };
    await Promise.all([change(), read()]);
  });
});

describe("settings with which git could run a program", () => {
  const allow: PermitGitSettings = async () => ({ type: "allowed" });

  test.each([
    ["git config core.fsmonitor ./x", "set core.fsmonitor = ./x"],
    ["git config alias.x '!./x'", "set alias.x = !./x"],
    ["git remote add evil ext::./x", "set remote.evil.url = ext::./x"],
    ["git config include.path ../more", "set include.path = ../more"],
  ])("BOX46 are refused without a user, and the command prints why: %s", async (command, change) => {
    const repo = repository();
    const before = readFileSync(repo.config, "utf8");
    const { end, text } = await ranIn(repo.createOptions(), command);
    expect(end).toEqual(ended(1));
    expect(text).toContain(`pith: ${repo.config} was not changed: `);
    expect(text).toContain(change);
    expect(readFileSync(repo.config, "utf8")).toBe(before);
  });

  test("BOX46 cause one question per setting, which pauses the timeout of the command", async () => {
    const repo = repository();
    const requests: GitSettingsRequest[] = [];
    const permitGitSettings: PermitGitSettings = async (request) => {
      requests.push(request);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      return { type: "allowed" };
    };
    const shell = sandboxedShell(repo.createOptions({ permitGitSettings }));
    const options = { signal: new AbortController().signal, onOutput: () => {}, timeoutMs: 1_200 };
    const command = "git config core.hooksPath .husky";
    expect(await shell.run(command, options)).toEqual(ended(0));
    repo.git("config", "--unset", "core.hooksPath");
    expect(await shell.run(`${command}; echo again`, options)).toEqual(ended(0));
    expect(requests).toEqual([
      { file: repo.config, changes: [{ key: "core.hookspath", value: ".husky", type: "set" }], command },
    ]);
    expect(repo.git("config", "core.hooksPath")).toBe(".husky\n");
  });

  test("BOX46 also need permission to be removed", async () => {
    const repo = repository();
    repo.git("config", "core.hooksPath", ".husky");
    const { end, text } = await ranIn(repo.createOptions(), "git config --unset core.hooksPath");
    expect(end).toEqual(ended(1));
    expect(text).toContain("remove core.hookspath = .husky");
  });

  test("BOX46 are not changed if a rule denies changes of the file", async () => {
    const repo = repository();
    const options = repo.createOptions({ permitGitSettings: allow, guarded: [repo.config] });
    const { end, text } = await ranIn(options, "git config user.email a@b");
    expect(end).not.toEqual(ended(0));
    expect(text).toContain("was not changed: commands may not change the settings of this repository");
    expect(repo.git("config", "--list")).not.toContain("user.email");
  });
});

describe("requests of a hostile command", () => {
  const REQUESTS = "/run/pith-git/requests";
  /** Sends a request of its own and prints the answer. */
  const send = (file: string, prepare = ":"): string =>
    `w=${REQUESTS}/work.evil; mkdir -p $w/top/common; cp .git/config $w/base; { cat .git/config; printf '[user]\\n\\tname = evil\\n'; } >$w/top/common/config
     mkfifo $w/answer; ${prepare}; exec 9<>$w/answer; printf 'work.evil\\nsettings\\n%s\\n' ${file} >$w/r; mv -T $w/r ${REQUESTS}/request; read -t 3 -r a <&9; echo "answer: $a"`;

  test("BOX46 can change the same settings as git", async () => {
    const repo = repository();
    expect((await ranIn(repo.createOptions(), send(repo.config))).text).toBe("answer: yes\n");
    expect(repo.git("config", "user.name")).toBe("evil\n");
  });

  test.each<readonly [string, string]>([
    ["another file", "$OUTSIDE/config"],
    ["a way around", "$PWD/.git/../.git/config"],
    ["a part of a path", ".git/config"],
  ])("BOX46 cannot write another file: %s", async (_, file) => {
    const repo = repository();
    writeFileSync(join(repo.outside, "config"), readFileSync(repo.config));
    const before = readFileSync(repo.config, "utf8");
    const { text } = await ranIn(repo.createOptions(), send(file));
    expect(text).toBe("answer: no commands may not change the settings of this repository\n");
    expect(readFileSync(repo.config, "utf8")).toBe(before);
    expect(readFileSync(join(repo.outside, "config"), "utf8")).toBe(before);
  });

  test.each<readonly [string, string, string]>([
    ["settings that are a link", "ln -sf $OUTSIDE/config $w/top/common/config", "cannot be read"],
    ["settings in a folder that is a link", "mv $w/top/common $w/c; ln -s ../c $w/top/common", "cannot be read"],
    ["settings that are a pipe", "rm $w/top/common/config; mkfifo $w/top/common/config", "cannot be read"],
    [
      "settings that are too large",
      "head -c 2000000 /dev/zero | tr '\\0' '#' >>$w/top/common/config",
      "cannot be read",
    ],
    ["settings with a NUL", "printf '\\0' >>$w/top/common/config", "git could not read"],
    ["settings that git cannot read", "echo '[x' >>$w/top/common/config", "git could not read"],
    [
      "too many settings at once",
      "for i in $(seq 30); do printf '[x]\\n\\ta = 1\\n'; done >>$w/top/common/config",
      "too many settings",
    ],
    ["other old settings", "echo '#' >>$w/base", "it was changed at the same time"],
    ["a lock that stays", "ln -s $OUTSIDE/new .git/config.lock", "locked"],
  ])("BOX46 cannot write through links: %s", async (_, prepare, why) => {
    const repo = repository();
    const before = readFileSync(repo.config, "utf8");
    const { text } = await ranIn(repo.createOptions(), send(repo.config, prepare));
    expect(text).toContain(`answer: no `);
    expect(text).toContain(why);
    expect(readFileSync(repo.config, "utf8")).toBe(before);
    expect(existsSync(join(repo.outside, "new"))).toBe(false);
  });

  test("BOX46 cannot remove files of an existing worktree or of another folder", async () => {
    const repo = repository();
    repo.git("worktree", "add", "-q", "tree");
    writeFileSync(join(repo.workspace, "tree/file"), "");
    repo.git("init", "-q", join(repo.outside, "other"));
    repo.git("-C", join(repo.outside, "other"), "commit", "-q", "--allow-empty", "-m", "first");
    repo.git("-C", join(repo.outside, "other"), "worktree", "add", "-q", join(repo.outside, "gone"));
    rmSync(join(repo.outside, "gone"), { recursive: true });
    const folder = join(repo.outside, "other/.git/worktrees/gone");
    for (const path of [join(repo.workspace, ".git/worktrees/tree"), folder, `${repo.workspace}/.git/worktrees/..`]) {
      const { text } = await ranIn(repo.createOptions(), send(path).replace("settings", "worktree"));
      expect(text).toMatch(/^answer: no it/);
    }
    expect(existsSync(join(folder, "gitdir"))).toBe(true);
    expect(existsSync(join(repo.workspace, ".git/worktrees/tree/gitdir"))).toBe(true);
    expect(repo.git("-C", "tree", "status", "--short")).toBe("");
  });

  test.each<readonly [string, string]>([
    ["no pipe for the answer", `${send("$PWD/.git/config", "rm $w/answer; touch $w/answer")}`],
    [
      "nothing reads the pipe",
      `${send("$PWD/.git/config")}; exec 9>&-; printf 'work.evil\\nsettings\\nx\\n' >${REQUESTS}/request`,
    ],
    ["a full pipe", send("$PWD/.git/config", "exec 8<>$w/answer; head -c 65536 /dev/zero >&8")],
    ["a folder in place of the request", `mkdir ${REQUESTS}/request; sleep 0.3`],
    ["a pipe in place of the request", `mkfifo ${REQUESTS}/request; sleep 0.3`],
    ["a link in place of the request", `ln -s /dev/zero ${REQUESTS}/request; sleep 0.3`],
    ["other text", `head -c 100000 /dev/urandom >${REQUESTS}/request; sleep 0.3`],
    ["many files", `cd ${REQUESTS}; timeout 1 bash -c 'while :; do >a; rm a; done'`],
    [
      "many settings",
      `for i in 1 2 3; do rm -rf ${REQUESTS}/*; ${send("$PWD/.git/config", "for j in $(seq 1000); do printf '[alias]\\n\\ta = !x\\n'; done | tee -a $w/base >>$w/top/common/config")}; done`,
    ],
    ["many files that stay", `cd ${REQUESTS}; mkdir d; cd d; touch $(seq 5000); sleep 0.1`],
    ["no folder", `rm -rf ${REQUESTS}/*; rmdir ${REQUESTS} 2>/dev/null; sleep 0.3`],
  ])("BOX46 do not block Pith, and the next command works: %s", async (_, command) => {
    const repo = repository();
    const shell = sandboxedShell(repo.createOptions());
    const options = { signal: new AbortController().signal, onOutput: () => {} };
    let longestPauseMs = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longestPauseMs = Math.max(longestPauseMs, performance.now() - last);
      last = performance.now();
    }, 10);
    const end = await shell.run(command, options);
    clearInterval(timer);
    expect(end.type).toBe("ended");
    expect(longestPauseMs).toBeLessThan(1_500);
    expect(await shell.run("git config user.email a@b", options)).toEqual(ended(0));
    await until(() => readdirSync(repo.base).every((name) => !name.startsWith("once-")));
  });

  test("BOX46 leave no request folders, and commands without a repository have none", async () => {
    const repo = repository();
    await ranIn(repo.createOptions(), "git config user.email a@b");
    expect(readdirSync(repo.base).filter((name) => name.startsWith("once-"))).toEqual([]);
    rmSync(join(repo.workspace, ".git"), { recursive: true });
    mkdirSync(join(repo.workspace, "empty"));
    const { text } = await ranIn(repo.createOptions(), "ls /run; command -v git");
    expect(text).not.toContain("pith-git");
  });
});

describe("signed commits", () => {
  test("BOX48 that cannot be signed cause a message with the place of the key", async () => {
    const repo = repository();
    repo.git("config", "commit.gpgSign", "true");
    const hint = /\npith: .*the signing key is outside the sandbox\..*outside: true.*--no-gpg-sign/;
    for (const command of ["git commit --allow-empty -m x", "git tag -s v1 -m x"]) {
      const { end, text } = await ranIn(repo.createOptions(), command);
      expect(end).not.toEqual(ended(0));
      expect(text).toMatch(hint);
    }
    const unsigned = await ranIn(repo.createOptions(), "git commit -q --allow-empty --no-gpg-sign -m x");
    expect(unsigned).toEqual({ end: ended(0), text: "" });
  });

  test("BOX48 that are not signed, against the user's settings, cause a message", async () => {
    const repo = repository();
    writeFileSync(join(repo.home, ".gitconfig"), "[commit]\n\tgpgSign\n");
    const { end, text } = await ranIn(repo.createOptions(), "git commit -q --allow-empty -m x");
    expect({ end, text }).toEqual({ end: ended(0), text: expect.stringMatching(/^pith: the commit is not signed: /) });
  });
});
