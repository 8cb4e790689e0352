/**
 * A machine with a policy: the built program runs as an ordinary user in a mount namespace with an `/etc` of its own, so that the policy file
 * lies where it belongs and belongs to root. Needs root, `unshare` and `setpriv`, and says so where they are missing.
 */

import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findBuiltProgram } from "../support/built-program.ts";

export const ORDINARY = 1000;

export interface PolicyFile {
  readonly text: string;
  /** As the file is, unless said: of root, and to be changed by root alone. */
  readonly owner?: number;
  readonly mode?: number;
  readonly folderMode?: number;
  readonly folderOwner?: number;
  /** Of `/etc`. */
  readonly etcMode?: number;
  readonly isLink?: boolean;
  readonly isFolder?: boolean;
}

export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly notes: string;
}

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/** What is mounted is gone with the process that runs in it. */
const ENTER = [
  'mount --bind "$1" /etc',
  '{ [ "$2" = none ] || mount --bind "$2" /etc/pith; }',
  'mount --bind "$3" "$4"',
  'shift 4; exec setpriv --reuid 1000 --regid 1000 --clear-groups --no-new-privs -- "$@"',
].join(" && ");

export class Machine {
  readonly #root: string;
  #policies = 0;

  private constructor(root: string) {
    this.#root = root;
  }

  static async open(): Promise<Machine> {
    requireTools();
    const root = mkdtempSync(join(tmpdir(), "pith-policy-"));
    chmodSync(root, 0o755);
    for (const name of ["etc", "etc-loose"]) {
      execFileSync("cp", ["-a", "/etc", join(root, name)]);
      rmSync(join(root, name, "pith"), { recursive: true, force: true });
      mkdirSync(join(root, name, "pith"));
    }
    cpSync(dirname(findBuiltProgram()), join(root, "program"), { recursive: true });
    writeFileSync(join(root, "node"), "");
    return new Machine(root);
  }

  close(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }

  /** A folder that belongs to the ordinary user. */
  folder(name: string): string {
    const path = mkdtempSync(join(this.#root, `${name}-`));
    chownSync(path, ORDINARY, ORDINARY);
    return path;
  }

  /** Of root, below a folder that others cannot change inside the namespace: `/etc`. */
  rootFile(name: string, text: string): string {
    for (const etc of ["etc", "etc-loose"]) {
      mkdirSync(join(this.#root, etc, "pith-extensions"), { recursive: true });
      writeFileSync(join(this.#root, etc, "pith-extensions", name), text);
    }
    return `/etc/pith-extensions/${name}`;
  }

  /** A folder of programs, as the variable PATH has it, with what starts the program there and no sandbox. */
  pathWithoutSandbox(): string {
    const folder = join(this.#root, "programs");
    if (existsSync(folder)) return folder;
    mkdirSync(folder);
    for (const tool of ["sh", "bash", "unshare", "mount", "setpriv"])
      symlinkSync(findProgram(tool), join(folder, tool));
    return folder;
  }

  /** A folder to be mounted as `/etc/pith`. */
  policy(file: PolicyFile): string {
    this.#policies += 1;
    const folder = join(this.#root, `policy-${this.#policies}`);
    mkdirSync(folder, { mode: 0o755 });
    const path = join(folder, "policy.json");
    if (file.isFolder) mkdirSync(path);
    else writeFileSync(file.isLink ? join(folder, "real.json") : path, file.text);
    if (file.isLink) symlinkSync("real.json", path);
    chownSync(file.isLink ? join(folder, "real.json") : path, file.owner ?? 0, 0);
    if (!file.isLink) chmodSync(path, file.mode ?? (file.isFolder ? 0o755 : 0o644));
    chownSync(folder, file.folderOwner ?? 0, 0);
    chmodSync(folder, file.folderMode ?? 0o755);
    return folder;
  }

  /** How the program is started there. Null: without a policy. */
  command(args: readonly string[], policy: string | null, etcMode?: number): Command {
    const etc = join(this.#root, etcMode === undefined ? "etc" : "etc-loose");
    if (etcMode !== undefined) chmodSync(etc, etcMode);
    const node = join(this.#root, "node");
    const words = [etc, policy ?? "none", process.execPath, node, node, join(this.#root, "program/pith.mjs"), ...args];
    return { command: "unshare", args: ["--mount", "--propagation", "private", "sh", "-c", ENTER, "sh", ...words] };
  }
}

export interface CommandOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
}

export function runCommand({ command, args }: Command, { cwd, env, input }: CommandOptions): Promise<CommandResult> {
  const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  let [out, notes] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    notes += text;
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(input ?? "");
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out, notes })));
}

function requireTools(): void {
  if (process.getuid?.() !== 0) throw new Error("the tests of policies need root on Linux: they own files as root");
  for (const tool of ["unshare", "setpriv", "bwrap", "mount"]) findProgram(tool);
}

/** Throws where there is none. */
function findProgram(name: string): string {
  return execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
}
