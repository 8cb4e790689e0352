/** Whether a sandbox can be made on this machine: tried once, for real. */

import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

export interface Bubblewrap {
  readonly path: string;
  /** What keeps a command apart, as far as this version knows it. */
  readonly apart: readonly string[];
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
/** In whose `/proc` nothing can be written either: to root it would be the settings of the machine. */
export const WHOLE_DISK: readonly string[] = [
  "--ro-bind",
  "/",
  "/",
  "--dev",
  "/dev",
  "--proc",
  "/proc",
  "--remount-ro",
  "/proc",
];

const LONGEST_MS = 10_000;

export async function sandboxHere(environment: Readonly<Record<string, string | undefined>>): Promise<SandboxHere> {
  if (process.platform !== "linux") return { type: "does-not", why: `there is no sandbox for ${process.platform} yet` };
  const path = await found("bwrap", environment.PATH ?? "");
  if (path === null) return { type: "does-not", why: "bubblewrap is not installed: there is no `bwrap`" };
  const complaint = await tried({ path, apart: FOR_GOOD });
  if (complaint === null) return { type: "works", program: { path, apart: FOR_GOOD } };
  if ((await tried({ path, apart: APART })) === null) return { type: "works", program: { path, apart: APART } };
  return { type: "does-not", why: `bubblewrap cannot start here: ${complaint}` };
}

async function found(name: string, path: string): Promise<string | null> {
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const program = join(folder, name);
    const isThere = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return program;
  }
  return null;
}

/** Null where it went well. */
function tried({ path, apart }: Bubblewrap): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(path, [...apart, ...WHOLE_DISK, "/bin/true"], { timeout: LONGEST_MS }, (error, _, complaint) => {
      resolve(error && (complaint.trim() || error.message));
    });
  });
}
