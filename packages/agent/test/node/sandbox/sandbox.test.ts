/** Tests node/sandbox/{environment,launcher,shell}.ts: inherited file descriptors and the sandboxed shell. */

import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { detectSandbox } from "../../../src/node/sandbox/detect.ts";
import { SandboxLauncher } from "../../../src/node/sandbox/launcher.ts";
import { sandboxedShell } from "../../../src/node/sandbox/shell.ts";
import { alive, pidsIn } from "../../support/bash-tool.ts";
import {
  createSandboxFolders,
  openNetwork,
  program,
  ranIn,
  type SandboxFolders,
  SECRET,
  sandboxOptions,
  until,
} from "../../support/sandbox-folders.ts";

describe("inherited files", () => {
  const source = join(import.meta.dirname, "../../../src/node/sandbox/environment.ts");

  test("BOX1 finds an inherited file descriptor, but not one that the program opened itself", () => {
    const program = `
    import { openSync } from "node:fs";
    import { findInheritedFiles } from ${JSON.stringify(source)};
    const [handed, own] = [200, openSync("/dev/null")];
    const files = findInheritedFiles();
    console.log(files.includes(handed), files.includes(own));`;
    const node = [process.execPath, "--input-type=module", "-e", program];
    const { stdout } = spawnSync("/bin/bash", ["-c", 'exec 200</dev/null; exec "$@"', "bash", ...node]);
    expect(stdout.toString()).toBe("true false\n");
  });
});

describe("sandboxed shell", () => {
  const NAMES = [".git", "way-out"];

  const namesIn = ({ workspace }: SandboxFolders): readonly string[] => readdirSync(workspace).toSorted();

  test("BOX4 a command whose sandbox cannot be created does not run", async () => {
    const folders = createSandboxFolders();
    const broken = { ...program, isolationArguments: [...program.isolationArguments, "--no-such-option"] };
    const { end } = await ranIn(sandboxOptions(folders, { program: broken }), "touch ran");
    expect(end).toEqual({
      type: "not-started",
      message: expect.stringMatching(
        /^the command was not run, because its sandbox could not be created: .*no-such-option/,
      ),
    });
    expect(namesIn(folders)).toEqual(NAMES);
  });

  test.each([
    ["a program that is not there", { program: { ...program, path: "/no/bwrap" } }, "could not be started"],
    ["a workspace that is not there", { root: "/no/workspace" }, "folder /no/workspace does not exist"],
    ["a workspace that is everything", { root: "/" }, "the workspace is the whole disk"],
    ["a workspace that is the home", { home: "/usr/share", root: "/usr" }, "the workspace contains your home folder"],
  ])("BOX4 a command does not run with %s", async (_, parts, message) => {
    const { end } = await ranIn(sandboxOptions(createSandboxFolders(), parts), "true");
    expect(end).toMatchObject({ type: "not-started", message: expect.stringContaining(message) });
  });

  test("BOX4 a command that prints an error like the sandbox's counts as run", async () => {
    const { end } = await ranIn(sandboxOptions(createSandboxFolders()), "echo 'bwrap: no' >&2; exit 1");
    expect(end).toEqual({ type: "ended", exitCode: 1 });
  });

  test("BOX31 loader variables reach the command, but not the programs that create its sandbox", async () => {
    const folders = createSandboxFolders();
    const network = await openNetwork();
    onTestFinished(() => network.close());
    const before = readdirSync(folders.base).toSorted();
    // A loader that reads these writes a file for each program, outside the sandbox too.
    const environment = { LD_DEBUG: "statistics", LD_DEBUG_OUTPUT: join(folders.base, "loaded") };
    for (const parts of [{}, { network }]) {
      const { end, text } = await ranIn(
        sandboxOptions(folders, { environment, ...parts }),
        'echo "it is $LD_DEBUG_OUTPUT"',
      );
      expect(end).toEqual({ type: "ended", exitCode: 0 });
      expect(text).toContain(`it is ${environment.LD_DEBUG_OUTPUT}`);
    }
    expect(readdirSync(folders.base).toSorted()).toEqual([...before, "journal"].toSorted());
  });

  test("BOX31 variables that lead the C library to files reach the command, but not the programs that create its sandbox", async () => {
    const names = [
      "LD_LIBRARY_PATH",
      "LD_AUDIT",
      "GLIBC_TUNABLES",
      "GCONV_PATH",
      "GETCONF_DIR",
      "HOSTALIASES",
      "LOCPATH",
    ];
    const all = [...names, "MALLOC_TRACE", "NLSPATH", "RESOLV_HOST_CONF", "TZDIR"];
    const folders = createSandboxFolders();
    const options = sandboxOptions(folders, { environment: Object.fromEntries(all.map((name) => [name, ""])) });
    const { text } = await ranIn(options, "env");
    expect(all.filter((name) => !text.includes(`\n${name}=\n`))).toEqual([]);
    const prepared = new SandboxLauncher(options).prepare({ argv: ["/bin/true"], commandText: "true" });
    if (prepared.type === "failed") throw new Error(prepared.why);
    prepared.launch.release();
    expect(all.filter((name) => name in prepared.launch.environment)).toEqual([]);
    expect(prepared.launch.environment).toMatchObject({ PATH: process.env.PATH });
  });

  test("BOX13 a command without a network gets no address of the user's proxy, which may contain a password", async () => {
    const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
    const environment = Object.fromEntries(names.map((name) => [name, `http://ann:${SECRET}@proxy.test`]));
    const { text } = await ranIn(sandboxOptions(createSandboxFolders(), { environment }), "env");
    expect(text.split("\n").filter((line) => /proxy/i.test(line))).toEqual([]);
  });

  test("BOX1 a command shares no namespace with this program, and has no capability", async () => {
    const namespaces = ["cgroup", "ipc", "mnt", "net", "pid", "user", "uts"];
    const { text } = await ranIn(
      sandboxOptions(createSandboxFolders()),
      `for n in ${namespaces.join(" ")}; do readlink /proc/self/ns/$n; done; grep -h ^Cap /proc/self/status`,
    );
    const own = namespaces.map((name) => readlinkSync(`/proc/self/ns/${name}`));
    const lines = text.trimEnd().split("\n");
    expect(lines.slice(0, own.length).map((line) => line.replace(/:.*/, ""))).toEqual(namespaces);
    expect(lines.filter((line) => own.includes(line))).toEqual([]);
    const empty = "0".repeat(16);
    const sets = ["Inh", "Prm", "Eff", "Bnd", "Amb"];
    expect(lines.slice(own.length)).toEqual(sets.map((set) => `Cap${set}:\t${empty}`));
  });

  test("BOX4 reports that bubblewrap is not installed", async () => {
    expect(await detectSandbox({ environment: { PATH: "/no:relative" }, root: "/nowhere", home: "/no-home" })).toEqual({
      type: "unavailable",
      why: "bubblewrap is not installed: `bwrap` was not found",
      advice: expect.stringContaining("install bubblewrap"),
    });
  });

  test("BOX5 no placeholder is visible in the workspace, and none is left in .git, even with concurrent commands", async () => {
    const folders = createSandboxFolders();
    const options = sandboxOptions(folders);
    const git = readdirSync(join(folders.workspace, ".git"));
    const long = ranIn(options, "touch up; until [ -e go ]; do sleep 0.02; done; ls -A");
    await until(() => namesIn(folders).includes("up"));
    expect(namesIn(folders)).toEqual([".git", "up", "way-out"]);
    await Promise.all([ranIn(options, "true"), ranIn(options, "true"), ranIn(options, "true")]);
    writeFileSync(join(folders.workspace, "go"), "");
    expect((await long).text).toBe(".git\ngo\nup\nway-out\n");
    expect(readdirSync(join(folders.workspace, ".git"))).toEqual(git);
  });

  test("BOX5 the user's own folder stays, empty or not, and is readable", async () => {
    const folders = createSandboxFolders();
    mkdirSync(join(folders.workspace, ".idea"));
    mkdirSync(join(folders.workspace, ".vscode"));
    writeFileSync(join(folders.workspace, ".vscode/settings.json"), "mine");
    const { text } = await ranIn(sandboxOptions(folders), "cat .vscode/settings.json; touch .idea/a .vscode/b");
    expect(text).toMatch(/^mine.*Read-only[\s\S]*Read-only/);
    expect(namesIn(folders)).toEqual([".git", ".idea", ".vscode", "way-out"]);
  });

  test("BOX5 a dangling link in place of a guarded folder does not block the command", async () => {
    const folders = createSandboxFolders();
    symlinkSync(join(folders.base, "nowhere"), join(folders.workspace, ".vscode"));
    expect((await ranIn(sandboxOptions(folders), "touch .vscode/tasks.json")).end).toEqual({
      type: "ended",
      exitCode: 1,
    });
    expect(namesIn(folders)).toEqual([".git", ".vscode", "way-out"]);
  });

  test("BOX5 a .git file that names another repository cannot be changed", async () => {
    const folders = createSandboxFolders();
    rmSync(join(folders.workspace, ".git"), { recursive: true });
    writeFileSync(join(folders.workspace, ".git"), `gitdir: ${folders.outside}`);
    const { text } = await ranIn(sandboxOptions(folders), "cat .git; echo x >.git; mv .git away; rm -f .git");
    expect(text).toMatch(/^gitdir: .*Read-only[\s\S]*busy[\s\S]*busy/);
    expect(namesIn(folders)).toEqual([".git", "way-out"]);
  });

  test("BOX5 a guarded link has its old target after the command", async () => {
    const folders = createSandboxFolders();
    const theirs = join(folders.base, "theirs");
    mkdirSync(theirs);
    symlinkSync(theirs, join(folders.workspace, ".claude"));
    await ranIn(sandboxOptions(folders), "rm .claude && mkdir .claude && echo x >.claude/settings.json; chmod 555 .");
    expect(readlinkSync(join(folders.workspace, ".claude"))).toBe(theirs);
  });

  test("BOX1 keys created or replaced in a hidden folder while a command runs stay hidden", async () => {
    const folders = createSandboxFolders();
    const options = sandboxOptions(folders, { hidden: [dirname(folders.keys)] });
    const running = ranIn(
      options,
      "touch started; while [ ! -e go ]; do sleep 0.02; done; ls -A ~/.pith; cat $KEYS $KEYS.new",
    );
    await until(() => existsSync(join(folders.workspace, "started")));
    rmSync(folders.keys);
    for (const name of [folders.keys, `${folders.keys}.new`]) writeFileSync(name, SECRET);
    writeFileSync(join(folders.workspace, "go"), "");
    expect((await running).text).not.toContain(SECRET);
  });

  test("BOX1 a workspace that was replaced by a link is refused", async () => {
    const folders = createSandboxFolders();
    const shell = sandboxedShell(sandboxOptions(folders));
    rmSync(folders.workspace, { recursive: true });
    symlinkSync(folders.outside, folders.workspace);
    const end = await shell.run("touch new", { signal: new AbortController().signal, onOutput: () => {} });
    expect(end).toMatchObject({ type: "not-started", message: expect.stringMatching(/folder .* does not exist/) });
  });

  test.each([{ isDeaf: false }, { isDeaf: true }])(
    "BOX6 an abort ends all processes in the sandbox ($isDeaf)",
    async ({ isDeaf }) => {
      const folders = createSandboxFolders();
      const act = new AbortController();
      const deaf = isDeaf ? "trap '' TERM; " : "";
      const sleeper = `sleep 600.${process.pid}`;
      const command = `${deaf}echo before; ${sleeper} & setsid ${sleeper} & echo 1 >pids; while :; do sleep 0.02; done`;
      const running = ranIn(sandboxOptions(folders), command, { signal: act.signal });
      await pidsIn(folders.workspace, 1);
      await until(() => sleepers().length === 2);
      const inside = sleepers();
      act.abort();
      expect(await running).toEqual({
        end: { type: "killed", cause: "abort", message: "command stopped" },
        text: "before\n",
      });
      expect(await alive(inside)).toEqual([]);
      rmSync(join(folders.workspace, "pids"));
      expect(namesIn(folders)).toEqual(NAMES);
    },
  );

  test("BOX6 a command that times out gets SIGTERM before SIGKILL", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let text = "";
    const onOutput = (chunk: Uint8Array): void => {
      text += Buffer.from(chunk).toString();
      if (!vi.isFakeTimers()) return;
      // The trap is set by now.
      vi.advanceTimersByTime(3_000);
      vi.useRealTimers();
    };
    const command = "trap 'echo asked; exit' TERM; echo before; while :; do sleep 0.02; done";
    const options = sandboxOptions(createSandboxFolders(), { timeoutGraceMs: 600_000 });
    const { end } = await ranIn(options, command, { timeoutMs: 3_000, onOutput });
    expect(end).toMatchObject({ type: "killed", cause: "timeout" });
    // The sleep inside is asked as well; where it dies first, bash says "Terminated" of it.
    expect(text.replace("Terminated\n", "")).toBe("before\nasked\n");
  });

  /** Processes of this test, found by a sleep duration that nothing else uses. */
  function sleepers(): readonly number[] {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return pids.filter((pid) => commandOf(pid) === `sleep 600.${process.pid}`).map(Number);
  }

  function commandOf(pid: string): string {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    } catch {
      return "";
    }
  }
});
