/** Prepares the start of a program in the sandbox (command line, variables, file descriptors), and starts nothing itself. */

import { basename, join } from "node:path";
import type { FindPathRestriction, ShellOptions } from "../../ports.ts";
import { commandEnvironment } from "../shell.ts";
import { NameCatcher, type WatchedCommand } from "./catch-names.ts";
import { createCgroup, findCgroupParent, removeStaleCgroups } from "./cgroup.ts";
import {
  findInheritedFiles,
  isLoaderVariable,
  privateFolderVariables,
  setVariables,
  splitEnvironment,
  withholdProxies,
} from "./environment.ts";
import { findOuterGitPath, isRepository } from "./git-paths.ts";
import { GitSettingRequests } from "./git-setting-requests.ts";
import { GIT_SHIM_FOLDER } from "./git-shim.ts";
import { closeHostSockets, findHostSockets } from "./host-sockets.ts";
import { watchBoth, watchLateSockets } from "./late-sockets.ts";
import { createFixedLayout, createLayout, type FixedLayout, type Layout, type ReadyLayout } from "./layout.ts";
import { type CommandLimits, defaultLimits, LimitWatcher, limitProcessesScript, type WatchCommand } from "./limits.ts";
import {
  createMountPoints,
  MOUNTS_MOVED,
  type Mount,
  mountArguments,
  orderMounts,
  verifyMountsFirst,
} from "./mounts.ts";
import { resolveExistingPath, resolveExistingPaths, type SandboxOptions } from "./options.ts";
import { createRestrictionFinder } from "./path-restrictions.ts";
import { buildFilter } from "./seccomp.ts";
import { findProgramOutside, findWorkingTree } from "./working-tree.ts";

/** A program to start in the sandbox. */
export interface LaunchOptions
  extends Pick<
    ShellOptions,
    "hosts" | "environment" | "credentialFiles" | "onConnection" | "onCaught" | "waitForUser"
  > {
  /** Aborts questions about the program. */
  readonly signal?: AbortSignal;
  /** The program with its arguments. */
  readonly argv: readonly string[];
  /** The command line shown when the user is asked about a host. */
  readonly commandText: string;
}

/** The command line that starts a program in the sandbox. */
export interface SandboxLaunch {
  readonly program: string;
  readonly arguments: readonly string[];
  /** The folder in which it starts. */
  readonly root: string;
  /** The whole environment of the program. */
  readonly environment: Readonly<Record<string, string>>;
  /** Bubblewrap reads this system call filter from file descriptor 4; null for none. It writes the status of the program to descriptor 3. */
  readonly filter: Uint8Array | null;
  /** Must be called when the program has started: kills it at a limit. */
  readonly watch: WatchCommand;
  /** Why the kernel killed the program, if a limit was the reason. Not to be called after `release`. */
  findLimitProblem(): string | null;
  /** What the sandbox does to a path. */
  readonly findRestriction: FindPathRestriction;
  /** Must be called when the program has ended. The promise ends when what it made was looked at. */
  release(): Promise<void>;
}

/** The command line of a sandboxed program, or why there is none. */
export type LaunchResult =
  | { readonly type: "ready"; readonly launch: SandboxLaunch }
  /** The sandbox could not be created; another try may succeed. */
  | { readonly type: "failed"; readonly why: string };

/** Paths that are the same for all programs of a sandbox are resolved once, so that no program can change them for the next. */
export class SandboxLauncher {
  readonly #sandbox: SandboxOptions;
  /** The real path of the workspace at the start; null if it did not exist. */
  readonly #root: string | null;
  /** Shell code that closes the file descriptors this process inherited. */
  readonly #closeFilesScript: string;
  /** The mounts of each running program. */
  readonly #runningMounts = new Set<readonly Mount[]>();
  readonly #limits: CommandLimits;
  readonly #limitWatcher: LimitWatcher;
  readonly #cgroupParent: string | null;
  readonly #catcher: NameCatcher;
  readonly #gitSettings: GitSettingRequests;
  #fixedLayout: FixedLayout | null = null;

  constructor(sandbox: SandboxOptions, catcher: NameCatcher = createCatcher(sandbox)) {
    this.#sandbox = sandbox;
    this.#catcher = catcher;
    this.#root = resolveExistingPath(sandbox.root);
    this.#gitSettings = new GitSettingRequests(sandbox);
    this.#limits = sandbox.limits ?? defaultLimits();
    this.#cgroupParent = sandbox.cgroupParent === undefined ? findCgroupParent() : sandbox.cgroupParent;
    if (this.#cgroupParent !== null) removeStaleCgroups(this.#cgroupParent);
    this.#limitWatcher = new LimitWatcher(this.#limits, sandbox.temporary);
    this.#closeFilesScript = findInheritedFiles()
      .map((file) => `exec ${file}>&-; `)
      .join("");
  }

  get timeoutGraceMs(): number | undefined {
    return this.#sandbox.timeoutGraceMs;
  }

  prepare(options: LaunchOptions): LaunchResult {
    const root = this.#root;
    if (root === null || resolveExistingPath(this.#sandbox.root) !== root)
      return launchFailure(`folder ${this.#sandbox.root} does not exist`);
    const mayWrite = this.#sandbox.mayWrite();
    const sandbox: SandboxOptions = { ...this.#sandbox, root, mayWrite: () => mayWrite };
    const layout = this.#createLayout(sandbox, options.credentialFiles);
    if (layout.type === "failed") return launchFailure(layout.why);
    const gitRequests = mayWrite ? this.#gitSettings.open({ ...options, gitPaths: this.#listGitPaths() }) : null;
    const sockets = this.#closeSockets(layout.mounts);
    const addedMounts = [...(gitRequests?.mounts ?? []), ...sockets.mounts];
    const mounts = orderMounts([...layout.mounts, ...addedMounts], [...this.#runningMounts]);
    this.#runningMounts.add(mounts);
    const release = (): void => {
      this.#runningMounts.delete(mounts);
      gitRequests?.close();
      layout.release();
    };
    try {
      createMountPoints(mounts);
      const { outer, inner } = splitEnvironment(
        {
          ...commandEnvironment(withholdProxies(sandbox)),
          // A home that is reached by a link is not visible where the folder of the link is hidden.
          ...privateFolderVariables(resolveExistingPath(sandbox.home) ?? sandbox.home, "/tmp"),
          ...options.environment,
        },
        isLoaderVariable,
      );
      const program = setVariables(inner, this.#closeInheritedFiles(options.argv));
      const searchScript = gitRequests
        ? `PATH=${GIT_SHIM_FOLDER}:\${PATH:-/usr/local/bin:/usr/bin:/bin}; export PATH; `
        : "";
      const argv = verifyMountsFirst(mounts, program, `${searchScript}${limitProcessesScript(this.#limits)}`);
      const { filter, watch } = sockets;
      const watched = this.#createWatchedCommand(options, layout);
      const findRestriction = createRestrictionFinder({
        mounts: [...layout.mounts, ...sockets.mounts],
        sockets: sockets.mounts.map(({ path }) => path),
        ...{ root, home: sandbox.home, mayWrite },
      });
      const forProgram = { filter, watch, findRestriction, environment: outer };
      const prepared = { ...options, sandbox, mounts, ...forProgram, watched, release };
      if (argv !== null) return { type: "ready", launch: this.#createLaunch(argv, prepared) };
      release();
      return launchFailure(MOUNTS_MOVED);
    } catch (error) {
      release();
      return launchFailure(error instanceof Error ? error.message : String(error));
    }
  }

  /** A file system error means that the program is not started. */
  #createLayout(sandbox: SandboxOptions, credentialFiles: LaunchOptions["credentialFiles"]): Layout {
    try {
      this.#fixedLayout ??= createFixedLayout(sandbox);
      return createLayout(sandbox, this.#fixedLayout, credentialFiles);
    } catch (error) {
      return { type: "failed", why: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Commands connect to each other's sockets, but not to those of the machine. Where these are unknown, the filter refuses all. */
  #closeSockets(mounts: readonly Mount[]): ClosedSockets {
    const { unixSockets, socketList, environment, network, program } = this.#sandbox;
    const { watch } = this.#limitWatcher;
    if (unixSockets) return { mounts: [], filter: buildFilter({ unixSockets: true }), watch };
    const sources = { sockets: socketList, environment };
    const found = findHostSockets(sources);
    if (found === null) return { mounts: [], filter: buildFilter({ unixSockets: false }), watch };
    const late = { sources, mounts, nsenter: program.nsenter, userNamespace: network?.userNamespace ?? [] };
    return {
      mounts: closeHostSockets(found, mounts),
      filter: buildFilter({ unixSockets: true }),
      watch: watchBoth(watch, watchLateSockets(late)),
    };
  }

  /** The repositories that commands may write, as they were before the first command. */
  #listGitPaths(): readonly string[] {
    const { writable = [], nestedNames = [] } = this.#fixedLayout ?? {};
    const root = this.#root ?? "";
    const outerPath = findOuterGitPath({ root, home: this.#sandbox.home });
    const rootPaths = [root, ...writable].map((folder) => join(folder, ".git"));
    return [
      ...rootPaths,
      ...(outerPath ? [outerPath] : []),
      ...nestedNames.filter((path) => basename(path) === ".git"),
    ];
  }

  /** Needs bash: `/bin/sh`, which checks the mounts, may support only one-digit file descriptors. */
  #closeInheritedFiles(argv: readonly string[]): readonly string[] {
    return this.#closeFilesScript === ""
      ? argv
      : ["/bin/bash", "-c", `${this.#closeFilesScript}exec "$@"`, "bash", ...argv];
  }

  #createWatchedCommand(options: LaunchOptions, { roots, absent }: ReadyLayout): WatchedCommand {
    const { commandText, signal = new AbortController().signal, waitForUser = (ask) => ask() } = options;
    return {
      ...{ text: commandText, roots, absent, signal, waitForUser, onCaught: options.onCaught ?? (() => {}) },
      stop: () => {},
    };
  }

  #createLaunch(
    argv: readonly string[],
    { sandbox, mounts, commandText, hosts, environment, onConnection, waitForUser, ...prepared }: PreparedLaunch,
  ): SandboxLaunch {
    const { filter, watch, findRestriction, watched, release } = prepared;
    const networkCommand = sandbox.network?.registerCommand({ text: commandText, hosts, onConnection, waitForUser });
    const cgroup = this.#cgroupParent === null ? null : createCgroup(this.#cgroupParent, this.#limits);
    const prefix = [...(cgroup?.prefix ?? []), ...(networkCommand?.commandPrefix ?? [])];
    const [program = "", ...prefixArgs] = [...prefix, sandbox.program.path];
    this.#catcher.begin(watched);
    return {
      program,
      arguments: [...prefixArgs, ...bubblewrapArguments(sandbox, mounts, filter), ...argv],
      root: sandbox.root,
      environment: { ...environment, ...networkCommand?.environment },
      filter,
      watch: (pid, stop) => {
        watched.stop = stop;
        return watch(pid, stop);
      },
      findRestriction,
      findLimitProblem: () => cgroup?.findProblem() ?? null,
      release: async () => {
        networkCommand?.unregister();
        void cgroup?.remove();
        release();
        await this.#catcher.end(watched);
      },
    };
  }
}

function bubblewrapArguments(
  { program, network, root }: SandboxOptions,
  mounts: readonly Mount[],
  filter: Uint8Array | null,
): readonly string[] {
  const networkArguments = network ? [] : ["--unshare-net"];
  const fileArguments = ["--json-status-fd", "3", ...(filter ? ["--seccomp", "4"] : [])];
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

/** Must be created before the first command of a session. */
export function createCatcher(sandbox: SandboxOptions): NameCatcher {
  const root = resolveExistingPath(sandbox.root);
  const roots = root === null ? [] : [root, ...resolveExistingPaths(sandbox.writable ?? []).filter(isRepository)];
  const git = findProgramOutside("git", { roots, searchPath: sandbox.environment.PATH ?? "" });
  const home = resolveExistingPath(sandbox.home) ?? sandbox.home;
  const workingTrees = git === null ? [] : roots.flatMap((each) => findWorkingTree(each, home) ?? []);
  return new NameCatcher(
    sandbox.caught,
    workingTrees.map((workingTree) => ({ ...workingTree, git: git ?? "" })),
  );
}

interface PreparedLaunch extends LaunchOptions {
  readonly watched: WatchedCommand;
  readonly environment: Readonly<Record<string, string>>;
  readonly sandbox: SandboxOptions;
  readonly mounts: readonly Mount[];
  readonly filter: Uint8Array | null;
  readonly watch: WatchCommand;
  readonly findRestriction: FindPathRestriction;
  release(): void;
}

/** What keeps a command from the sockets of the machine. */
interface ClosedSockets extends Pick<PreparedLaunch, "mounts" | "filter" | "watch"> {}

function launchFailure(why: string): LaunchResult {
  return { type: "failed", why };
}
