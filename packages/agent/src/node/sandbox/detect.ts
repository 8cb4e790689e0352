/** Detects whether a sandbox can be made on this machine, by making one. */

import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { isWithin } from "../../text.ts";
import { type Box, type Bubblewrap, presentPath, presentPaths, TEMPORARY } from "./box.ts";
import { diskArguments } from "./mounts.ts";
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

function isExecutable(path: string): boolean {
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
  if (isWithin(root, real)) return "the workspace is the home itself, where shells find what they begin with";
  const obeyed = OBEYED.map((name) => join(real, name)).find((path) => isWithin(root, path));
  if (obeyed) return `the workspace holds ${obeyed}, whose files other programs obey`;
  const secret = secretPlacesIn(real).find((path) => isWithin(path, root));
  return secret ? `the workspace lies in ${secret}, where secrets are kept` : null;
}

export type SandboxHere =
  | { readonly type: "works"; readonly program: Bubblewrap }
  | { readonly type: "does-not"; readonly why: string };

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

export async function sandboxHere(place: Pick<Box, "root" | "home" | "environment">): Promise<SandboxHere> {
  if (process.platform !== "linux") return { type: "does-not", why: `there is no sandbox for ${process.platform} yet` };
  const root = presentPath(place.root) ?? place.root;
  const unfit = unfitRoot(root, place.home);
  if (unfit !== null) return { type: "does-not", why: unfit };
  const writable = [root, ...presentPaths(TEMPORARY)];
  const path = safeProgram({ name: "bwrap", folders: place.environment.PATH ?? "", writable });
  if (path === null) return { type: "does-not", why: "bubblewrap is not installed: there is no `bwrap`" };
  const complaint = await tried({ path, apart: FOR_GOOD });
  if (complaint === null) return { type: "works", program: { path, apart: FOR_GOOD } };
  if ((await tried({ path, apart: APART })) === null) return { type: "works", program: { path, apart: APART } };
  return { type: "does-not", why: `bubblewrap cannot start here: ${complaint}` };
}

/** Null where it went well. */
function tried({ path, apart }: Bubblewrap): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(path, [...apart, ...diskArguments([]), "/bin/true"], { timeout: LONGEST_MS }, (error, _, complaint) => {
      resolve(error && (complaint.trim() || error.message));
    });
  });
}
