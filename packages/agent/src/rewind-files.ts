/**
 * Restores files to their state at another entry of the session. Never overwrites changes of others, and never writes where the user's
 * permissions do not allow it: a session file is untrusted data and can name any path.
 */

import type { Entry } from "@pith/context";
import { isBlobHash } from "@pith/context/host";
import type { FileOriginals, WorkspaceFiles } from "./ports.ts";
import { hashBytes } from "./text.ts";

export interface FileChange {
  /** An absolute path. */
  readonly path: string;
  /** The hash of the old content; null if there was no file. */
  readonly before: string | null;
  readonly after: string;
  /** The sides whose bytes could not be kept; absent if both were kept. */
  readonly unkept?: readonly ChangeSide[];
  /** The file had been changed since the model read it. */
  readonly isStale?: boolean;
}

export type ChangeSide = "before" | "after";

/** All changes in the order of the entries. Changes by shell commands are not included. */
export function collectFileChanges(entries: readonly Entry[]): readonly FileChange[] {
  return entries.flatMap((entry) => {
    const details = readFileDetails(entry);
    return details && isFileChange(details)
      ? [{ path: details.path, before: details.before, after: details.after }]
      : [];
  });
}

/** The details of the result of a file tool; null for any other entry. */
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

// The details come from a file and are not trusted.
function isFileChange(
  details: Readonly<Record<string, unknown>>,
): details is Readonly<Record<string, unknown>> & FileChange {
  const { path, before, after } = details;
  return typeof path === "string" && (before === null || isBlobHash(before)) && isBlobHash(after);
}

/** The entries between the two ends of a move, the oldest first. */
export interface MovePath {
  /** From after the common ancestor to the old leaf. */
  readonly leftEntries: readonly Entry[];
  /** From after the common ancestor to the target. */
  readonly reachedEntries: readonly Entry[];
}

/** Contents are given as hashes; null means no file. */
export interface FileTarget {
  readonly path: string;
  /** The content that the session wrote last. */
  readonly expectedHash: string | null;
  /** The content at the target of the move. */
  readonly targetHash: string | null;
  /** Others changed the file between two changes of the session. These changes are undone too. */
  readonly hasForeignChanges: boolean;
}

/** Every file that changed between the two ends of the move, in the order of the first change. */
function findFileTargets({ leftEntries, reachedEntries }: MovePath): readonly FileTarget[] {
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

/** Options of restoring files. */
export interface RewindOptions {
  readonly files: WorkspaceFiles;
  readonly originals: FileOriginals;
  /** Called with the absolute path of each file, before it is read and again before it is written. */
  readonly checkPermission: CheckRestorePermission;
}

/** Checks whether a file may be restored. */
export type CheckRestorePermission = (path: string) => Promise<RestorePermission>;

/** Whether a file may be restored. */
export type RestorePermission =
  /** `realPath` is the path with all links resolved. Only this file is opened. */
  { readonly type: "permitted"; readonly realPath: string } | { readonly type: "refused"; readonly why: string };

/** A file that a rewind would change, and whether it can. */
export interface PlannedFile extends FileTarget {
  readonly type: RestoreVerdict;
  /** The hash of the current content; null if there is no file, `unreadable` if it cannot be read. */
  readonly currentHash: string | null;
  /** Why it is not permitted; absent for other verdicts. */
  readonly why?: string;
}

/** What a rewind would do with a file. */
export type RestoreVerdict =
  /** The file is as the session left it, and can be restored. */
  | "restore"
  /** The file is as the session left it, and did not exist before. */
  | "remove"
  /** The file already has the target content. */
  | "same"
  /** Others changed the file since. */
  | "conflict"
  /** The bytes were not kept. */
  | "lost"
  /** The file is not read or written; the other files are restored. */
  | "not-permitted";

/** Plans what to do with each changed file. No file is touched. */
export async function planRewind(path: MovePath, options: RewindOptions): Promise<readonly PlannedFile[]> {
  const planned: PlannedFile[] = [];
  // One after the other, because each may have megabytes.
  for (const target of findFileTargets(path)) planned.push((await checkFile(target, options)).planned);
  return planned;
}

interface FileCheck {
  readonly planned: PlannedFile;
  /** The real path that was permitted; null if it was not. */
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
  // BACK4: a file is removed only if its bytes are kept, which shows that this session wrote it. It can then be restored.
  const neededHash = targetHash ?? currentHash;
  if (neededHash === null || (await originals.read(neededHash)) === null) return "lost";
  return targetHash === null ? "remove" : "restore";
}

export interface RewindFilesOptions extends RewindOptions {
  /** Restores only these paths. */
  readonly only?: readonly string[];
}

/** The result of restoring files. */
export type RewindResult =
  /** Without files that already had the target content. */
  | { readonly type: "rewound"; readonly files: readonly RewindFileResult[] }
  /** No file was touched, because these were changed by others or their bytes were not kept. */
  | { readonly type: "refused"; readonly conflicts: readonly PlannedFile[] };

/** What a rewind did with one file. */
export type RewindFileResult =
  | { readonly type: "restored" | "removed"; readonly path: string }
  /** `skipped`: restoring it is not permitted. */
  | { readonly type: "failed" | "skipped"; readonly path: string; readonly message: string };

/** Restores all files of the plan, or all that `only` names. Every file is checked again first. */
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
  if (targetHash !== null && bytes === null)
    return { type: "failed", path, message: `${path} was not restored: its earlier content is no longer stored` };
  const result = bytes ? await files.write(path, bytes, { realPath }) : await files.remove(path, { realPath });
  if (result.type === "refused") return { type: "failed", path, message: result.message };
  return { type: bytes ? "restored" : "removed", path };
}
