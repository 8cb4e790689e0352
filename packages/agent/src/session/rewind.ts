/**
 * Restores files as they were at another entry of the session. Never overwrites what the session did not leave there, and never writes
 * where the user's permissions do not reach: a session file is data from outside, and can name any path.
 */

import type { Entry } from "@pith/context";
import { isBlobHash } from "@pith/context/host";
import type { WorkspaceFiles } from "../ports.ts";
import { hashOf } from "../text.ts";

export interface FileChange {
  /** Absolute. */
  readonly path: string;
  /** The hash of what was there; null where no file was. */
  readonly before: string | null;
  readonly after: string;
  /** Of which the bytes could not be kept; absent where both were. */
  readonly unkept?: readonly Side[];
}

export type Side = "before" | "after";

/** In the order of the entries; a file that was changed again comes again. What a shell command changed is not included. */
export function fileChanges(entries: readonly Entry[]): readonly FileChange[] {
  return entries.flatMap((entry) => {
    const told = toldOfFile(entry);
    return told && isChange(told) ? [{ path: told.path, before: told.before, after: told.after }] : [];
  });
}

/** What the result of a file tool keeps in its details; null for any other entry. */
export function toldOfFile(entry: Entry): Readonly<Record<string, unknown>> | null {
  if (entry.type !== "message" || entry.message.role !== "toolResult") return null;
  const { toolName, isError, details } = entry.message;
  if (isError || !FILE_TOOLS.includes(toolName)) return null;
  return fieldsOf(fieldsOf(details)?.pith);
}

const FILE_TOOLS: readonly string[] = ["read", "write", "edit"];

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null ? { ...value } : null;
}

// It comes from a file, so nothing in it is taken on trust.
function isChange(told: Readonly<Record<string, unknown>>): told is Readonly<Record<string, unknown>> & FileChange {
  const { path, before, after } = told;
  return typeof path === "string" && (before === null || isBlobHash(before)) && isBlobHash(after);
}

/** The port to the bytes that a session replaced and wrote, for moves back and forth. They are never exported, indexed or sent. */
export interface Originals {
  /** The hash of what is now kept; null where it cannot be: too large, or the disk refuses. Never throws. */
  keep(bytes: Uint8Array): Promise<string | null>;
  /** Exactly what was kept under this hash; null where it is not there, or no longer as it was. */
  read(hash: string): Promise<Uint8Array | null>;
}

/** The entries that a move crosses, both as they stand on their branches, the oldest first. */
export interface Crossing {
  /** From behind the place where the branches part to the leaf that is left. */
  readonly left: readonly Entry[];
  /** From there to the place moved to. */
  readonly reached: readonly Entry[];
}

/** Contents are named by their hashes; null stands for no file. */
export interface WantedFile {
  readonly path: string;
  /** As the session left it. */
  readonly expected: string | null;
  /** As it was where the move leads. */
  readonly target: string | null;
  /** Others changed it between two changes of the session: that is undone with them. */
  readonly hasOthersWork: boolean;
}

/** Every file that was changed on the way, in the order of the first change. */
export function wantedFiles({ left, reached }: Crossing): readonly WantedFile[] {
  const [undone, redone] = [byPath(left), byPath(reached)];
  const paths = new Set([...undone.keys(), ...redone.keys()]);
  return [...paths].map((path) => wantedFile(path, undone.get(path) ?? [], redone.get(path) ?? []));
}

function byPath(entries: readonly Entry[]): ReadonlyMap<string, readonly FileChange[]> {
  return Map.groupBy(fileChanges(entries), ({ path }) => path);
}

function wantedFile(path: string, undone: readonly FileChange[], redone: readonly FileChange[]): WantedFile {
  const start = (undone[0] ?? redone[0])?.before ?? null;
  const end = (changes: readonly FileChange[]): string | null => changes.at(-1)?.after ?? start;
  const hasOthersWork = [undone, redone].some(isBroken);
  return { path, expected: end(undone), target: end(redone), hasOthersWork };
}

function isBroken(changes: readonly FileChange[]): boolean {
  return changes.some(({ before }, at) => at > 0 && changes[at - 1]?.after !== before);
}

export interface RewindParts {
  readonly files: WorkspaceFiles;
  readonly originals: Originals;
  /** Asked with the absolute path of each file, before it is read and again before it is written. */
  readonly permitRestore: PermitRestore;
}

export type PermitRestore = (path: string) => Promise<RestorePermit>;

export type RestorePermit =
  /** `real` is where the path leads, every link followed: only that is opened. */
  { readonly type: "permitted"; readonly real: string } | { readonly type: "refused"; readonly why: string };

export interface PlannedFile extends WantedFile {
  readonly type: Verdict;
  /** The hash of what is there; null where nothing is, `unreadable` where that cannot be told. */
  readonly now: string | null;
  /** Why it is not permitted; absent for every other verdict. */
  readonly why?: string;
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
  | "lost"
  /** It lies where files are not restored; it is neither read nor written, and the others are restored without it. */
  | "not-permitted";

/** One for each file that was changed on the way; nothing is touched. */
export async function planRewind(crossing: Crossing, parts: RewindParts): Promise<readonly PlannedFile[]> {
  const planned: PlannedFile[] = [];
  // One after the other: each may have megabytes.
  for (const wanted of wantedFiles(crossing)) planned.push(await plannedFile(wanted, parts));
  return planned;
}

/** How it stands at this moment. */
export async function plannedFile(wanted: WantedFile, parts: RewindParts): Promise<PlannedFile> {
  return (await lookAt(wanted, parts)).planned;
}

interface Look {
  readonly planned: PlannedFile;
  /** Where it led when it was permitted; null where it was not. */
  readonly real: string | null;
}

async function lookAt(file: WantedFile, { files, originals, permitRestore }: RewindParts): Promise<Look> {
  const { path, expected, target, hasOthersWork } = file;
  const wanted: WantedFile = { path, expected, target, hasOthersWork };
  const permit = await permitRestore(files.resolve(path));
  if (permit.type === "refused") {
    const planned: PlannedFile = { ...wanted, type: "not-permitted", now: "unreadable", why: permit.why };
    return { planned, real: null };
  }
  const { real } = permit;
  const now = await hashAt(path, { files, real });
  return { planned: { ...wanted, type: await verdictOn(wanted, now, originals), now }, real };
}

async function hashAt(
  path: string,
  { files, real }: { readonly files: WorkspaceFiles; readonly real: string },
): Promise<string | null> {
  const found = await files.read(path, { real });
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

export interface RewindAct extends RewindParts {
  /** Only these, whatever becomes of the others. */
  readonly only?: readonly string[];
}

export type Rewound =
  /** Those that are as they should be are not among them. */
  | { readonly type: "rewound"; readonly files: readonly RewoundFile[] }
  /** Nothing was touched, because of these: somebody else's work, or bytes that were not kept. */
  | { readonly type: "refused"; readonly because: readonly PlannedFile[] };

export type RewoundFile =
  | { readonly type: "restored" | "removed"; readonly path: string }
  /** `skipped`: it lies where files are not restored. */
  | { readonly type: "failed" | "skipped"; readonly path: string; readonly message: string };

/** All of the plan or, of the files that are named, all; each is looked at once more before. */
export async function rewindFiles(plan: readonly PlannedFile[], act: RewindAct): Promise<Rewound> {
  const { only } = act;
  const chosen: Look[] = [];
  for (const file of plan) if (!only || only.includes(file.path)) chosen.push(await lookAt(file, act));
  const because = chosen.map(({ planned }) => planned).filter(({ type }) => type === "conflict" || type === "lost");
  if (because.length > 0) return { type: "refused", because };
  const files: RewoundFile[] = [];
  for (const look of chosen) if (look.planned.type !== "same") files.push(await rewound(look, act));
  return { type: "rewound", files };
}

async function rewound({ planned, real }: Look, { files, originals }: RewindParts): Promise<RewoundFile> {
  const { path, target, why } = planned;
  if (real === null) return { type: "skipped", path, message: `${path} was not restored: ${why}` };
  const bytes = target === null ? null : await originals.read(target);
  if (target !== null && bytes === null) return { type: "failed", path, message: `${path} is no longer kept` };
  const done = bytes ? await files.write(path, bytes, { real }) : await files.remove(path, { real });
  if (done.type === "refused") return { type: "failed", path, message: done.message };
  return { type: bytes ? "restored" : "removed", path };
}
