/** Whether a sandbox can be made on this machine: tried once, for real. */

import { execFile } from "node:child_process";
import type { Box, Bubblewrap } from "./box.ts";
import { diskArguments } from "./layout/mounts.ts";
import { presentPath } from "./layout/present-path.ts";
import { writableOf } from "./layout/writable.ts";
import { safeProgram } from "./safe-program.ts";
import { unfitRoot } from "./unfit-root.ts";

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
  const { temporary, caches } = writableOf(place);
  const writable = [root, ...temporary, ...caches];
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
