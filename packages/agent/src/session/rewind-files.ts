/**
 * Restores files as they were at another entry of the session. Never overwrites what the session did not leave there, and never writes
 * where the user's permissions do not reach: a session file is data from outside, and can name any path.
 */

import type { Entry } from "@pith/context";
import { isBlobHash } from "@pith/context/host";
import type { FileOriginals, WorkspaceFiles } from "../ports.ts";
import { hashBytes } from "../text.ts";

export interface FileChange {
  /** Absolute. */
  readonly path: string;
  /** The hash of what was there; null where no file was. */
  readonly before: string | null;
  readonly after: string;
  /** Of which the bytes could not be kept; absent where both were. */
  readonly unkept?: readonly ChangeSide[];
}

export type ChangeSide = "before" | "after";

/** In the order of the entries; a file that was changed again comes again. What a shell command changed is not included. */
export function collectFileChanges(entries: readonly Entry[]): readonly FileChange[] {
  return entries.flatMap((entry) => {
    const details = readFileDetails(entry);
    return details && isFileChange(details)
      ? [{ path: details.path, before: details.before, after: details.after }]
      : [];
  });
}

/** What the result of a file tool keeps in its details; null for any other entry. */
export function readFileDetails(entry: Entry): Readonly<Record<string, unknown>> | null {
  if (entry.type !== "message" || entry.message.role !== "toolResult") return null;
  const { toolName, isError, details } = entry.message;
  if (isError || !FILE_TOOLS.includes(toolName)) return null;
  return toRecord(toRecord(details)?.pith);
}

const FILE_TOOLS: readonly string[] = ["read", "write", "edit"];

function toRecord(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null ? { ...value } : null;
}

// It comes from a file, so nothing in it is taken on trust.
function isFileChange(
  details: Readonly<Record<string, unknown>>,
): details is Readonly<Record<string, unknown>> & FileChange {
  const { path, before, after } = details;
  return typeof path === "string" && (before === null || isBlobHash(before)) && isBlobHash(after);
}

/** The entries that a move crosses, both as they stand on their branches, the oldest first. */
export interface MovePath {
  /** From behind the place where the branches part to the leaf that is left. */
  readonly leftEntries: readonly Entry[];
  /** From there to the place moved to. */
  readonly reachedEntries: readonly Entry[];
}

/** Contents are named by their hashes; null stands for no file. */
export interface FileTarget {
  readonly path: string;
  /** As the session left it. */
  readonly expectedHash: string | null;
  /** As it was where the move leads. */
  readonly targetHash: string | null;
  /** Others changed it between two changes of the session: that is undone with them. */
  readonly hasForeignChanges: boolean;
}

/** Every file that was changed on the way, in the order of the first change. */
export function findFileTargets({ leftEntries, reachedEntries }: MovePath): readonly FileTarget[] {
  const [undone, redone] = [groupByPath(leftEntries), groupByPath(reachedEntries)];
  const paths = new Set([...undone.keys(), ...redone.keys()]);
  return [...paths].map((path) => createFileTarget(path, undone.get(path) ?? [], redone.get(path) ?? []));
}

function groupByPath(entries: readonly Entry[]): ReadonlyMap<string, readonly FileChange[]> {
  return Map.groupBy(collectFileChanges(entries), ({ path }) => path);
}

function createFileTarget(path: string, undone: readonly FileChange[], redone: readonly FileChange[]): FileTarget {
  const startHash = (undone[0] ?? redone[0])?.before ?? null;
  const endHash = (changes: readonly FileChange[]): string | null => changes.at(-1)?.after ?? startHash;
  const hasForeignChanges = [undone, redone].some(hasForeignChange);
  return { path, expectedHash: endHash(undone), targetHash: endHash(redone), hasForeignChanges };
}

function hasForeignChange(changes: readonly FileChange[]): boolean {
  return changes.some(({ before }, index) => index > 0 && changes[index - 1]?.after !== before);
}

export interface RewindOptions {
  readonly files: WorkspaceFiles;
  readonly originals: FileOriginals;
  /** Asked with the absolute path of each file, before it is read and again before it is written. */
  readonly checkPermission: CheckRestorePermission;
}

export type CheckRestorePermission = (path: string) => Promise<RestorePermission>;

export type RestorePermission =
  /** `real` is where the path leads, every link followed: only that is opened. */
  { readonly type: "permitted"; readonly realPath: string } | { readonly type: "refused"; readonly why: string };

export interface PlannedFile extends FileTarget {
  readonly type: RestoreVerdict;
  /** The hash of what is there; null where nothing is, `refuseUnreadable` where that cannot be told. */
  readonly currentHash: string | null;
  /** Why it is not permitted; absent for every other verdict. */
  readonly why?: string;
}

export type RestoreVerdict =
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
export async function planRewind(path: MovePath, options: RewindOptions): Promise<readonly PlannedFile[]> {
  const planned: PlannedFile[] = [];
  // One after the other: each may have megabytes.
  for (const target of findFileTargets(path)) planned.push(await planFile(target, options));
  return planned;
}

/** How it stands at this moment. */
export async function planFile(target: FileTarget, options: RewindOptions): Promise<PlannedFile> {
  return (await checkFile(target, options)).planned;
}

interface FileCheck {
  readonly planned: PlannedFile;
  /** Where it led when it was permitted; null where it was not. */
  readonly realPath: string | null;
}

async function checkFile(target: FileTarget, { files, originals, checkPermission }: RewindOptions): Promise<FileCheck> {
  const { path, expectedHash, targetHash, hasForeignChanges } = target;
  const fileTarget: FileTarget = { path, expectedHash, targetHash, hasForeignChanges };
  const permission = await checkPermission(files.resolve(path));
  if (permission.type === "refused") {
    const planned: PlannedFile = {
      ...fileTarget,
      type: "not-permitted",
      currentHash: "unreadable",
      why: permission.why,
    };
    return { planned, realPath: null };
  }
  const { realPath } = permission;
  const currentHash = await readHash(path, { files, realPath });
  return {
    planned: { ...fileTarget, type: await chooseVerdict(fileTarget, currentHash, originals), currentHash },
    realPath,
  };
}

async function readHash(
  path: string,
  { files, realPath }: { readonly files: WorkspaceFiles; readonly realPath: string },
): Promise<string | null> {
  const file = await files.read(path, { realPath });
  if (file.type === "read") return await hashBytes(file.bytes);
  return file.type === "missing" ? null : "unreadable";
}

async function chooseVerdict(
  { expectedHash, targetHash }: FileTarget,
  currentHash: string | null,
  originals: FileOriginals,
): Promise<RestoreVerdict> {
  if (currentHash === targetHash) return "same";
  if (currentHash !== expectedHash) return "conflict";
  // BACK4: nothing is removed on a session's word alone. What was kept was written here, and can come back.
  const neededHash = targetHash ?? currentHash;
  if (neededHash === null || (await originals.read(neededHash)) === null) return "lost";
  return targetHash === null ? "remove" : "restore";
}

export interface RewindFilesOptions extends RewindOptions {
  /** Only these, whatever becomes of the others. */
  readonly only?: readonly string[];
}

export type RewindResult =
  /** Those that are as they should be are not among them. */
  | { readonly type: "rewound"; readonly files: readonly RewindFileResult[] }
  /** Nothing was touched, because of these: somebody else's work, or bytes that were not kept. */
  | { readonly type: "refused"; readonly conflicts: readonly PlannedFile[] };

export type RewindFileResult =
  | { readonly type: "restored" | "removed"; readonly path: string }
  /** `skipped`: it lies where files are not restored. */
  | { readonly type: "failed" | "skipped"; readonly path: string; readonly message: string };

/** All of the plan or, of the files that are named, all; each is looked at once more before. */
export async function rewindFiles(plan: readonly PlannedFile[], options: RewindFilesOptions): Promise<RewindResult> {
  const { only } = options;
  const checks: FileCheck[] = [];
  for (const file of plan) if (!only || only.includes(file.path)) checks.push(await checkFile(file, options));
  const conflicts = checks.map(({ planned }) => planned).filter(({ type }) => type === "conflict" || type === "lost");
  if (conflicts.length > 0) return { type: "refused", conflicts };
  const files: RewindFileResult[] = [];
  for (const check of checks) if (check.planned.type !== "same") files.push(await restoreFile(check, options));
  return { type: "rewound", files };
}

async function restoreFile(
  { planned, realPath }: FileCheck,
  { files, originals }: RewindOptions,
): Promise<RewindFileResult> {
  const { path, targetHash, why } = planned;
  if (realPath === null) return { type: "skipped", path, message: `${path} was not restored: ${why}` };
  const bytes = targetHash === null ? null : await originals.read(targetHash);
  if (targetHash !== null && bytes === null) return { type: "failed", path, message: `${path} is no longer kept` };
  const result = bytes ? await files.write(path, bytes, { realPath }) : await files.remove(path, { realPath });
  if (result.type === "refused") return { type: "failed", path, message: result.message };
  return { type: bytes ? "restored" : "removed", path };
}
