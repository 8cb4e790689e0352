/** Whether what a folder holds counts: only what somebody has trusted, byte for byte. Nothing in the folder can say so itself. */

import type { HeldFile, Holdings } from "./holding/held-file.ts";
import { holdings } from "./holding/holdings.ts";
import type { Kind } from "./holding/what-can-run.ts";
import type { Change } from "./keeping/changes.ts";

export interface TrustPlaces {
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  /** What `~` stands for. */
  readonly userHome: string;
  /** Whether the user said so for this call; nothing of it is kept. */
  readonly always?: boolean;
}

export type TrustedFolder = Trusted | Untrusted;

export interface Trusted {
  readonly type: "trusted";
  /** With the very bytes that were trusted: nothing is read a second time. */
  readonly holds: Holdings;
  readonly notes: readonly string[];
}

export interface Untrusted {
  readonly type: "untrusted";
  /** `changed`: it was trusted, and is not the same any more. */
  readonly why: "never" | "changed";
  /** May be nothing at all: then there is nothing to trust. */
  readonly holds: Holdings;
  /** Since it was trusted. */
  readonly changes: readonly Change[];
  readonly notes: readonly string[];
}

export async function trustedFolder({ cwd, home, userHome, always = false }: TrustPlaces): Promise<TrustedFolder> {
  const holds = await holdings({ cwd, home, userHome });
  if (holds.files.length === 0) return { type: "untrusted", why: "never", holds, changes: [], notes: [] };
  return always ? { type: "trusted", holds, notes: [] } : await compared(holds, home);
}

async function compared(holds: Holdings, home: string): Promise<TrustedFolder> {
  // Most folders hold nothing, and their users do not wait for this.
  const [{ readTrust }, { changesSince }] = await Promise.all([
    import("./keeping/trust-file.ts"),
    import("./keeping/changes.ts"),
  ]);
  const { projects, notes } = await readTrust(home);
  const record = projects.get(holds.root);
  if (!record) return { type: "untrusted", why: "never", holds, changes: [], notes };
  const changes = changesSince(record, holds);
  if (changes.length === 0) return { type: "trusted", holds, notes };
  return { type: "untrusted", why: "changed", holds, changes, notes };
}

/** Of one kind, those of the root first; none where the folder is not trusted. */
export function trustedFiles(folder: TrustedFolder, kind: Kind): readonly HeldFile[] {
  return folder.type === "trusted" ? folder.holds.files.filter((file) => file.kind === kind) : [];
}
