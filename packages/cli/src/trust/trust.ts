/** Decides whether a folder is trusted: only files the user has trusted count, byte for byte. Nothing in the folder can grant trust. */

import { oneLine } from "../text/safe-text.ts";
import { holdings } from "./project-files.ts";
import { type HeldFile, type Holdings, type Kind, whatCanRun } from "./read-files.ts";
import type { Change } from "./trust-file.ts";

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
  const { readTrust, changesSince } = await import("./trust-file.ts");
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

export function kindsIn(files: readonly Pick<HeldFile, "kind">[]): readonly Kind[] {
  const there = new Set(files.map(({ kind }) => kind));
  return [...new Set(whatCanRun.map(({ kind }) => kind))].filter((kind) => there.has(kind));
}

/** Null where there is nothing to say: all that it holds is used. */
export function untrustedNote(folder: TrustedFolder): string | null {
  if (folder.type === "trusted" || folder.holds.files.length === 0) return unreadNote(folder.holds);
  const { holds, why, changes } = folder;
  const unused = `so its ${listed(kindsIn(holds.files))} are not used; look with: pith trust --show, then: pith trust`;
  if (why === "never") return `this folder is not trusted, ${unused}`;
  const changed = changes.length === 1 ? `${oneLine(changes[0]?.name ?? "")} has` : `${changes.length} files have`;
  return `${changed} changed since this folder was trusted, ${unused}`;
}

/** What trust does not help with. */
function unreadNote({ unread: [first, ...others] }: Holdings): string | null {
  if (!first) return null;
  const more = others.length === 0 ? "" : `, nor ${others.length} more, which pith trust --show names`;
  return `${oneLine(first.name)} ${first.why}, so it is not used${more}`;
}

function listed(kinds: readonly string[]): string {
  const last = kinds.at(-1) ?? "";
  return kinds.length < 2 ? last : `${kinds.slice(0, -1).join(", ")} and ${last}`;
}
