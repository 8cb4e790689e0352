/** Stores which project files the user has trusted or declined. A trust file that another user could have written is not used. */

import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { decodeText, unifiedDiff } from "@pith/agent";
import { moveAside, readOwnedFile, syncFolder, withLock, writeOwnerOnlyFile } from "@pith/agent/node";
import type { Redaction } from "@pith/context";
import { isObject, parseJsonObject } from "@pith/host/text/jsonc";
import type { TrustChange } from "@pith/host/trust/folder-trust";
import {
  hashProject,
  type ProjectFile,
  type ProjectFiles,
  toRelativeName,
  trustRequiredPaths,
} from "@pith/host/trust/project-files";

export interface TrustRecords {
  /** The records by the real path of the project's root. */
  readonly projects: ReadonlyMap<string, TrustRecord>;
  /** Why no folder is trusted, shown to the user. */
  readonly notes: readonly string[];
}

export type SaveTrustResult = { readonly type: "saved" } | { readonly type: "failed"; readonly message: string };

/** Trusts no folder if the file is damaged or cannot be trusted itself. */
export async function readTrust(home: string): Promise<TrustRecords> {
  const result = await readTrustFile(trustFilePath(home)).catch(toUnreadableResult);
  if (result.type === "read") return { projects: result.projects, notes: [] };
  return { projects: new Map(), notes: [`${result.why}, so no folder is trusted`] };
}

/** Replaces the whole file under a lock, so that records that other processes save at the same time are kept. */
export async function saveTrust(
  root: string,
  { home, updateRecord }: { readonly home: string; readonly updateRecord: RecordUpdate },
): Promise<SaveTrustResult> {
  const file = trustFilePath(home);
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    return await withLock(file, async (holdsLock) => {
      const result = await readTrustFile(file);
      if (result.type === "untrusted")
        return { type: "failed", message: `${result.why}, so the trust file was not changed` };
      if (result.type === "damaged") await moveAside(file);
      const projects = result.type === "read" ? result.projects : new Map<string, TrustRecord>();
      await writeTrustFile(file, applyRecordUpdate(projects, root, updateRecord), holdsLock);
      return { type: "saved" };
    });
  } catch (error) {
    return { type: "failed", message: `${file} cannot be written: ${(error as Error).message}` };
  }
}

/** Computes the new record from the previous one. Null removes the record. */
export type RecordUpdate = (before: TrustRecord | undefined) => TrustRecord | null;

type TrustFileResult =
  | { readonly type: "read"; readonly projects: ReadonlyMap<string, TrustRecord> }
  | { readonly type: "damaged" | "untrusted"; readonly why: string };

async function readTrustFile(file: string): Promise<TrustFileResult> {
  const result = await readOwnedFile(file, MAX_TRUST_FILE_BYTES);
  if (result.type === "untrusted") return result;
  if (result.type === "none") return { type: "read", projects: new Map() };
  const value = parseJsonObject(result.text) ?? {};
  if (typeof value.version === "number" && value.version > 1)
    return { type: "untrusted", why: `${file} was written by a newer version of Pith` };
  const projects = isObject(value.projects) ? Object.entries(value.projects) : null;
  if (value.version !== 1 || !projects?.every(isProjectEntry)) return { type: "damaged", why: `${file} is damaged` };
  return { type: "read", projects: new Map(projects as [string, TrustRecord][]) };
}

function isProjectEntry([, record]: [string, unknown]): boolean {
  return (
    isObject(record) &&
    typeof record.trusted === "string" &&
    isObject(record.files) &&
    Object.values(record.files).every(isTrustedFile)
  );
}

function isTrustedFile(file: unknown): file is TrustedFile {
  return (
    isObject(file) &&
    typeof file.hash === "string" &&
    typeof file.size === "number" &&
    ["string", "undefined"].includes(typeof file.text)
  );
}

function applyRecordUpdate(
  projects: ReadonlyMap<string, TrustRecord>,
  root: string,
  updateRecord: RecordUpdate,
): ReadonlyMap<string, TrustRecord> {
  const newRecord = updateRecord(projects.get(root));
  const otherProjects = [...projects].filter(([otherRoot]) => otherRoot !== root);
  return new Map(newRecord === null ? otherProjects : [...otherProjects, [root, newRecord]]);
}

async function writeTrustFile(
  file: string,
  projects: ReadonlyMap<string, TrustRecord>,
  holdsLock: () => Promise<boolean>,
): Promise<void> {
  const text = JSON.stringify({ version: 1, projects: Object.fromEntries(projects) }, null, 2);
  const assertLockHeld = async (): Promise<void> => {
    if (!(await holdsLock())) throw new Error("another process took over the lock; try again");
  };
  await writeOwnerOnlyFile(file, new TextEncoder().encode(`${text}\n`), { beforeRename: assertLockHeld });
  await syncFolder(dirname(file));
}

function toUnreadableResult(error: Error): TrustFileResult {
  return { type: "untrusted", why: `the trust file cannot be read (${error.message})` };
}

function trustFilePath(home: string): string {
  return join(home, "trust.json");
}

const MAX_TRUST_FILE_BYTES = 64 * 1024 * 1024;

/** The trusted files of a project with their hashes. A short text without a secret is stored as well, so that a later change can be shown. */
export interface TrustRecord {
  /** When the user trusted the files. */
  readonly trusted: string;
  /** The files by their name in the project. */
  readonly files: Readonly<Record<string, TrustedFile>>;
}

export interface TrustedFile {
  readonly hash: string;
  readonly size: number;
  readonly text?: string;
}

export interface TrustRecordOptions {
  readonly trustedAt: string;
  readonly previousRecord: TrustRecord | undefined;
  readonly redaction: Redaction;
}

/** Files that were trusted from another folder of the same project stay trusted. */
export function createTrustRecord(
  project: ProjectFiles,
  { trustedAt, previousRecord, redaction }: TrustRecordOptions,
): TrustRecord {
  const otherFiles = Object.entries(previousRecord?.files ?? {}).filter(([name]) => !isInScope(name, project));
  let bytesLeft = MAX_TOTAL_TEXT_BYTES;
  const currentFiles = project.files.map(({ name, hash, bytes }): [string, TrustedFile] => {
    const text = bytes.length <= Math.min(bytesLeft, MAX_TEXT_BYTES) ? decodeText(bytes) : null;
    const isTextStored = text !== null && redaction.redact(text) === text;
    if (isTextStored) bytesLeft -= bytes.length;
    return [name, { hash, size: bytes.length, ...(isTextStored && { text }) }];
  });
  return { trusted: trustedAt, files: Object.fromEntries([...otherFiles, ...currentFiles]) };
}

/** Whether the file with this name is among those that Pith reads from the current working directory. */
function isInScope(name: string, { root, folders }: ProjectFiles): boolean {
  return folders.some((folder) => {
    const folderName = toRelativeName(root, folder);
    const innerName =
      folderName === "" ? name : name.startsWith(`${folderName}/`) ? name.slice(folderName.length + 1) : null;
    return (
      innerName !== null &&
      trustRequiredPaths.some(({ path }) => innerName === path || innerName.startsWith(`${path}/`))
    );
  });
}

const MAX_TEXT_BYTES = 16 * 1024;
const MAX_TOTAL_TEXT_BYTES = 64 * 1024;

/** Ignores files in folders that are not read from the current working directory. */
export async function findChanges(record: TrustRecord, project: ProjectFiles): Promise<readonly TrustChange[]> {
  const fileChanges = (await Promise.all(project.files.map((file) => findFileChange(file, record)))).flatMap(
    (change) => change ?? [],
  );
  const names = new Set(project.files.map(({ name }) => name));
  const removedNames = Object.keys(record.files).filter((name) => !names.has(name) && isInScope(name, project));
  return [...fileChanges, ...removedNames.map((name) => ({ type: "removed", name }) as const)];
}

async function findFileChange(file: ProjectFile, { files }: TrustRecord): Promise<TrustChange | null> {
  const { name, hash } = file;
  const trustedFile = Object.hasOwn(files, name) ? files[name] : undefined;
  if (!trustedFile) return { type: "added", name };
  return trustedFile.hash === hash ? null : { type: "changed", name, ...(await createDiff(trustedFile, file)) };
}

async function createDiff(
  { text: oldText }: TrustedFile,
  { name, bytes }: ProjectFile,
): Promise<{ readonly diff?: string }> {
  const newText = decodeText(bytes);
  // A diff of binary data would be meaningless.
  if (oldText === undefined || newText === null || oldText === newText) return {};
  const splices = [{ start: 0, end: oldText.length, text: newText }];
  return { diff: await unifiedDiff({ path: name, text: oldText, splices }) };
}

/** Whether the user has declined exactly these files. The file with the declined hashes needs no owner check, because it grants nothing. */
export async function wasDeclined(project: ProjectFiles, home: string): Promise<boolean> {
  return (await readDeclined(home)).get(getDeclinedKey(project)) === hashProject(project);
}

/** If the answer cannot be saved, the user is asked again next time. */
export async function saveDeclined(project: ProjectFiles, home: string): Promise<void> {
  const file = declinedFilePath(home);
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await withLock(file, async () => {
      const otherEntries = [...(await readDeclined(home))].filter(([key]) => key !== getDeclinedKey(project));
      const entries = [...otherEntries, [getDeclinedKey(project), hashProject(project)]].slice(-MAX_DECLINED_ENTRIES);
      await writeOwnerOnlyFile(
        file,
        new TextEncoder().encode(`${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`),
      );
    });
  } catch {
    // The question is asked again.
  }
}

const MAX_DECLINED_ENTRIES = 500;

async function readDeclined(home: string): Promise<ReadonlyMap<string, unknown>> {
  const text = await readFile(declinedFilePath(home), "utf8").catch(() => "");
  return new Map(Object.entries(parseJsonObject(text) ?? {}));
}

/** The key is the working directory, because another folder of the same project may read other files. */
function getDeclinedKey({ root, folders }: ProjectFiles): string {
  return folders.at(-1) ?? root;
}

function declinedFilePath(home: string): string {
  return join(home, "declined.json");
}
