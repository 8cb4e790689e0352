/** Detects whether a sandbox can be created on this machine, by creating one. */

import { type StdioOptions, spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { Writable } from "node:stream";
import { isWithin } from "../../text.ts";
import { NetworkNamespace } from "../sandbox-network/namespace.ts";
import { findRuntime, type InstalledRuntime } from "../sandbox-runtime/install.ts";
import { type Bubblewrap, mountArguments } from "./mounts.ts";
import { resolveExistingPath, resolveExistingPaths, type SandboxOptions } from "./options.ts";
import { buildFilter } from "./seccomp.ts";
import { secretPathsIn } from "./secret-paths.ts";

/** A search for a program in PATH. */
export interface ProgramSearch {
  readonly name: string;
  /** The value of `PATH`. */
  readonly searchPath: string;
  /** Folders in which commands may write. */
  readonly writable: readonly string[];
}

/**
 * Returns the real path of a program, or null. It runs outside every sandbox, so it must not lie where commands or other users could have
 * written it.
 */
export function findSafeProgram({ name, searchPath, writable }: ProgramSearch): string | null {
  const isSafe = (path: string): boolean => !writable.some((each) => isWithin(each, path)) && isNotWorldWritable(path);
  for (const folder of searchPath.split(delimiter).filter(isAbsolute)) {
    const real = resolveExistingPath(join(folder, name));
    if (real === null || !isExecutable(real)) continue;
    if ([resolveExistingPath(folder) ?? folder, dirname(real), real].every(isSafe)) return real;
  }
  return null;
}

/**
 * The environment for a program that runs outside every sandbox: without folders of `PATH` and variables that lead to where commands may
 * write. Otherwise it could run or read what a command wrote there.
 */
export function safeEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  writable: readonly string[],
): Record<string, string> {
  const writablePaths = [...new Set([...writable, ...resolveExistingPaths(writable)])];
  const isSafe = (folder: string): boolean =>
    isAbsolute(folder) &&
    !writablePaths.some((writablePath) => isWithin(writablePath, resolveExistingPath(folder) ?? folder));
  const safe = Object.entries(environment).flatMap(([name, value = ""]): readonly (readonly [string, string])[] => {
    if (name === "PATH") return [[name, value.split(delimiter).filter(isSafe).join(delimiter)]];
    return writablePaths.some((writablePath) => value.includes(writablePath)) ? [] : [[name, value]];
  });
  return Object.fromEntries(safe);
}

/** Whether the path is an executable file. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Missing, or not executable.
    return false;
  }
}

const OTHERS_WRITE_BIT = 0o002;

function isNotWorldWritable(path: string): boolean {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? OTHERS_WRITE_BIT;
  return (mode & OTHERS_WRITE_BIT) === 0;
}

/** Relative to the home. */
const CONFIG_FOLDERS: readonly string[] = [".config", ".gnupg", ".local/bin", ".local/share/systemd", ".ssh"];

/**
 * Why a folder must not be a workspace, or null. A command that may write in such a folder controls the user's next shell or program.
 * The root must be a real path.
 */
export function findRootProblem(root: string, home: string): string | null {
  if (root === "/")
    return "the workspace is the whole disk, so nothing would be protected; start pith in a project folder";
  const realHome = resolveExistingPath(home) ?? home;
  const relation = root === realHome ? "is your home folder" : "contains your home folder";
  if (isWithin(root, realHome))
    return `the workspace ${relation}, from which shells read their settings; start pith in a project folder`;
  const configFolder = CONFIG_FOLDERS.map((name) => join(realHome, name)).find((path) => isWithin(root, path));
  if (configFolder)
    return `the workspace contains ${configFolder}, which configures other programs; start pith in a project folder`;
  const secret = secretPathsIn(realHome).find((path) => isWithin(path, root));
  return secret ? `the workspace is inside ${secret}, which contains secrets; start pith in another folder` : null;
}

/** Whether bubblewrap works on this machine, and why not. */
export type SandboxDetection =
  | {
      readonly type: "available";
      readonly program: Bubblewrap;
      /** Why commands cannot have a network, whatever the settings are; null where they can. */
      readonly networkProblem: string | null;
    }
  | {
      readonly type: "unavailable";
      readonly why: string;
      /** Tells the user what to do, if anything helps. */
      readonly advice?: string;
    };

/** The sandbox for commands: bubblewrap, or on macOS the sandbox runtime, which is loaded with the first command. */
export type CommandSandbox = SandboxDetection | { readonly type: "runtime"; readonly runtime: InstalledRuntime };

/** Options of `findCommandSandbox`. */
export interface SandboxDetectionOptions extends Pick<SandboxOptions, "root" | "home" | "environment"> {
  /** Where the sandbox runtime is installed, on systems without bubblewrap. */
  readonly runtimeFolder: string;
  readonly platform?: NodeJS.Platform;
}

/** New namespaces except for the network, no capabilities, and the process ends with its parent. */
const ISOLATION_ARGUMENTS: readonly string[] = [
  "--unshare-user",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--die-with-parent",
  "--cap-drop",
  "ALL",
];
/** Also forbids new user namespaces. Versions before 0.8 lack the option; there only the kernel keeps a command from undoing mounts. */
const STRICT_ISOLATION_ARGUMENTS: readonly string[] = [...ISOLATION_ARGUMENTS, "--disable-userns"];

const TIMEOUT_MS = 10_000;

/** Finds the sandbox for commands on this system: bubblewrap, or the sandbox runtime on macOS. */
export async function findCommandSandbox(options: SandboxDetectionOptions): Promise<CommandSandbox> {
  const { root, home, runtimeFolder, platform = process.platform } = options;
  if (platform !== "darwin") return await detectSandbox({ ...options, platform });
  const rootProblem = findRootProblem(resolveExistingPath(root) ?? root, home);
  if (rootProblem !== null) return { type: "unavailable", why: rootProblem };
  const found = findRuntime(runtimeFolder);
  return found.type === "installed"
    ? { type: "runtime", runtime: found.runtime }
    : { type: "unavailable", why: found.why, advice: found.advice };
}

type BubblewrapDetectionOptions = Pick<SandboxDetectionOptions, "root" | "environment" | "platform">;

/** Checks whether commands can run in bubblewrap for this workspace. */
export async function detectSandbox(
  options: BubblewrapDetectionOptions & Pick<SandboxOptions, "home">,
): Promise<SandboxDetection> {
  const { platform = process.platform } = options;
  const root = resolveExistingPath(options.root) ?? options.root;
  const rootProblem = platform === "linux" ? findRootProblem(root, options.home) : null;
  return rootProblem !== null ? { type: "unavailable", why: rootProblem } : await detectBubblewrap(options);
}

/** For programs that do not work in the workspace, so its location does not matter. Programs in the workspace are never used. */
export async function detectBubblewrap({
  root,
  environment,
  platform = process.platform,
}: BubblewrapDetectionOptions): Promise<SandboxDetection> {
  if (platform !== "linux")
    return { type: "unavailable", ...NO_SANDBOX_REASONS[platform === "win32" ? "win32" : "others"] };
  const writable = [resolveExistingPath(root) ?? root];
  const find = (name: string): string | null => findSafeProgram({ name, searchPath: environment.PATH ?? "", writable });
  const path = find("bwrap");
  if (path === null)
    return {
      ...{ type: "unavailable", why: "bubblewrap is not installed: `bwrap` was not found" },
      advice: "install bubblewrap with your package manager, e.g. apt-get install bubblewrap",
    };
  const nsenter = find("nsenter");
  // In parallel, to keep the start fast; if the first fails, the second result is ignored.
  const strict: Bubblewrap = { path, nsenter, isolationArguments: STRICT_ISOLATION_ARGUMENTS };
  const [problem, detection] = await Promise.all([tryCommand([], strict), detectNetwork(strict)]);
  if (problem === null) return detection;
  if ((await tryCommand([], { path, nsenter, isolationArguments: ISOLATION_ARGUMENTS })) === null)
    return await detectNetwork({ path, nsenter, isolationArguments: ISOLATION_ARGUMENTS });
  return { type: "unavailable", why: `bubblewrap cannot start here: ${problem}` };
}

const NO_SANDBOX_REASONS = {
  win32: {
    why: "sandboxing is not available on Windows",
    advice: "run Pith in WSL 2, where bubblewrap works; see docs/platforms.md",
  },
  others: { why: `bubblewrap works only on Linux, and this is ${process.platform}` },
} as const;

/** Where no network namespace can be created and entered, or system calls cannot be filtered, commands have no network. */
async function detectNetwork(program: Bubblewrap): Promise<SandboxDetection> {
  const networkProblem = await findNetworkProblem(program);
  return { type: "available", program: networkProblem ? { ...program, nsenter: null } : program, networkProblem };
}

/** Creates a network namespace and enters it; null where that works. */
export async function findNetworkProblem(program: Bubblewrap): Promise<string | null> {
  if (program.nsenter === null) return "`nsenter` was not found; install util-linux";
  if (buildFilter({ unixSockets: false }) === null) return `no system call filter is available for ${process.arch}`;
  try {
    const namespace = await NetworkNamespace.open(program);
    const problem = await tryCommand(namespace.commandPrefix, program);
    await namespace.close();
    return problem && `commands cannot enter a network namespace here: ${problem}`;
  } catch (error) {
    return `a network namespace cannot be created here: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Runs `/bin/true` in a sandbox; returns the problem, or null. */
function tryCommand(
  commandPrefix: readonly string[],
  { path, isolationArguments }: Bubblewrap,
): Promise<string | null> {
  const filter = buildFilter({ unixSockets: false });
  const [program = path, ...prefixArgs] = [...commandPrefix, path];
  const args = [
    ...prefixArgs,
    ...isolationArguments,
    ...(filter ? ["--seccomp", "3"] : []),
    ...mountArguments([]),
    "/bin/true",
  ];
  return new Promise((resolve) => {
    const stdio: StdioOptions = ["ignore", "ignore", "pipe", "pipe"];
    const child = spawn(program, args, { stdio, cwd: "/", env: {}, timeout: TIMEOUT_MS });
    const [, , errorStream, pipe] = child.stdio;
    let errorOutput = "";
    errorStream?.on("data", (chunk: Buffer) => {
      errorOutput = (errorOutput + chunk.toString()).slice(-2_000);
    });
    // A process that ends before it has read the filter reports the reason itself.
    if (pipe instanceof Writable) pipe.on("error", () => {}).end(filter ?? "");
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) =>
      resolve(code === 0 ? null : errorOutput.trim() || `it exited with ${code ?? signal}`),
    );
  });
}
