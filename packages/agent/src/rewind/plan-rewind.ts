/** What a move would do to the files, before anything is done: what can be put back, and what stands in the way. */

import { hashOf } from "../bytes/hash-of.ts";
import type { WorkspaceFiles } from "../workspace.ts";
import type { Originals } from "./originals.ts";
import { type Crossing, type WantedFile, wantedFiles } from "./wanted-files.ts";

export interface RewindParts {
  readonly files: WorkspaceFiles;
  readonly originals: Originals;
}

export interface PlannedFile extends WantedFile {
  readonly type: Verdict;
  /** The hash of what is there; null where nothing is, `unreadable` where that cannot be told. */
  readonly now: string | null;
}

export type Verdict =
  /** It is as the session left it, and can be put back. */
  | "restore"
  /** It is as the session left it, and was not there before. */
  | "remove"
  /** It is already as it should be. */
  | "same"
  /** Somebody else changed it since. */
  | "conflict"
  /** The bytes were not kept. */
  | "lost";

/** One for each file that was changed on the way; nothing is touched. */
export async function planRewind(crossing: Crossing, parts: RewindParts): Promise<readonly PlannedFile[]> {
  const planned: PlannedFile[] = [];
  // One after the other: each may have megabytes.
  for (const wanted of wantedFiles(crossing)) planned.push(await plannedFile(wanted, parts));
  return planned;
}

/** How it stands at this moment. */
export async function plannedFile(wanted: WantedFile, { files, originals }: RewindParts): Promise<PlannedFile> {
  const now = await hashAt(wanted.path, files);
  return { ...wanted, type: await verdictOn(wanted, now, originals), now };
}

async function hashAt(path: string, files: WorkspaceFiles): Promise<string | null> {
  const found = await files.read(path);
  if (found.type === "read") return await hashOf(found.bytes);
  return found.type === "missing" ? null : "unreadable";
}

async function verdictOn({ expected, target }: WantedFile, now: string | null, originals: Originals): Promise<Verdict> {
  if (now === target) return "same";
  if (now !== expected) return "conflict";
  // BACK4: nothing is removed on a session's word alone. What was kept was written here, and can come back.
  const needed = target ?? now;
  if (needed === null || (await originals.read(needed)) === null) return "lost";
  return target === null ? "remove" : "restore";
}
