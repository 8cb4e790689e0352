/** Tests node/sandbox/private-folders.ts over several starts: what stays, and what a later start removes. */

import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  cleanUpEndedSessions,
  openPrivateFolders,
  removeUnusedFolders,
} from "../../../src/node/sandbox/private-folders.ts";
import {
  createSandboxFolders,
  program,
  ranIn,
  type SandboxFolders,
  sandboxOptions,
  until,
} from "../../support/sandbox-folders.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const optionsFor = ({ base, workspace, home }: SandboxFolders) => ({
  folder: join(base, "sandbox"),
  root: workspace,
  home,
  environment: {},
});

test("BOX16 a workspace has one private home, and each session a temporary folder that ends with it", async () => {
  const folders = createSandboxFolders();
  const [first, second] = [
    await openPrivateFolders(optionsFor(folders)),
    await openPrivateFolders(optionsFor(folders)),
  ];
  expect(first.home).toBe(second.home);
  expect(first.temporary).not.toBe(second.temporary);
  expect([first.home, first.temporary].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
  writeFileSync(join(first.temporary, "file"), "");
  await first.close();
  await second.close();
  expect([first.temporary, second.temporary, first.home].map((path) => existsSync(path))).toEqual([false, false, true]);
  expect(readdirSync(join(folders.base, "sandbox/sessions"))).toEqual([]);
});

test("BOX10 temporary folders of other sessions are not visible, wherever they are", async () => {
  const folders = createSandboxFolders();
  const scratch = mkdtempSync(join(import.meta.dirname, ".scratch-"));
  const before = process.env.TMPDIR;
  process.env.TMPDIR = scratch;
  onTestFinished(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(scratch, { recursive: true, force: true });
  });
  const [own, other] = [await openPrivateFolders(optionsFor(folders)), await openPrivateFolders(optionsFor(folders))];
  writeFileSync(join(other.temporary, "file"), "of another session");
  writeFileSync(join(scratch, "shared"), "shared");
  const options = sandboxOptions(folders, { privateHome: own.home, temporary: own.temporary, readable: [scratch] });
  const { text } = await ranIn(
    options,
    `cat ${scratch}/shared; cat ${other.temporary}/file; touch /tmp/written && echo written`,
  );
  expect(text).toMatch(/^shared.*No such file.*\nwritten\n$/);
  expect(existsSync(join(own.temporary, "written"))).toBe(true);
});

test("BOX15 the configuration is copied at the first command of a session, not at its start", async () => {
  const sandboxFolders = createSandboxFolders();
  writeFileSync(join(sandboxFolders.home, ".gitconfig"), "[user]\n\tname = Ada\n");
  const folders = await openPrivateFolders(optionsFor(sandboxFolders));
  expect(readdirSync(folders.home)).toEqual([]);
  const options = sandboxOptions(sandboxFolders, {
    privateHome: folders.home,
    fillHome: folders.fillHome,
    temporary: folders.temporary,
  });
  const first = await ranIn(options, "git config --global user.name; git config --global user.name Eve");
  expect(first.text).toBe("Ada\n");
  // Once for all commands of the session.
  expect((await ranIn(options, "git config --global user.name")).text).toBe("Eve\n");
  await folders.close();
});

test("BOX15 a command whose home cannot be prepared does not run", async () => {
  const folders = createSandboxFolders();
  const options = sandboxOptions(folders, { fillHome: () => Promise.reject(new Error("the disk is full")) });
  expect(await ranIn(options, "touch ran")).toMatchObject({
    end: { type: "not-started", message: expect.stringContaining("the disk is full") },
  });
  expect(existsSync(join(folders.workspace, "ran"))).toBe(false);
});

test("BOX15 a home that could not be prepared is prepared before the next command", async () => {
  const sandboxFolders = createSandboxFolders();
  writeFileSync(join(sandboxFolders.home, ".gitconfig"), "[user]\n\tname = Ada\n");
  const folders = await openPrivateFolders(optionsFor(sandboxFolders));
  // It names no process, so the cleaning up before the copy fails.
  const damaged = join(dirname(folders.home), "once-damaged");
  mkdirSync(damaged);
  writeFileSync(join(damaged, "process"), "{}");
  const options = sandboxOptions(sandboxFolders, {
    privateHome: folders.home,
    fillHome: folders.fillHome,
    temporary: folders.temporary,
  });
  expect((await ranIn(options, "touch ran")).end.type).toBe("not-started");
  expect(existsSync(join(sandboxFolders.workspace, "ran"))).toBe(false);
  rmSync(damaged, { recursive: true });
  expect((await ranIn(options, "git config --global user.name")).text).toBe("Ada\n");
  await folders.close();
});

test("BOX16 homes that were not used for 60 days, or whose workspace is gone, are removed at a later start", async () => {
  const sandboxFolders = createSandboxFolders();
  const options = optionsFor(sandboxFolders);
  const rootOf = (name: string): string => {
    mkdirSync(join(sandboxFolders.base, name));
    return join(sandboxFolders.base, name);
  };
  const roots = [sandboxFolders.workspace, rootOf("old"), rootOf("recent"), rootOf("gone")];
  const homes: string[] = [];
  for (const root of roots) {
    const folders = await openPrivateFolders({ ...options, root });
    await folders.close();
    homes.push(folders.home);
  }
  const age = (home: string | undefined, days: number): void => {
    const time = new Date(Date.now() - days * DAY_MS);
    utimesSync(join(dirname(home ?? ""), "workspace"), time, time);
  };
  age(homes[1], 61);
  age(homes[2], 59);
  // A module cache closes its own folders.
  mkdirSync(join(homes[1] ?? "", "go/pkg/mod"), { recursive: true, mode: 0o555 });
  rmSync(roots[3] ?? "", { recursive: true });
  await removeUnusedFolders(options.folder);
  expect(homes.map((home) => existsSync(home))).toEqual([true, false, true, false]);
  await until(() => readdirSync(options.folder).every((name) => !name.startsWith("removed-")));
});

/** Starts another process that runs a command in the workspace and never ends by itself. */
async function startedProgram(
  folders: SandboxFolders,
  command = "touch up; sleep 600",
): Promise<{ readonly temporary: string; pause(): void; kill(): Promise<void> }> {
  const source = (name: string): string => JSON.stringify(join(import.meta.dirname, "../../../src/node/sandbox", name));
  const code = `
    import { writeFileSync } from "node:fs";
    import { openPrivateFolders } from ${source("private-folders.ts")};
    import { sandboxedShell } from ${source("shell.ts")};
    const { options, box, command } = JSON.parse(process.argv[1]);
    const folders = await openPrivateFolders(options);
    writeFileSync(options.folder + "/temporary", folders.temporary);
    const caught = { ...box.caught, record: folders.absentNames };
    const shell = sandboxedShell({ ...box, ...folders, caught, privateHome: folders.home, home: options.home, mayWrite: () => true });
    await shell.run(command, { signal: new AbortController().signal, onOutput: () => {} });`;
  const { mayWrite: _, ...options } = sandboxOptions(folders);
  const parts = JSON.stringify({ options: optionsFor(folders), box: { ...options, program }, command });
  const child = spawn(process.execPath, ["--input-type=module", "-e", code, parts], { stdio: "inherit" });
  onTestFinished(() => void child.kill("SIGKILL"));
  await until(() => existsSync(join(folders.workspace, "up")));
  const temporary = readFileSync(join(folders.base, "sandbox/temporary"), "utf8");
  rmSync(join(folders.base, "sandbox/temporary"));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    temporary,
    pause: () => void child.kill("SIGSTOP"),
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

test("BOX17 after a process was killed during a command, the next start in any folder removes its leftovers", async () => {
  const folders = createSandboxFolders();
  const names = (): readonly string[] => [
    ...readdirSync(folders.workspace),
    ...readdirSync(join(folders.workspace, ".git")).map((name) => `.git/${name}`),
  ];
  const [before, rootNames] = [names(), readdirSync(folders.workspace)];
  mkdirSync(join(folders.workspace, ".idea"));
  const running = await startedProgram(folders);
  const sandbox = join(folders.base, "sandbox");
  // While it runs, another start leaves everything as it is.
  await cleanUpEndedSessions(sandbox, join(folders.base, "caught"));
  expect(names()).toEqual(expect.arrayContaining([".git/commondir", ".git/config.worktree"]));
  expect(readdirSync(folders.workspace).toSorted()).toEqual([...rootNames, ".idea", "up"].toSorted());
  expect(existsSync(running.temporary)).toBe(true);
  await running.kill();
  expect(names()).toEqual(expect.arrayContaining([".git/commondir"]));
  await cleanUpEndedSessions(sandbox, join(folders.base, "caught"));
  expect(names().toSorted()).toEqual([...before, ".idea", "up"].toSorted());
  expect(existsSync(running.temporary)).toBe(false);
  expect(readdirSync(join(sandbox, "sessions"))).toEqual([]);
});

test("BOX17 a file made just before the process was killed is caught by the next start", async () => {
  const folders = createSandboxFolders();
  const at = (name: string): string => join(folders.workspace, name);
  const running = await startedProgram(
    folders,
    "touch up; for i in $(seq 1000); do [ -e go ] && break; sleep 0.02; done; touch .mcp.json; sleep 60",
  );
  running.pause();
  writeFileSync(at("go"), "");
  await until(() => existsSync(at(".mcp.json")));
  await running.kill();
  expect(existsSync(at(".mcp.json"))).toBe(true);
  const moved = await cleanUpEndedSessions(join(folders.base, "sandbox"), join(folders.base, "caught"));
  expect(moved.map(({ path }) => path).toSorted()).toEqual([at(".mcp.json")]);
  for (const { path, movedTo } of moved) expect([existsSync(path), existsSync(movedTo)]).toEqual([false, true]);
  expect(await cleanUpEndedSessions(join(folders.base, "sandbox"), join(folders.base, "caught"))).toEqual([]);
});

test("BOX17 if a placeholder cannot be recorded in the journal, the command does not run", async () => {
  const folders = createSandboxFolders();
  const before = readdirSync(folders.workspace);
  const { end } = await ranIn(sandboxOptions(folders, { journal: "/no/such/journal" }), "touch ran");
  expect(end).toMatchObject({ type: "not-started", message: expect.stringContaining("/no/such/journal") });
  expect(readdirSync(folders.workspace)).toEqual(before);
});

test("BOX17 the user's own files in a journal stay", async () => {
  const folders = createSandboxFolders();
  const at = (name: string): string => join(folders.workspace, name);
  mkdirSync(at(".vscode"));
  writeFileSync(at("empty"), "");
  writeFileSync(at("file.pith"), "");
  const session = join(folders.base, "sandbox/sessions/1-a");
  mkdirSync(dirname(session), { recursive: true });
  writeFileSync(
    session,
    JSON.stringify({ process: { pid: 1, start: "0", machine: "gone" }, temporary: folders.outside }),
  );
  const noted = [
    { path: at(".vscode") },
    { path: at("empty"), text: "" },
    { path: at("file"), text: "" },
    { path: at("way-out/file"), text: "as it was\n" },
  ];
  writeFileSync(`${session}.names`, `${noted.map((each) => JSON.stringify(each)).join("\n")}\n{"path":`);
  await cleanUpEndedSessions(join(folders.base, "sandbox"), join(folders.base, "caught"));
  expect(
    [at(".vscode"), at("empty"), at("file.pith"), join(folders.outside, "file")].map((path) => existsSync(path)),
  ).toEqual([true, true, true, true]);
  expect(existsSync(session)).toBe(false);
});

test.each([
  [".hg/hgrc", [".hg"]],
  [".hg/sharedpath", [".hg"]],
  [".hg/store/x", []],
])("BOX5 Mercurial does not run what a command left: %s", async (name, folders) => {
  const sandboxFolders = createSandboxFolders();
  if (folders.length === 0) rmSync(join(sandboxFolders.workspace, ".git"), { recursive: true });
  for (const folder of folders) mkdirSync(join(sandboxFolders.workspace, folder));
  await ranIn(sandboxOptions(sandboxFolders), `mkdir -p .hg/store; echo x >${name}; echo x >.hg/hgrc`);
  for (const file of [".hg/hgrc", ".hg/sharedpath"])
    expect(existsSync(join(sandboxFolders.workspace, file))).toBe(false);
  expect(existsSync(join(sandboxFolders.workspace, ".hg/store"))).toBe(true);
});
