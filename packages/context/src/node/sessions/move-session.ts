/** Moves a session to the trash, back, or to the session folder of a moved project. The trash is never emptied automatically. */

import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { Session } from "../../session/session.ts";
import type { AppendResult } from "../../session/store.ts";
import { blobHashes, syncBlobFolders } from "../blobs.ts";
import {
  blobFolder,
  catchDiskErrors,
  diskErrorCode,
  type Files,
  formatFileTime,
  ignoreDiskErrors,
  isSessionFileName,
  leasePath,
  readFolderCwd,
  readJsonObject,
  sessionIdFromFileName,
  sidecarFolder,
  type UnavailableResult,
} from "../files.ts";
import type { JsonlStore } from "../jsonl/jsonl-store.ts";
import { openStore } from "../jsonl/open-store.ts";
import { createFileAtomically, makeDurableFolder } from "../jsonl/rewrite.ts";
import { acquireLease, type LeaseOwner } from "../lease.ts";
import {
  applyDefaults,
  createProjectSessionsFolder,
  projectSessionsFolder,
  type SessionFileOptions,
  sessionIdProblem,
  trashFolder,
  writeFolderCwd,
} from "./paths.ts";
import { closeStore, type OpenFailure } from "./sessions.ts";

/** Another process has the session open for writing; it must close the session first. */
export interface LeaseHeldResult {
  readonly type: "held";
  readonly owner: LeaseOwner;
}

export type TrashResult =
  /** `folder` is the session's folder in the trash. */
  { readonly type: "trashed"; readonly folder: string } | LeaseHeldResult | UnavailableResult;

/** A session in the trash. */
export interface TrashItem {
  readonly folder: string;
  /** The path of the file in the trash. */
  readonly path: string;
  readonly id: string;
  /** The path before the session was deleted; null if the note is lost. */
  readonly from: string | null;
  /** ISO; empty if the note is lost. */
  readonly trashed: string;
  readonly size: number;
}

export type RestoreResult =
  | { readonly type: "restored"; readonly path: string }
  | { readonly type: "none"; readonly why: string }
  | { readonly type: "taken"; readonly why: string }
  | LeaseHeldResult
  | UnavailableResult;

/** Moves a session to `$PITH_HOME/trash/<time>_<id>/`, with a note of its old path. */
export async function trashSession(path: string, options: SessionFileOptions = {}): Promise<TrashResult> {
  const config = applyDefaults(options);
  const { files, runtime } = config;
  return moveUnderLease<TrashResult>(path, config, () => {
    const now = runtime.now();
    const folder = findFreeFolder(
      join(trashFolder(config.env), `${formatFileTime(now)}_${safeSessionId(path)}`),
      files,
    );
    makeDurableFolder(folder, files);
    const cwd = readFolderCwd(dirname(path), files);
    const note = { from: resolve(path), trashed: new Date(now).toISOString(), ...(cwd !== null && { cwd }) };
    createFileAtomically(join(folder, TRASH_NOTE_FILE), Buffer.from(`${JSON.stringify(note)}\n`), files);
    return { to: join(folder, basename(path)), result: { type: "trashed", folder } };
  });
}

/** Lists the sessions in the trash, newest first. */
export async function listTrash(options: SessionFileOptions = {}): Promise<readonly TrashItem[]> {
  const { files, env } = applyDefaults(options);
  const trashPath = trashFolder(env);
  const names = ignoreDiskErrors(() => files.list(trashPath)) ?? [];
  const items = names.flatMap((name) => ignoreDiskErrors(() => readTrashItem(join(trashPath, name), files)) ?? []);
  return items.sort((one, other) => (one.folder < other.folder ? 1 : -1));
}

/** Moves a session from the trash back to its old path, or to the path `to`. */
export async function restoreSession(
  folder: string,
  { to, ...options }: SessionFileOptions & { readonly to?: string } = {},
): Promise<RestoreResult> {
  const config = applyDefaults(options);
  const { files } = config;
  const item = ignoreDiskErrors(() => readTrashItem(folder, files));
  if (!item) return { type: "none", why: `${folder} contains no session; list the trash to see its sessions` };
  const target = to ?? item.from;
  if (target === null)
    return { type: "none", why: `the original path of the session in ${folder} is lost; give the path to restore to` };
  if (files.stat(target)) return { type: "taken", why: `${target} already exists; give another path to restore to` };
  return moveUnderLease<RestoreResult>(item.path, config, () => {
    makeDurableFolder(dirname(target), files);
    const { cwd } = readJsonObject(join(folder, TRASH_NOTE_FILE), files);
    if (to === undefined && typeof cwd === "string") writeFolderCwd(dirname(target), cwd, files);
    return { to: target, result: { type: "restored", path: target } };
  });
}

interface MovePlan<Outcome> {
  readonly to: string;
  readonly result: Outcome;
}

async function moveUnderLease<Outcome>(
  path: string,
  { files, runtime, processes }: Required<SessionFileOptions>,
  plan: () => MovePlan<Outcome>,
): Promise<Outcome | LeaseHeldResult | UnavailableResult> {
  return catchDiskErrors<Outcome | LeaseHeldResult | UnavailableResult>(`${path} cannot be moved`, () => {
    if (files.stat(path)?.kind !== "file") return sessionNotFound(path);
    files.makeFolder(sidecarFolder(path));
    const leaseResult = acquireLease(leasePath(path), { files, processes, now: runtime.now, nonce: runtime.nonce });
    if (leaseResult.type === "held") return leaseResult;
    let to: string | null = null;
    try {
      const movePlan = plan();
      moveSession(path, movePlan.to, files);
      to = movePlan.to;
      return movePlan.result;
    } finally {
      // The session is moved; a lease that cannot be released ends with this process.
      ignoreDiskErrors(() => leaseResult.lease.release());
      if (to !== null) cleanUpAfterMove(path, to, files);
    }
  });
}

function readTrashItem(folder: string, files: Files): TrashItem | null {
  const name = files
    .list(folder)
    .find((fileName) => isSessionFileName(fileName) && files.stat(join(folder, fileName))?.kind === "file");
  if (name === undefined) return null;
  const path = join(folder, name);
  const { from, trashed } = readJsonObject(join(folder, TRASH_NOTE_FILE), files);
  return {
    folder,
    path,
    id: safeSessionId(path),
    // The note decides where to write, so only an absolute path with this file's name is accepted.
    from: typeof from === "string" && isAbsolute(from) && basename(from) === name ? from : null,
    trashed: typeof trashed === "string" ? trashed : "",
    size: files.stat(path)?.size ?? 0,
  };
}

function findFreeFolder(preferredFolder: string, files: Files): string {
  let folder = preferredFolder;
  for (let number = 2; files.stat(folder); number++) folder = `${preferredFolder}-${number}`;
  return folder;
}

function safeSessionId(path: string): string {
  const id = sessionIdFromFileName(basename(path)) ?? basename(path, ".jsonl");
  return sessionIdProblem(id) === null ? id : "session";
}

function sessionNotFound(path: string): UnavailableResult {
  return {
    type: "unavailable",
    code: "ENOENT",
    why: `${path} is not a file; the session may have been moved: find it by its id`,
  };
}

const TRASH_NOTE_FILE = "note.json";

/** The type of the custom entry that records a new working directory: `{ cwd }`. */
const FOLDER_ENTRY_TYPE = "pith.folder";

export type RebindResult =
  /** `path` is the new path. */
  | { readonly type: "rebound"; readonly path: string }
  | { readonly type: "taken"; readonly why: string }
  | Exclude<AppendResult, { readonly type: "appended" }>
  | OpenFailure;

/** Moves a session to another working directory. It must not be open for writing; open it again at its new path. */
export async function rebindSession(
  path: string,
  newCwd: string,
  options: SessionFileOptions = {},
): Promise<RebindResult> {
  const config = applyDefaults(options);
  const cwd = resolve(newCwd);
  const to = join(projectSessionsFolder(cwd, config), basename(path));
  if (to === resolve(path)) return { type: "rebound", path: to };
  const openResult = await openStore(path, config);
  if (openResult.type !== "opened") return openResult;
  const result = await rebindStore(openResult.store, { to, cwd, config });
  if (result.type === "rebound") cleanUpAfterMove(path, to, config.files);
  return result;
}

interface RebindOptions {
  readonly to: string;
  readonly cwd: string;
  readonly config: Required<SessionFileOptions>;
}

async function rebindStore(store: JsonlStore, { to, cwd, config }: RebindOptions): Promise<RebindResult> {
  const { files, runtime } = config;
  const operation = async (): Promise<RebindResult> => {
    if (files.stat(to)) return { type: "taken", why: `${to} already exists; rename that file and try again` };
    createProjectSessionsFolder(cwd, config);
    // Without redaction: a redacted path would not be found, and the path is on the disk anyway.
    const session = await Session.open(store, runtime);
    const appended = await session.append({ type: "custom", customType: FOLDER_ENTRY_TYPE, data: { cwd } });
    if (appended.type !== "appended") return appended;
    moveSession(store.path, to, files);
    return { type: "rebound", path: to };
  };
  try {
    return await catchDiskErrors(`${store.path} cannot be moved to ${to}`, operation);
  } finally {
    await closeStore(store);
  }
}

/**
 * Moves a session file. Blobs and backups are linked first, then the file is renamed, so that the session is always complete at one of
 * the two paths. The caller holds the lease of the old path. Throws disk errors, `EEXIST` if the new path exists.
 */
function moveSession(from: string, to: string, files: Files): void {
  makeDurableFolder(dirname(to), files);
  for (const [oldPath, newPath] of sideFilePairs(from, to, files)) linkIfMissing(oldPath, newPath, files);
  if (blobHashes(from, files).length > 0) syncBlobFolders(to, files);
  else files.syncFolder(dirname(to));
  // A rename would replace a file that was created a moment ago.
  if (files.stat(to)) throw Object.assign(new Error(`EEXIST: ${to}`), { code: "EEXIST" });
  files.rename(from, to);
  files.syncFolder(dirname(to));
  files.syncFolder(dirname(from));
}

/** Removes the old links and moves the remaining side files; call it after the lease is released. */
function cleanUpAfterMove(from: string, to: string, files: Files): void {
  // The session is complete at its new path, so errors here do not fail the move.
  ignoreDiskErrors(() => {
    for (const [oldPath, newPath] of sideFilePairs(from, to, files))
      if (isSameFile(oldPath, newPath, files)) files.remove(oldPath);
    moveRemainingFiles(sidecarFolder(from), sidecarFolder(to), files);
  });
}

/** The blobs and backups of a session, each with its old and new path. */
function sideFilePairs(from: string, to: string, files: Files): readonly (readonly [old: string, moved: string])[] {
  const blobs = blobHashes(from, files);
  if (blobs.length > 0) files.makeFolder(blobFolder(to));
  return [
    ...listSideFiles(from, files).map((name) => [join(dirname(from), name), join(dirname(to), name)] as const),
    ...blobs.map((hash) => [join(blobFolder(from), hash), join(blobFolder(to), hash)] as const),
  ];
}

/** The names of files beside the session that start with its name, such as `.bak` and `.damaged`. */
function listSideFiles(path: string, files: Files): readonly string[] {
  return files
    .list(dirname(path))
    .filter((name) => name.startsWith(`${basename(path)}.`) && files.stat(join(dirname(path), name))?.kind === "file");
}

// Lease files stay, so that their numbers continue if a session returns to this path.
function moveRemainingFiles(from: string, to: string, files: Files): void {
  const leaseName = basename(leasePath(""));
  const names = files.list(from).filter((name) => name !== "blobs" && !name.startsWith(`${leaseName}.`));
  if (names.length > 0) files.makeFolder(to);
  for (const name of names) if (!files.stat(join(to, name))) files.rename(join(from, name), join(to, name));
}

function linkIfMissing(from: string, to: string, files: Files): void {
  try {
    files.link(from, to);
  } catch (error) {
    // Linked by an earlier attempt. If it is another file, both files stay.
    if (diskErrorCode(error) !== "EEXIST") throw error;
  }
}

function isSameFile(one: string, other: string, files: Files): boolean {
  const identity = files.stat(one)?.identity;
  return identity !== undefined && files.stat(other)?.identity === identity;
}
