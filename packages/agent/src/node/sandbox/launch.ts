/** Prepares the start of a program in a sandbox: its command line, its variables and the files it is handed. Starts nothing itself. */

import { readdirSync, readFileSync } from "node:fs";
import type { ShellAct } from "../../ports.ts";
import { seenEnvironment } from "../shell.ts";
import { type Box, presentPath } from "./box.ts";
import { type Layout, layoutOf, type StandingLayout, standingLayout } from "./layout.ts";
import { arranged, diskArguments, MOVED, type Mount, makeMountPoints, samePlaceFirst } from "./mounts.ts";
import { PROXY_VARIABLES } from "./network/network.ts";
import { buildFilter } from "./seccomp.ts";

export interface LaunchOptions extends Pick<ShellAct, "hosts" | "environment" | "credentialFiles" | "onConnection"> {
  /** The program with its arguments. */
  readonly words: readonly string[];
  /** What it is, for a question about a host. */
  readonly text: string;
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
  readonly #box: Box;
  /** Where the folder was in the beginning, through no link; null where there was none. */
  readonly #root: string | null;
  /** The system calls that are refused; null where they are not known for this machine. */
  readonly #filter: Uint8Array | null;
  /** Closes the files that this process was handed, before a program begins. */
  readonly #closing: string;
  /** The mounts of each program that runs now. */
  readonly #running = new Set<readonly Mount[]>();
  #standing: StandingLayout | null = null;

  constructor(box: Box) {
    this.#box = box;
    this.#root = presentPath(box.root);
    this.#filter = buildFilter({ unixSockets: box.unixSockets ?? false });
    this.#closing = inheritedFiles()
      .map((file) => `exec ${file}>&-; `)
      .join("");
  }

  prepare(options: LaunchOptions): LaunchResult {
    const root = this.#root;
    if (root === null || presentPath(this.#box.root) !== root) return failed(`there is no folder ${this.#box.root}`);
    const mayWrite = this.#box.mayWrite();
    const box: Box = { ...this.#box, root, mayWrite: () => mayWrite };
    const layout = this.#tryLayout(box, options.credentialFiles);
    if (layout.type === "unkept") return failed(layout.why);
    const mounts = arranged(layout.mounts, [...this.#running]);
    this.#running.add(mounts);
    const release = (): void => {
      this.#running.delete(mounts);
      layout.release();
    };
    try {
      makeMountPoints(mounts);
      const { outer, inner } = splitEnvironment({
        ...seenEnvironment(withoutProxies(box)),
        ...privatePlaces(box),
        ...options.environment,
      });
      const words = samePlaceFirst(mounts, withVariables(inner, this.#withoutInherited(options.words)));
      const prepared = { ...options, box, mounts, environment: outer, release };
      if (words !== null) return { type: "ready", launch: this.#launch(words, prepared) };
      release();
      return failed(MOVED);
    } catch (error) {
      release();
      return failed(error instanceof Error ? error.message : String(error));
    }
  }

  /** What the disk refuses is a reason not to start the program. */
  #tryLayout(box: Box, credentialFiles: LaunchOptions["credentialFiles"]): Layout {
    try {
      this.#standing ??= standingLayout(box);
      return layoutOf(box, this.#standing, credentialFiles);
    } catch (error) {
      return { type: "unkept", why: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Not the shell that checks the mounts: it may know files of one digit alone. */
  #withoutInherited(words: readonly string[]): readonly string[] {
    return this.#closing === "" ? words : ["/bin/bash", "-c", `${this.#closing}exec "$@"`, "bash", ...words];
  }

  #launch(words: readonly string[], { box, mounts, text, hosts, environment, onConnection, release }: Prepared) {
    const joined = box.network?.join({ text, hosts, onConnection });
    const [program = "", ...before] = [...(joined?.enter ?? []), box.program.path];
    return {
      program,
      arguments: [...before, ...this.#argumentsFor(box, mounts), ...words],
      root: box.root,
      environment: { ...environment, ...joined?.environment },
      filter: this.#filter,
      release: () => {
        joined?.leave();
        release();
      },
    };
  }

  #argumentsFor({ program, network, root }: Box, mounts: readonly Mount[]): readonly string[] {
    const reach = network ? [] : ["--unshare-net"];
    const files = ["--json-status-fd", "3", ...(this.#filter ? ["--seccomp", "4"] : [])];
    return [...program.apart, ...reach, ...diskArguments(mounts), ...files, "--chdir", root, "--"];
  }
}

interface Prepared extends LaunchOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly box: Box;
  readonly mounts: readonly Mount[];
  release(): void;
}

function failed(why: string): LaunchResult {
  return { type: "failed", why };
}

/** The flag of a file that is closed when another program begins, as `/proc` writes it. */
const CLOSED_BY_ITSELF = 0o2000000;

/**
 * A command could use files that were open before this program began; Node closes only those with low numbers. Their numbers, but for the
 * three that everybody has.
 */
export function inheritedFiles(): readonly number[] {
  const numbers = readdirSync("/proc/self/fd").map(Number);
  return numbers.filter((file) => file > 2 && isPassedOn(file));
}

function isPassedOn(file: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, "utf8"))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & CLOSED_BY_ITSELF) === 0;
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

function withVariables(variables: SplitEnvironment["inner"], words: readonly string[]): readonly string[] {
  const settings = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return settings.length === 0 ? words : ["/usr/bin/env", ...settings, ...words];
}

/** The user's own proxy cannot be reached from inside, and its address may hold a password. */
function withoutProxies({ withheld = [], ...box }: Box): Box {
  return { ...box, withheld: [...withheld, ...PROXY_VARIABLES] };
}

/**
 * A home that is reached by a link is not, where the folder of the link is hidden. npm's look for a newer npm would ask about a host that
 * no command needs.
 */
function privatePlaces({ home }: Box): Record<string, string> {
  const places = { HOME: presentPath(home) ?? home, TMPDIR: "/tmp", TMP: "/tmp", TEMP: "/tmp" };
  return { ...places, npm_config_update_notifier: "false" };
}
