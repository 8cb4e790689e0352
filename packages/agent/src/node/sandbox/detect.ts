/** Detects whether a sandbox can be made on this machine, by making one. */

import { type StdioOptions, spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { Writable } from "node:stream";
import { isWithin } from "../../text.ts";
import { type Box, presentPath, presentPaths } from "./box.ts";
import type { Bubblewrap } from "./bubblewrap.ts";
import { diskArguments } from "./mounts.ts";
import { NetworkNamespace } from "./network/namespace.ts";
import { findRuntime, type InstalledRuntime } from "./runtime/install.ts";
import { buildFilter } from "./seccomp.ts";
import { secretPlacesIn } from "./secret-places.ts";

export interface Sought {
  readonly name: string;
  /** As the variable PATH has them. */
  readonly folders: string;
  /** Folders in which commands may write. */
  readonly writable: readonly string[];
}

/**
 * The program runs outside every sandbox, so it must not lie where commands or other users could have put it. Its path through no link;
 * null where there is none.
 */
export function safeProgram({ name, folders, writable }: Sought): string | null {
  const isSafe = (path: string): boolean => !writable.some((each) => isWithin(each, path)) && isOwnersAlone(path);
  for (const folder of folders.split(delimiter).filter(isAbsolute)) {
    const real = presentPath(join(folder, name));
    if (real === null || !isExecutable(real)) continue;
    if ([presentPath(folder) ?? folder, dirname(real), real].every(isSafe)) return real;
  }
  return null;
}

/**
 * For a program that runs outside every sandbox: the environment without folders of `PATH` and other variables that lead to where
 * commands may write. By them it would run or believe what a command put there.
 */
export function safeEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  writable: readonly string[],
): Record<string, string> {
  const places = [...new Set([...writable, ...presentPaths(writable)])];
  const isSafe = (folder: string): boolean =>
    isAbsolute(folder) && !places.some((place) => isWithin(place, presentPath(folder) ?? folder));
  const safe = Object.entries(environment).flatMap(([name, value = ""]): readonly (readonly [string, string])[] => {
    if (name === "PATH") return [[name, value.split(delimiter).filter(isSafe).join(delimiter)]];
    return places.some((place) => value.includes(place)) ? [] : [[name, value]];
  });
  return Object.fromEntries(safe);
}

/** Whether it is a file that can be run. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Whatever it is, it cannot be run.
    return false;
  }
}

const OTHERS_WRITE = 0o002;

function isOwnersAlone(path: string): boolean {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? OTHERS_WRITE;
  return (mode & OTHERS_WRITE) === 0;
}

/** Within the home. */
const OBEYED: readonly string[] = [".config", ".gnupg", ".local/bin", ".local/share/systemd", ".ssh"];

/**
 * A command that writes in such a workspace controls what the user's next shell or program does. Why, or null where it is fit. All
 * absolute, and the root through no link.
 */
export function unfitRoot(root: string, home: string): string | null {
  if (root === "/") return "the workspace is the whole disk, and nothing would be outside it";
  const real = presentPath(home) ?? home;
  const holds = root === real ? "is your home folder" : "contains your home folder";
  if (isWithin(root, real))
    return `the workspace ${holds}, where shells read their settings; start pith in a project folder`;
  const obeyed = OBEYED.map((name) => join(real, name)).find((path) => isWithin(root, path));
  if (obeyed) return `the workspace holds ${obeyed}, whose files other programs obey`;
  const secret = secretPlacesIn(real).find((path) => isWithin(path, root));
  return secret ? `the workspace lies in ${secret}, where secrets are kept` : null;
}

export type SandboxHere =
  | {
      readonly type: "works";
      readonly program: Bubblewrap;
      /** Why commands have no network at all, whatever the settings say; null where they may have one. */
      readonly networkProblem: string | null;
    }
  | {
      readonly type: "does-not";
      readonly why: string;
      /** What to do about it, where there is something. */
      readonly advice?: string;
    };

/** What holds commands: on macOS the sandbox runtime, of which nothing is loaded before the first command. */
export type CommandSandbox = SandboxHere | { readonly type: "runtime"; readonly runtime: InstalledRuntime };

export interface SandboxPlace extends Pick<Box, "root" | "home" | "environment"> {
  /** Where the sandbox runtime is installed, on systems that have no bubblewrap. */
  readonly runtimeFolder: string;
  readonly platform?: NodeJS.Platform;
}

/** Namespaces of its own but for the network's, no capabilities, and no longer than whoever started it. */
const APART: readonly string[] = [
  "--unshare-user",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--die-with-parent",
  "--cap-drop",
  "ALL",
];
/** Nor may it make others. Versions before 0.8 do not know it; there the kernel alone keeps a command from undoing mounts. */
const FOR_GOOD: readonly string[] = [...APART, "--disable-userns"];

const LONGEST_MS = 10_000;

export async function findCommandSandbox(place: SandboxPlace): Promise<CommandSandbox> {
  const { root, home, runtimeFolder, platform = process.platform } = place;
  if (platform !== "darwin") return await sandboxHere({ ...place, platform });
  const unfit = unfitRoot(presentPath(root) ?? root, home);
  if (unfit !== null) return { type: "does-not", why: unfit };
  const found = findRuntime(runtimeFolder);
  return found.type === "installed"
    ? { type: "runtime", runtime: found.runtime }
    : { type: "does-not", why: found.why, advice: found.advice };
}

type BubblewrapPlace = Pick<SandboxPlace, "root" | "environment" | "platform">;

export async function sandboxHere(place: BubblewrapPlace & Pick<Box, "home">): Promise<SandboxHere> {
  const { platform = process.platform } = place;
  const root = presentPath(place.root) ?? place.root;
  const unfit = platform === "linux" ? unfitRoot(root, place.home) : null;
  return unfit !== null ? { type: "does-not", why: unfit } : await findSandbox(place);
}

/** For programs that do not work in the workspace, whatever that is. Nothing of the workspace is used to make a sandbox. */
export async function findSandbox({
  root,
  environment,
  platform = process.platform,
}: BubblewrapPlace): Promise<SandboxHere> {
  if (platform !== "linux") return { type: "does-not", ...NO_SANDBOX[platform === "win32" ? "win32" : "others"] };
  const writable = [presentPath(root) ?? root];
  const find = (name: string): string | null => safeProgram({ name, folders: environment.PATH ?? "", writable });
  const path = find("bwrap");
  if (path === null)
    return {
      ...{ type: "does-not", why: "bubblewrap is not installed: there is no `bwrap`" },
      advice: "install bubblewrap with your package manager, e.g. apt-get install bubblewrap",
    };
  const nsenter = find("nsenter");
  // Beside each other: a start waits for both, and where the first fails the second says nothing.
  const forGood: Bubblewrap = { path, nsenter, apart: FOR_GOOD };
  const [complaint, sandbox] = await Promise.all([tryCommand([], forGood), withNetwork(forGood)]);
  if (complaint === null) return sandbox;
  if ((await tryCommand([], { path, nsenter, apart: APART })) === null)
    return await withNetwork({ path, nsenter, apart: APART });
  return { type: "does-not", why: `bubblewrap cannot start here: ${complaint}` };
}

const NO_SANDBOX = {
  win32: {
    why: "there is no sandbox for Windows",
    advice: "run Pith in WSL 2, where bubblewrap holds commands; docs/platforms.md says how",
  },
  others: { why: `bubblewrap holds programs on Linux alone, and this is ${process.platform}` },
} as const;

/** Where no namespace can be made and entered, or calls cannot be filtered, commands run without any network. */
async function withNetwork(program: Bubblewrap): Promise<SandboxHere> {
  const networkProblem = await findNetworkProblem(program);
  return { type: "works", program: networkProblem ? { ...program, nsenter: null } : program, networkProblem };
}

/** By making one and entering it; null where commands can have a network. */
export async function findNetworkProblem(program: Bubblewrap): Promise<string | null> {
  if (program.nsenter === null) return "there is no `nsenter`, which comes with util-linux";
  if (buildFilter({ unixSockets: false }) === null) return `system calls are not filtered on ${process.arch} yet`;
  try {
    const namespace = await NetworkNamespace.open(program);
    const complaint = await tryCommand(namespace.enter, program);
    await namespace.close();
    return complaint && `no command can enter a network namespace here: ${complaint}`;
  } catch (error) {
    return `no network namespace can be made here: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Null where it went well. */
function tryCommand(enter: readonly string[], { path, apart }: Bubblewrap): Promise<string | null> {
  const filter = buildFilter({ unixSockets: false });
  const [program = path, ...before] = [...enter, path];
  const words = [...before, ...apart, ...(filter ? ["--seccomp", "3"] : []), ...diskArguments([]), "/bin/true"];
  return new Promise((resolve) => {
    const stdio: StdioOptions = ["ignore", "ignore", "pipe", "pipe"];
    const child = spawn(program, words, { stdio, cwd: "/", env: {}, timeout: LONGEST_MS });
    const [, , errors, pipe] = child.stdio;
    let complaint = "";
    errors?.on("data", (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(-2_000);
    });
    // One that ends before it has read the filter says why.
    if (pipe instanceof Writable) pipe.on("error", () => {}).end(filter ?? "");
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) =>
      resolve(code === 0 ? null : complaint.trim() || `it ended with ${code ?? signal}`),
    );
  });
}
