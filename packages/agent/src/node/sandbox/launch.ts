/** Prepares the start of a program in a sandbox: its command line, its variables and the files it is handed. Starts nothing itself. */

import { readdirSync, readFileSync } from "node:fs";
import type { ShellOptions } from "../../ports.ts";
import { PROXY_VARIABLES } from "../sandbox-network/network.ts";
import { commandEnvironment } from "../shell.ts";
import { createFixedLayout, createLayout, type FixedLayout, type Layout } from "./layout.ts";
import {
  createMountPoints,
  MOUNTS_MOVED,
  type Mount,
  mountArguments,
  orderMounts,
  verifyMountsFirst,
} from "./mounts.ts";
import { existingRealPath, type SandboxOptions } from "./options.ts";
import { buildFilter } from "./seccomp.ts";

export interface LaunchOptions
  extends Pick<ShellOptions, "hosts" | "environment" | "credentialFiles" | "onConnection"> {
  /** The program with its arguments. */
  readonly argv: readonly string[];
  /** What it is, for a question about a host. */
  readonly commandText: string;
}

export interface SandboxLaunch {
  readonly program: string;
  readonly arguments: readonly string[];
  /** The folder in which it starts. */
  readonly root: string;
  /** All that it sees of the environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** What it reads from its fourth file; null where it reads none. To its third it writes that the program has started and ended. */
  readonly filter: Uint8Array | null;
  /** To be called when it has ended. */
  release(): void;
}

export type LaunchResult =
  | { readonly type: "ready"; readonly launch: SandboxLaunch }
  /** The sandbox could not be made; it may be another time. */
  | { readonly type: "failed"; readonly why: string };

/** What stays the same for all programs of a sandbox is looked at once, so that none of them can change it for the next. */
export class SandboxLauncher {
  readonly #sandbox: SandboxOptions;
  /** Where the folder was in the beginning, through no link; null where there was none. */
  readonly #root: string | null;
  /** The system calls that are refused; null where they are not known for this machine. */
  readonly #filter: Uint8Array | null;
  /** Closes the files that this process was handed, before a program begins. */
  readonly #closeFilesScript: string;
  /** The mounts of each program that runs now. */
  readonly #runningMounts = new Set<readonly Mount[]>();
  #fixedLayout: FixedLayout | null = null;

  constructor(sandbox: SandboxOptions) {
    this.#sandbox = sandbox;
    this.#root = existingRealPath(sandbox.root);
    this.#filter = buildFilter({ unixSockets: sandbox.unixSockets ?? false });
    this.#closeFilesScript = findInheritedFiles()
      .map((file) => `exec ${file}>&-; `)
      .join("");
  }

  prepare(options: LaunchOptions): LaunchResult {
    const root = this.#root;
    if (root === null || existingRealPath(this.#sandbox.root) !== root)
      return launchFailure(`there is no folder ${this.#sandbox.root}`);
    const mayWrite = this.#sandbox.mayWrite();
    const sandbox: SandboxOptions = { ...this.#sandbox, root, mayWrite: () => mayWrite };
    const layout = this.#createLayout(sandbox, options.credentialFiles);
    if (layout.type === "unkept") return launchFailure(layout.why);
    const mounts = orderMounts(layout.mounts, [...this.#runningMounts]);
    this.#runningMounts.add(mounts);
    const release = (): void => {
      this.#runningMounts.delete(mounts);
      layout.release();
    };
    try {
      createMountPoints(mounts);
      const { outer, inner } = splitEnvironment({
        ...commandEnvironment(withholdProxies(sandbox)),
        ...privateFolderVariables(sandbox),
        ...options.environment,
      });
      const argv = verifyMountsFirst(mounts, setVariables(inner, this.#closeInheritedFiles(options.argv)));
      const prepared = { ...options, box: sandbox, mounts, environment: outer, release };
      if (argv !== null) return { type: "ready", launch: this.#createLaunch(argv, prepared) };
      release();
      return launchFailure(MOUNTS_MOVED);
    } catch (error) {
      release();
      return launchFailure(error instanceof Error ? error.message : String(error));
    }
  }

  /** What the disk refuses is a reason not to start the program. */
  #createLayout(sandbox: SandboxOptions, credentialFiles: LaunchOptions["credentialFiles"]): Layout {
    try {
      this.#fixedLayout ??= createFixedLayout(sandbox);
      return createLayout(sandbox, this.#fixedLayout, credentialFiles);
    } catch (error) {
      return { type: "unkept", why: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Not the shell that checks the mounts: it may know files of one digit alone. */
  #closeInheritedFiles(argv: readonly string[]): readonly string[] {
    return this.#closeFilesScript === ""
      ? argv
      : ["/bin/bash", "-c", `${this.#closeFilesScript}exec "$@"`, "bash", ...argv];
  }

  #createLaunch(
    argv: readonly string[],
    { box: sandbox, mounts, commandText, hosts, environment, onConnection, release }: PreparedLaunch,
  ) {
    const networkCommand = sandbox.network?.registerCommand({ text: commandText, hosts, onConnection });
    const [program = "", ...prefixArgs] = [...(networkCommand?.commandPrefix ?? []), sandbox.program.path];
    return {
      program,
      arguments: [...prefixArgs, ...this.#bubblewrapArguments(sandbox, mounts), ...argv],
      root: sandbox.root,
      environment: { ...environment, ...networkCommand?.environment },
      filter: this.#filter,
      release: () => {
        networkCommand?.unregister();
        release();
      },
    };
  }

  #bubblewrapArguments({ program, network, root }: SandboxOptions, mounts: readonly Mount[]): readonly string[] {
    const networkArguments = network ? [] : ["--unshare-net"];
    const fileArguments = ["--json-status-fd", "3", ...(this.#filter ? ["--seccomp", "4"] : [])];
    return [
      ...program.isolationArguments,
      ...networkArguments,
      ...mountArguments(mounts),
      ...fileArguments,
      "--chdir",
      root,
      "--",
    ];
  }
}

interface PreparedLaunch extends LaunchOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly box: SandboxOptions;
  readonly mounts: readonly Mount[];
  release(): void;
}

function launchFailure(why: string): LaunchResult {
  return { type: "failed", why };
}

/** The flag of a file that is closed when another program begins, as `/proc` writes it. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * A command could use files that were open before this program began; Node closes only those with low numbers. Their numbers, but for the
 * three that everybody has.
 */
export function findInheritedFiles(): readonly number[] {
  const numbers = readdirSync("/proc/self/fd").map(Number);
  return numbers.filter((file) => file > 2 && isInherited(file));
}

function isInherited(file: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, "utf8"))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // The one by which the list was read.
    return false;
  }
}

/** By these the system's loader and C library take code and data from files that the user's environment names. */
const LOADER_VARIABLE =
  /^(?:LD_.*|GLIBC_TUNABLES|GCONV_PATH|GETCONF_DIR|HOSTALIASES|LOCPATH|MALLOC_TRACE|NLSPATH|RESOLV_HOST_CONF|TZDIR)$/;

interface SplitEnvironment {
  /** What the programs that make the sandbox may see. */
  readonly outer: Readonly<Record<string, string>>;
  /** What only the program in it sees. */
  readonly inner: Readonly<Record<string, string>>;
}

/** BOX31: a folder of the workspace in `LD_LIBRARY_PATH` would otherwise put a command's code into what runs before the sandbox. */
function splitEnvironment(environment: Readonly<Record<string, string>>): SplitEnvironment {
  const isInner = ([name]: readonly [string, string]): boolean => LOADER_VARIABLE.test(name);
  const all = Object.entries(environment);
  return {
    outer: Object.fromEntries(all.filter((each) => !isInner(each))),
    inner: Object.fromEntries(all.filter(isInner)),
  };
}

function setVariables(variables: SplitEnvironment["inner"], argv: readonly string[]): readonly string[] {
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return assignments.length === 0 ? argv : ["/usr/bin/env", ...assignments, ...argv];
}

/** The user's own proxy cannot be reached from inside, and its address may hold a password. */
function withholdProxies({ withheld = [], ...sandbox }: SandboxOptions): SandboxOptions {
  return { ...sandbox, withheld: [...withheld, ...PROXY_VARIABLES] };
}

/**
 * A home that is reached by a link is not, where the folder of the link is hidden. npm's look for a newer npm would ask about a host that
 * no command needs.
 */
function privateFolderVariables({ home }: SandboxOptions): Record<string, string> {
  const folders = { HOME: existingRealPath(home) ?? home, TMPDIR: "/tmp", TMP: "/tmp", TEMP: "/tmp" };
  return { ...folders, npm_config_update_notifier: "false" };
}
