/** Moves a session to the trash, back, or to the folder of a moved project. The trash is never emptied automatically. */

import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { Session } from "../../session/session.ts";
import type { AppendResult } from "../../session/store.ts";
import { blobHashes, syncBlobFolders } from "../blobs.ts";
import {
  blobFolder,
  catchDiskErrors,
  diskErrorCode,
  type Files,
  ignoreDiskErrors,
  leasePath,
  readJsonObject,
  sidecarFolder,
  type UnavailableResult,
} from "../files.ts";
import type { JsonlStore } from "../jsonl/jsonl-store.ts";
import { openStore } from "../jsonl/open-store.ts";
import { createFileAtomically, makeDurableFolder } from "../jsonl/rewrite.ts";
import { acquireLease } from "../lease.ts";
import type { LeaseOwner } from "../process-owner.ts";
import { formatFileTime, isSessionFileName, readFolderCwd, sessionIdFromFileName } from "../session-file-name.ts";
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

/**
 * Links blobs and backups first, then renames the log: at every moment the session is whole in one of the two places. Whoever calls it
 * holds the lease of the old path; `EEXIST` where anything has the new one. Throws what the disk says.
 */
export function moveSession(from: string, to: string, files: Files): void {
  makeDurableFolder(dirname(to), files);
  for (const [oldPath, newPath] of sideFilePairs(from, to, files)) linkIfMissing(oldPath, newPath, files);
  if (blobHashes(from, files).length > 0) syncBlobFolders(to, files);
  else files.syncFolder(dirname(to));
  // Renaming replaces what is there, and it may have come a moment ago.
  if (files.stat(to)) throw Object.assign(new Error(`EEXIST: ${to}`), { code: "EEXIST" });
  files.rename(from, to);
  files.syncFolder(dirname(to));
  files.syncFolder(dirname(from));
}

/** Once the lease is given up: takes away what now lies in both places, and brings what can be made again. */
export function cleanUpAfterMove(from: string, to: string, files: Files): void {
  // The session is whole in its new place: what cannot be swept is litter, no reason to say that it did not move.
  ignoreDiskErrors(() => {
    for (const [oldPath, newPath] of sideFilePairs(from, to, files))
      if (isSameFile(oldPath, newPath, files)) files.remove(oldPath);
    moveRemainingFiles(sidecarFolder(from), sidecarFolder(to), files);
  });
}

/** What must never be missing beside the log, by its old and its new path. */
function sideFilePairs(from: string, to: string, files: Files): readonly (readonly [old: string, moved: string])[] {
  const blobs = blobHashes(from, files);
  if (blobs.length > 0) files.makeFolder(blobFolder(to));
  return [
    ...listSideFiles(from, files).map((name) => [join(dirname(from), name), join(dirname(to), name)] as const),
    ...blobs.map((hash) => [join(blobFolder(from), hash), join(blobFolder(to), hash)] as const),
  ];
}

/** The names of the files that belong to it and lie beside it: `.bak`, `.damaged` and their like. */
function listSideFiles(path: string, files: Files): readonly string[] {
  return files
    .list(dirname(path))
    .filter((name) => name.startsWith(`${basename(path)}.`) && files.stat(join(dirname(path), name))?.kind === "file");
}

// Leases stay: their numbers count on, should a session ever come back to this path.
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
    // A second name from an earlier attempt; what is another file stays, and the old one too.
    if (diskErrorCode(error) !== "EEXIST") throw error;
  }
}

function isSameFile(one: string, other: string, files: Files): boolean {
  const identity = files.stat(one)?.identity;
  return identity !== undefined && files.stat(other)?.identity === identity;
}

/** Another process writes it: end that one first. */
export interface LeaseHeldResult {
  readonly type: "held";
  readonly owner: LeaseOwner;
}

export type TrashResult =
  /** `folder` is its own in the trash. */
  { readonly type: "trashed"; readonly folder: string } | LeaseHeldResult | UnavailableResult;

export interface TrashItem {
  readonly folder: string;
  /** Where it lies in the trash. */
  readonly path: string;
  readonly id: string;
  /** Where it lay before; null where the note is lost. */
  readonly from: string | null;
  /** ISO; empty where the note is lost. */
  readonly trashed: string;
  readonly size: number;
}

export type RestoreResult =
  | { readonly type: "restored"; readonly path: string }
  | { readonly type: "none"; readonly why: string }
  | { readonly type: "taken"; readonly why: string }
  | LeaseHeldResult
  | UnavailableResult;

/** To `$PITH_HOME/trash/<time>_<id>/`, with a note of where it was. */
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

/** Newest first. */
export async function listTrash(options: SessionFileOptions = {}): Promise<readonly TrashItem[]> {
  const { files, env } = applyDefaults(options);
  const trashPath = trashFolder(env);
  const names = ignoreDiskErrors(() => files.list(trashPath)) ?? [];
  const items = names.flatMap((name) => ignoreDiskErrors(() => readTrashItem(join(trashPath, name), files)) ?? []);
  return items.sort((one, other) => (one.folder < other.folder ? 1 : -1));
}

/** Back to where it was, or to the path that is named. */
export async function restoreSession(
  folder: string,
  { to, ...options }: SessionFileOptions & { readonly to?: string } = {},
): Promise<RestoreResult> {
  const config = applyDefaults(options);
  const { files } = config;
  const item = ignoreDiskErrors(() => readTrashItem(folder, files));
  if (!item) return { type: "none", why: `there is no session in ${folder}; list the trash to see what is there` };
  const target = to ?? item.from;
  if (target === null) return { type: "none", why: `the note in ${folder} is lost; say where the session shall go` };
  if (files.stat(target)) return { type: "taken", why: `${target} is there already; say another path for the session` };
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
      // What is done is done: a lease that cannot be given up ends with this process.
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
    // The note says where to write: only a path that can have been this file's is believed.
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
    why: `${path} is no file; look for the session by its id, it may have been moved`,
  };
}

const TRASH_NOTE_FILE = "note.json";

/** The custom entry that says which directory a session belongs to from there on: `{ cwd }`. */
export const FOLDER_ENTRY_TYPE = "pith.folder";

export type RebindResult =
  /** `path` is where it lies now. */
  | { readonly type: "rebound"; readonly path: string }
  | { readonly type: "taken"; readonly why: string }
  | Exclude<AppendResult, { readonly type: "appended" }>
  | OpenFailure;

/** Whoever has the session open must close it first, and opens it again at its new path. */
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
    if (files.stat(to)) return { type: "taken", why: `${to} is there already; rename that file, then try again` };
    createProjectSessionsFolder(cwd, config);
    // As it is called: by another name nobody would find it, and it stands on the disk anyway.
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
