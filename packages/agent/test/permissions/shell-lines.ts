/** Reads shell lines, hostile ones and those of recorded sessions, and runs hostile ones in bash in a temporary folder, with denied programs replaced by programs that only record the call. */

import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface HostileLine {
  /** The words that a rule denies, such as `git push`. */
  readonly denied: string;
  readonly line: string;
  /** A program that it needs and a machine may not have. */
  readonly needs: string | null;
}

export function readHostileLines(name: string): readonly HostileLine[] {
  const text = readFileSync(new URL(name, import.meta.url), "utf8");
  const rows = text.split("\n").filter((row) => row !== "" && !row.startsWith("#"));
  return rows.map((row) => {
    const [denied = "", line = "", needs = null] = row.split("\t");
    return { denied, line: line.replaceAll("␤", "\n").replaceAll("␉", "\t"), needs };
  });
}

/** Those lines that did not run what is denied. Lines whose program is missing here are left out. */
export async function findIdleLines(lines: readonly HostileLine[]): Promise<readonly string[]> {
  const here = lines.filter(({ needs }) => needs === null || isInstalled(needs));
  const template = prepareTemplate();
  const idle: string[] = [];
  const waiting = [...here];
  const runAll = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      if (!(await runsDenied(next, template))) idle.push(next.line);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runAll));
  rmSync(template, { recursive: true, force: true });
  return idle;
}

const AT_ONCE = 4;

function isInstalled(program: string): boolean {
  return execFileSync("bash", ["-c", `command -v -- "$1" || true`, "bash", program]).length > 0;
}

async function runsDenied({ denied, line }: HostileLine, template: string): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "pith-hostile-"));
  try {
    cpSync(template, folder, { recursive: true, verbatimSymlinks: true });
    await runInBash(line, folder);
    const log = join(folder, "log");
    const runs = existsSync(log) ? readFileSync(log, "utf8").split("\n") : [];
    const [program = "", ...words] = denied.split(" ");
    return runs.some((run) => run.split(" ")[0] === program && words.every((word) => run.split(" ").includes(word)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A repository of two commits, some files that lines use, and the programs that record. */
function prepareTemplate(): string {
  const template = mkdtempSync(join(tmpdir(), "pith-hostile-"));
  for (const path of ["stubs", "work", "work/bin2", "work/hooks", "work/core"]) mkdirSync(join(template, path));
  const write = (path: string, text: string, mode = 0o755) => writeFileSync(join(template, path), text, { mode });
  const record = (name: string) => `#!/bin/bash\necho "${name} $*" >> "\${0%/*}/../log"\n`;
  for (const name of ["rm", "curl", "npm"]) write(`stubs/${name}`, record(name));
  write("stubs/git", `${record("git")}case " $* " in *" push "*) ;; *) exec ${REAL_GIT} "$@";; esac\n`);
  const scripts = ["stubs/tool", "work/bin2/tool", "work/hooks/pre-commit", "work/core/git-tool", "work/s.env"];
  for (const path of scripts) write(path, '#!/bin/bash\nunset BASH_ENV ENV\n"$STUBS/rm" x\n');
  const files = { x: "x\n", args: "push\n", f: "line\n", t: "text\n", "s.sed": "1e rm x\n", "s.mk": "all:\n\t@true\n" };
  for (const [name, text] of Object.entries(files)) write(`work/${name}`, text, 0o644);
  write("work/s.awk", 'BEGIN { system("rm x") }\n', 0o644);
  execFileSync("bash", ["-ec", PREPARE], { cwd: join(template, "work"), env: environment(template), stdio: "ignore" });
  return template;
}

const REAL_GIT = execFileSync("bash", ["-c", "command -v git"], { encoding: "utf8" }).trim();
const PREPARE = `g() { ${REAL_GIT} "$@"; }; g init -q --template=; g add t; g commit -qm a; echo text2 > t; g commit -qam b; tar -cf a.tar f`;

function environment(folder: string): NodeJS.ProcessEnv {
  const [stubs, name, email] = [join(folder, "stubs"), "a", "a@example.com"];
  return {
    ...{ PATH: `${stubs}:${process.env.PATH}`, HOME: join(folder, "work"), STUBS: stubs, HIDDEN: "rm", TERM: "dumb" },
    ...{ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email },
    ...{ GIT_CONFIG_NOSYSTEM: "1", GIT_TERMINAL_PROMPT: "0", FILTER_BRANCH_SQUELCH_WARNING: "1" },
  };
}

async function runInBash(line: string, folder: string): Promise<void> {
  const child = spawn("/bin/bash", ["-c", line], {
    ...{ cwd: join(folder, "work"), env: environment(folder), stdio: ["ignore", "ignore", "ignore"], detached: true },
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), LONGEST_MS);
  await new Promise((resolve) => child.once("close", resolve));
  clearTimeout(timer);
  // What it left running in its group would outlive its folder.
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

const LONGEST_MS = 10_000;

/** Rules that users have: each program with any words. */
export const DENY_RULES: readonly string[] = ["rm -rf:*", "git push:*", "curl:*", "sudo:*", "npm publish:*"];

const FILES = [
  ...["pi-sessions/before-compaction.jsonl", "pi-sessions/large-session.jsonl"],
  ...["played/session.jsonl", "played-rules/session.jsonl"],
];

const fixtures = fileURLToPath(new URL("../../../../../shared/fixtures/", import.meta.url));

/** The commands of the recorded sessions, each once. */
export function readRecordedLines(): readonly string[] {
  return [...new Set(readRecordedCommands())];
}

/** Also those of sessions that were written down as text. */
export function readHonestLines(): readonly string[] {
  const { sessions } = JSON.parse(readFileSync(`${fixtures}honest-sessions.json`, "utf8"));
  const commands: readonly string[] = sessions.flatMap(
    ({ session }: { readonly session: readonly string[] }) => session,
  );
  return [
    ...readRecordedCommands(),
    ...commands.flatMap((line) => /^calls: bash command=(.*)$/s.exec(line)?.slice(1) ?? []),
  ];
}

function readRecordedCommands(): readonly string[] {
  const entries = FILES.flatMap((file) =>
    readFileSync(`${fixtures}${file}`, "utf8")
      .split("\n")
      .filter((line) => line !== ""),
  );
  return entries.flatMap((line) => commandsOf(JSON.parse(line).message ?? {}));
}

interface RecordedMessage {
  readonly role?: string;
  readonly command?: string;
  readonly content?: readonly { readonly type: string; readonly arguments?: { readonly command?: unknown } }[] | string;
}

function commandsOf({ role, command, content }: RecordedMessage): readonly string[] {
  if (role === "bashExecution" && command !== undefined) return [command];
  const calls = Array.isArray(content) ? content : [];
  return calls.flatMap((part) => (typeof part.arguments?.command === "string" ? [part.arguments.command] : []));
}
