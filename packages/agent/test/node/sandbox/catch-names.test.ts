/** Tests node/sandbox/catch-names.ts: files that other programs run are moved away when a command makes them. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CaughtQuestion, SandboxOptions } from "../../../src/node/sandbox/options.ts";
import { sandboxedShell } from "../../../src/node/sandbox/shell.ts";
import type { CaughtFile, ShellResult } from "../../../src/ports.ts";
import { createSandboxFolders, type SandboxFolders, sandboxOptions, until } from "../../support/sandbox-folders.ts";

interface CommandOutcome {
  readonly end: ShellResult;
  readonly output: string;
  readonly caught: readonly CaughtFile[];
}

/** Commands of one session. */
function openShell(
  folders: SandboxFolders,
  parts: Partial<SandboxOptions> = {},
): (command: string) => Promise<CommandOutcome> {
  const shell = sandboxedShell(sandboxOptions(folders, parts));
  return async (command) => {
    const caught: CaughtFile[] = [];
    let output = "";
    const end = await shell.run(command, {
      signal: new AbortController().signal,
      onOutput: (chunk) => {
        output += Buffer.from(chunk).toString();
      },
      onCaught: (file) => void caught.push(file),
    });
    return { end, output, caught };
  };
}

function caughtOptions(folders: SandboxFolders, mayReturn: boolean | null) {
  const questions: CaughtQuestion[] = [];
  const ask = async (question: CaughtQuestion) => {
    questions.push(question);
    return { mayReturn: mayReturn === true };
  };
  const caught = {
    folder: join(folders.base, "caught"),
    record: join(folders.base, "absent"),
    ...(mayReturn !== null && { ask }),
  };
  return { questions, caught };
}

function relativeNames(folders: SandboxFolders, caught: readonly CaughtFile[]): readonly string[] {
  return caught.map(({ path, outcome }) => `${path.slice(folders.workspace.length + 1)} ${outcome}`).toSorted();
}

const names = [".mcp.json", ".envrc", ".vscode/tasks.json", ".claude/settings.json", ".devcontainer/devcontainer.json"];
const files = [...names, ".github/workflows/x.yml"];

/** Ten ways to make a file. */
const ways: readonly (readonly [way: string, command: (path: string) => string])[] = [
  ["a redirection", (path) => `mkdir -p $(dirname ./${path}); echo x >${path}`],
  ["touch", (path) => `mkdir -p $(dirname ./${path}); touch ${path}`],
  ["a copy", (path) => `mkdir -p a/$(dirname ${path}); echo x >a/${path}; cp -r a/. .; rm -r a`],
  ["a rename", (path) => `echo x >a; mkdir -p $(dirname ./${path}); mv a ${path}`],
  [
    "a rename of its folder",
    (path) => `mkdir -p a/$(dirname ${path}); echo x >a/${path}; for f in a/.[a-z]*; do mv $f .; done; rmdir a`,
  ],
  ["a hard link", (path) => `echo x >a; mkdir -p $(dirname ./${path}); ln a ${path}; rm a`],
  ["a symbolic link", (path) => `mkdir -p $(dirname ./${path}); ln -s /etc/hostname ${path}`],
  [
    "tar",
    (path) => `mkdir -p a/$(dirname ${path}); echo x >a/${path}; tar -C a -cf a.tar .; tar -xf a.tar; rm -r a a.tar`,
  ],
  [
    "python",
    (path) =>
      `python3 -c "import os; os.makedirs(os.path.dirname('./${path}'), exist_ok=True); open('${path}', 'w').write('x')"`,
  ],
  ["a process in the background", (path) => `mkdir -p $(dirname ./${path}); (sleep 0.05; echo x >${path}) & sleep 0.2`],
];

describe("a command that makes a file that other programs run", () => {
  test.each(ways)("BOX5 with %s: the file is moved to the folder of caught files", async (_, command) => {
    const folders = createSandboxFolders();
    const { caught } = caughtOptions(folders, null);
    const run = openShell(folders, { caught });
    for (const file of files) {
      const outcome = await run(command(file));
      expect(outcome.end.type, file).toBe("ended");
      expect(existsSync(join(folders.workspace, file)), file).toBe(false);
      expect(new Set(outcome.caught.map(({ outcome: kind }) => kind)), file).toEqual(new Set(["moved"]));
    }
    // The folder of the workflows is the command's own, and so is `a`, which `mv` keeps if its copy was moved away meanwhile.
    const names = readdirSync(folders.workspace).filter((name) => name !== "a");
    expect(names.toSorted()).toEqual([".git", ".github", "way-out"]);
  });

  test("BOX35 the file is caught while the command still runs", async () => {
    const folders = createSandboxFolders();
    const { caught } = caughtOptions(folders, null);
    const running = openShell(folders, { caught })(
      "mkdir .vscode; echo x >.vscode/tasks.json; for i in $(seq 1000); do [ -e go ] && break; sleep 0.02; done",
    );
    await until(() => existsSync(caught.folder) && !existsSync(join(folders.workspace, ".vscode/tasks.json")));
    writeFileSync(join(folders.workspace, "go"), "");
    expect(relativeNames(folders, (await running).caught)).toContain(".vscode moved");
  });

  test("BOX35 files made in ten ways exist for at most 200 milliseconds on an idle machine", async () => {
    const folders = createSandboxFolders();
    const { caught } = caughtOptions(folders, null);
    const run = openShell(folders, { caught });
    const times: number[] = [];
    for (const [, command] of ways) {
      let [madeAt, goneAt] = [0, 0];
      const look = (): void => {
        const isThere = existsSync(join(folders.workspace, ".vscode/tasks.json"));
        if (isThere && madeAt === 0) madeAt = performance.now();
        if (!isThere && madeAt > 0 && goneAt === 0) goneAt = performance.now();
      };
      const timer = setInterval(look, 2);
      const outcome = await run(`${command(".vscode/tasks.json")}; sleep 0.4`);
      clearInterval(timer);
      look();
      expect(existsSync(join(folders.workspace, ".vscode/tasks.json"))).toBe(false);
      expect(relativeNames(folders, outcome.caught)).toContain(".vscode moved");
      // On a busy machine a file can come and go between two looks.
      if (madeAt > 0) times.push(goneAt - madeAt);
    }
    console.log(`caught after ${times.map((time) => time.toFixed(0)).join(", ")} ms`);
    // On a busy machine timers are late.
    expect(Math.min(...times)).toBeLessThan(200);
  });

  test("BOX35 a command that makes the same name three times is stopped", async () => {
    const folders = createSandboxFolders();
    const { caught } = caughtOptions(folders, null);
    const { end } = await openShell(folders, { caught })("for i in $(seq 1000); do echo x >.envrc; sleep 0.01; done");
    expect(end).toMatchObject({ type: "killed", cause: "limit", message: expect.stringContaining(".envrc 3 times") });
    expect(existsSync(join(folders.workspace, ".envrc"))).toBe(false);
  });

  test.each([
    [true, "returned", true],
    [false, "moved", false],
  ])(
    "BOX36 one question covers all files of a command; if it returns %s, they are %s",
    async (mayReturn, outcome, isThere) => {
      const folders = createSandboxFolders();
      const { caught, questions } = caughtOptions(folders, mayReturn);
      const run = openShell(folders, { caught });
      const first = await run("mkdir .vscode; echo 1 >.vscode/a; echo 2 >.vscode/b; echo 3 >.envrc");
      const at = (name: string): string => join(folders.workspace, name);
      expect(questions.map(({ paths }) => paths.toSorted())).toEqual([
        [at(".envrc"), at(".vscode/a"), at(".vscode/b")],
      ]);
      expect(relativeNames(folders, first.caught)).toEqual([`.envrc ${outcome}`, `.vscode ${outcome}`]);
      expect(existsSync(at(".vscode/b"))).toBe(isThere);
      if (isThere) expect((await run("echo 4 >.envrc")).output).toMatch(/Read-only/);
    },
  );

  test("BOX36 a file that may stay is not moved", async () => {
    const folders = createSandboxFolders();
    const { caught } = caughtOptions(folders, null);
    const mayStay = async (path: string): Promise<boolean> => path.endsWith(".envrc");
    const outcome = await openShell(folders, { caught: { ...caught, mayStay } })("touch .envrc .mcp.json");
    expect(relativeNames(folders, outcome.caught)).toEqual([".mcp.json moved"]);
  });

  test("BOX5 a missing path that a rule guards is caught, also in another writable folder", async () => {
    const folders = createSandboxFolders();
    const guarded = ["down/settings.json", "up"].map((name) => join(folders.outside, "deep", name));
    const run = openShell(folders, { guarded, writable: [folders.outside] });
    await run("cd $OUTSIDE; mkdir -p deep/down deep/up; touch deep/down/settings.json mine");
    expect(readdirSync(folders.outside, { recursive: true }).toSorted()).toEqual(["deep", "deep/down", "file", "mine"]);
  });

  test("BOX32 the target of a link in the path stays where it is", async () => {
    const folders = createSandboxFolders();
    mkdirSync(join(folders.outside, "workflows"));
    writeFileSync(join(folders.outside, "workflows/precious"), "as it was\n");
    const run = openShell(folders, { writable: [folders.outside] });
    await run(`ln -s ${folders.outside} .github; sleep 0.1`);
    expect(readFileSync(join(folders.outside, "workflows/precious"), "utf8")).toBe("as it was\n");
    expect(existsSync(join(folders.workspace, ".github"))).toBe(false);
  });
});

describe("a checkout", () => {
  /** A repository with a branch that has an editor's folder and a workflow. */
  function createRepository(): { readonly folders: SandboxFolders; git(...args: readonly string[]): string } {
    const folders = createSandboxFolders();
    rmSync(join(folders.workspace, ".git"), { recursive: true });
    const git = (...args: readonly string[]): string =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], {
        cwd: folders.workspace,
      }).toString();
    git("init", "-q", "-b", "main");
    git("commit", "-q", "--allow-empty", "-m", "first");
    git("checkout", "-q", "-b", "other");
    for (const [name, text] of [
      [".vscode/settings.json", "{}"],
      [".github/workflows/ci.yml", "on: push"],
      [".envrc", "x"],
    ] as const) {
      mkdirSync(dirname(join(folders.workspace, name)), { recursive: true });
      writeFileSync(join(folders.workspace, name), text);
    }
    git("add", "-A");
    git("commit", "-q", "-m", "second");
    git("checkout", "-q", "main");
    return { folders, git };
  }

  test("BOX37 files of a commit from before the session stay", async () => {
    const { folders: place, git } = createRepository();
    const outcome = await openShell(place)("git checkout -q other && git status --porcelain");
    expect(outcome).toMatchObject({ end: { exitCode: 0 }, caught: [], output: "" });
    expect(git("status", "--porcelain")).toBe("");
  });

  test("BOX37 files of a commit that a command made are caught, also if git's objects were forged", async () => {
    const { folders: place } = createRepository();
    const run = openShell(place);
    const author = "-c user.name=a -c user.email=a@b.c";
    const commit = `id=$(echo evil | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$id,.mcp.json; git ${author} commit -q -m third`;
    expect((await run(commit)).end).toMatchObject({ exitCode: 0 });
    const checkout = await run("git checkout -q -- .mcp.json");
    expect(relativeNames(place, checkout.caught)).toEqual([".mcp.json moved"]);
    // The folder of a known commit now has another content.
    const forge = `echo evil >.envrc; id=$(git rev-parse other^{tree}); rm -f .git/objects/\${id:0:2}/\${id:2}; python3 -c "
import zlib, sys
tree = b'100644 .envrc\\0' + bytes.fromhex(sys.argv[2])
open(sys.argv[1], 'wb').write(zlib.compress(b'tree %d\\0' % len(tree) + tree))" .git/objects/\${id:0:2}/\${id:2} $(git hash-object -w .envrc); git cat-file -p other:.envrc`;
    const forged = await run(forge);
    expect(forged.output).toBe("evil\n");
    expect(relativeNames(place, forged.caught)).toEqual([".envrc moved"]);
  });

  test("BOX37 only the files of a folder that are in no commit are caught", async () => {
    const { folders: place } = createRepository();
    const outcome = await openShell(place)("git checkout -q other -- .vscode; echo evil >.vscode/tasks.json");
    expect(relativeNames(place, outcome.caught)).toEqual([".vscode/tasks.json moved"]);
    expect(existsSync(join(place.workspace, ".vscode/settings.json"))).toBe(true);
  });
});

describe("a new repository", () => {
  function createEmptyWorkspace(): SandboxFolders {
    const folders = createSandboxFolders();
    rmSync(join(folders.workspace, ".git"), { recursive: true });
    return folders;
  }

  test("BOX38 a harmless repository stays, and is guarded from the next command on", async () => {
    const folders = createEmptyWorkspace();
    const run = openShell(folders);
    const made = await run(
      "git init -q && git config user.name a && git config user.email a@b.c && git commit -q --allow-empty -m first",
    );
    expect(made).toMatchObject({ end: { exitCode: 0 }, caught: [] });
    const next = await run("echo '[core] fsmonitor = x' >>.git/config; echo x >.git/hooks/pre-commit");
    expect(next.output).toMatch(/config: Read-only[\s\S]*pre-commit: Read-only/);
  });

  test.each([
    ["a setting that runs a program", "git init -q && git config core.fsmonitor ./evil", /core\.fsmonitor = \.\/evil/],
    ["a hook", "git init -q && echo x >.git/hooks/pre-commit", /pre-commit is a hook/],
  ])("BOX38 a repository with %s is caught, and the question names the reason", async (_, command, remark) => {
    const folders = createEmptyWorkspace();
    const { caught, questions } = caughtOptions(folders, false);
    const outcome = await openShell(folders, { caught })(command);
    expect(relativeNames(folders, outcome.caught)).toEqual([".git moved"]);
    expect(questions[0]?.remarks.join("\n")).toMatch(remark);
    expect(existsSync(join(folders.workspace, ".git"))).toBe(false);
  });
});
