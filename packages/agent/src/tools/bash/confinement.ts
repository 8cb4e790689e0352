/** Where a command runs: held by a sandbox or not, and what a model is told when the sandbox got in its way. */

import type { ShellEnd, WorkspaceShell } from "../../workspace.ts";

export interface Sandbox {
  /** The shell outside it, for what the user lets out. */
  readonly unconfined: WorkspaceShell;
  readonly network: boolean;
  /** Whether commands may write in the workspace. */
  readonly mayWrite: () => boolean;
}

const DENIAL =
  /read-only file system|permission denied|operation not permitted|device or resource busy|\bE(?:ROFS|ACCES|PERM|BUSY)\b|docker daemon|authentication agent/i;
const UNREACHABLE =
  /network is unreachable|could not resolve|name resolution|name or service not known|\b(?:ENETUNREACH|EAI_AGAIN|ENOTFOUND|ECONNREFUSED)\b|connection refused/i;

/** Null where the failure looks like the command's own. */
export function denialNote(text: string, end: ShellEnd | null, sandbox: Sandbox): string | null {
  if (end?.type !== "ended" || end.exitCode === 0) return null;
  const isOffline = !sandbox.network && UNREACHABLE.test(text);
  return isOffline || DENIAL.test(text) ? noteOn(sandbox) : null;
}

function noteOn({ network, mayWrite }: Sandbox): string {
  const reach = network ? "" : " and has no network";
  if (!mayWrite()) return `This ran in a sandbox, which now writes only temporary files, not the workspace${reach}.`;
  return (
    `This ran in a sandbox, which writes only in the workspace (not .git/config, .git/hooks, .vscode and the like), in temporary folders and package caches${reach}. ` +
    "If that stopped it, run it with `outside: true`: the user is asked."
  );
}
