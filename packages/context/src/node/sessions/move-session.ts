/** Moves a session to the trash, back, or to the folder of a moved project. The trash is never emptied automatically. */

import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { Session } from "../../session/session.ts";
import type { Appended } from "../../session/store.ts";
import { blobHashes, syncBlobFolders } from "../blobs.ts";
import {
  blobFolder,
  diskError,
  type Files,
  leasePath,
  orNull,
  orUnavailable,
  sideFolder,
  type Unavailable,
} from "../files.ts";
import type { JsonlStore } from "../jsonl/jsonl-store.ts";
import { openStore } from "../jsonl/open-store.ts";
import { createWhole, makeFolder } from "../jsonl/rewrite.ts";
import { takeLease } from "../lease.ts";
import type { Owner } from "../process-owner.ts";
import { idInName, membersIn, notedCwd } from "../session-place.ts";
import {
  fileTime,
  type HomeParts,
  isSessionName,
  madeWorkFolder,
  noteCwd,
  settled,
  trashFolder,
  workFolder,
  wrongId,
} from "./paths.ts";
import { closed, type NotOpened } from "./sessions.ts";

/**
 * Links blobs and backups first, then renames the log: at every moment the session is whole in one of the two places. Whoever calls it
 * holds the lease of the old path; `EEXIST` where anything has the new one. Throws what the disk says.
 */
export function moveSession(from: string, to: string, files: Files): void {
  makeFolder(dirname(to), files);
  for (const [old, moved] of inBoth(from, to, files)) linked(old, moved, files);
  if (blobHashes(from, files).length > 0) syncBlobFolders(to, files);
  else files.syncFolder(dirname(to));
  // Renaming replaces what is there, and it may have come a moment ago.
  if (files.stat(to)) throw Object.assign(new Error(`EEXIST: ${to}`), { code: "EEXIST" });
  files.rename(from, to);
  files.syncFolder(dirname(to));
  files.syncFolder(dirname(from));
}

/** Once the lease is given up: takes away what now lies in both places, and brings what can be made again. */
export function tidyAfterMove(from: string, to: string, files: Files): void {
  // The session is whole in its new place: what cannot be swept is litter, no reason to say that it did not move.
  orNull(() => {
    for (const [old, moved] of inBoth(from, to, files)) if (isSame(old, moved, files)) files.remove(old);
    bringRest(sideFolder(from), sideFolder(to), files);
  });
}

/** What must never be missing beside the log, by its old and its new path. */
function inBoth(from: string, to: string, files: Files): readonly (readonly [old: string, moved: string])[] {
  const blobs = blobHashes(from, files);
  if (blobs.length > 0) files.makeFolder(blobFolder(to));
  return [
    ...beside(from, files).map((name) => [join(dirname(from), name), join(dirname(to), name)] as const),
    ...blobs.map((hash) => [join(blobFolder(from), hash), join(blobFolder(to), hash)] as const),
  ];
}

/** The names of the files that belong to it and lie beside it: `.bak`, `.damaged` and their like. */
function beside(path: string, files: Files): readonly string[] {
  return files
    .list(dirname(path))
    .filter((name) => name.startsWith(`${basename(path)}.`) && files.stat(join(dirname(path), name))?.kind === "file");
}

// Leases stay: their numbers count on, should a session ever come back to this path.
function bringRest(from: string, to: string, files: Files): void {
  const lease = basename(leasePath(""));
  const rest = files.list(from).filter((name) => name !== "blobs" && !name.startsWith(`${lease}.`));
  if (rest.length > 0) files.makeFolder(to);
  for (const name of rest) if (!files.stat(join(to, name))) files.rename(join(from, name), join(to, name));
}

function linked(from: string, to: string, files: Files): void {
  try {
    files.link(from, to);
  } catch (error) {
    // A second name from an earlier attempt; what is another file stays, and the old one too.
    if (diskError(error) !== "EEXIST") throw error;
  }
}

function isSame(one: string, other: string, files: Files): boolean {
  const identity = files.stat(one)?.identity;
  return identity !== undefined && files.stat(other)?.identity === identity;
}

/** Another process writes it: end that one first. */
export interface Held {
  readonly type: "held";
  readonly owner: Owner;
}

export type Trashing =
  /** `folder` is its own in the trash. */
  { readonly type: "trashed"; readonly folder: string } | Held | Unavailable;

export interface TrashedSession {
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

export type Restoring =
  | { readonly type: "restored"; readonly path: string }
  | { readonly type: "none"; readonly why: string }
  | { readonly type: "taken"; readonly why: string }
  | Held
  | Unavailable;

/** To `$PITH_HOME/trash/<time>_<id>/`, with a note of where it was. */
export async function trashSession(path: string, parts: HomeParts = {}): Promise<Trashing> {
  const all = settled(parts);
  const { files, ports } = all;
  return withLease<Trashing>(path, all, () => {
    const now = ports.now();
    const folder = freeFolder(join(trashFolder(all.env), `${fileTime(now)}_${shownId(path)}`), files);
    makeFolder(folder, files);
    const cwd = notedCwd(dirname(path), files);
    const note = { from: resolve(path), trashed: new Date(now).toISOString(), ...(cwd !== null && { cwd }) };
    createWhole(join(folder, NOTE), Buffer.from(`${JSON.stringify(note)}\n`), files);
    return { to: join(folder, basename(path)), outcome: { type: "trashed", folder } };
  });
}

/** Newest first. */
export async function listTrash(parts: HomeParts = {}): Promise<readonly TrashedSession[]> {
  const { files, env } = settled(parts);
  const all = trashFolder(env);
  const names = orNull(() => files.list(all)) ?? [];
  const found = names.flatMap((name) => orNull(() => trashedIn(join(all, name), files)) ?? []);
  return found.sort((one, other) => (one.folder < other.folder ? 1 : -1));
}

/** Back to where it was, or to the path that is named. */
export async function restoreSession(
  folder: string,
  { to, ...parts }: HomeParts & { readonly to?: string } = {},
): Promise<Restoring> {
  const all = settled(parts);
  const { files } = all;
  const found = orNull(() => trashedIn(folder, files));
  if (!found) return { type: "none", why: `there is no session in ${folder}; list the trash to see what is there` };
  const target = to ?? found.from;
  if (target === null) return { type: "none", why: `the note in ${folder} is lost; say where the session shall go` };
  if (files.stat(target)) return { type: "taken", why: `${target} is there already; say another path for the session` };
  return withLease<Restoring>(found.path, all, () => {
    makeFolder(dirname(target), files);
    const { cwd } = membersIn(join(folder, NOTE), files);
    if (to === undefined && typeof cwd === "string") noteCwd(dirname(target), cwd, files);
    return { to: target, outcome: { type: "restored", path: target } };
  });
}

interface Plan<Outcome> {
  readonly to: string;
  readonly outcome: Outcome;
}

async function withLease<Outcome>(
  path: string,
  { files, ports, processes }: Required<HomeParts>,
  plan: () => Plan<Outcome>,
): Promise<Outcome | Held | Unavailable> {
  return orUnavailable<Outcome | Held | Unavailable>(`${path} cannot be moved`, () => {
    if (files.stat(path)?.kind !== "file") return notThere(path);
    files.makeFolder(sideFolder(path));
    const leasing = takeLease(leasePath(path), { files, processes, now: ports.now, nonce: ports.nonce });
    if (leasing.type === "held") return leasing;
    let to: string | null = null;
    try {
      const planned = plan();
      moveSession(path, planned.to, files);
      to = planned.to;
      return planned.outcome;
    } finally {
      // What is done is done: a lease that cannot be given up ends with this process.
      orNull(() => leasing.lease.release());
      if (to !== null) tidyAfterMove(path, to, files);
    }
  });
}

function trashedIn(folder: string, files: Files): TrashedSession | null {
  const name = files
    .list(folder)
    .find((each) => isSessionName(each) && files.stat(join(folder, each))?.kind === "file");
  if (name === undefined) return null;
  const path = join(folder, name);
  const { from, trashed } = membersIn(join(folder, NOTE), files);
  return {
    folder,
    path,
    id: shownId(path),
    // The note says where to write: only a path that can have been this file's is believed.
    from: typeof from === "string" && isAbsolute(from) && basename(from) === name ? from : null,
    trashed: typeof trashed === "string" ? trashed : "",
    size: files.stat(path)?.size ?? 0,
  };
}

function freeFolder(wish: string, files: Files): string {
  let folder = wish;
  for (let number = 2; files.stat(folder); number++) folder = `${wish}-${number}`;
  return folder;
}

function shownId(path: string): string {
  const id = idInName(basename(path)) ?? basename(path, ".jsonl");
  return wrongId(id) === null ? id : "session";
}

function notThere(path: string): Unavailable {
  return {
    type: "unavailable",
    code: "ENOENT",
    why: `${path} is no file; look for the session by its id, it may have been moved`,
  };
}

const NOTE = "note.json";

/** The custom entry that says which directory a session belongs to from there on: `{ cwd }`. */
export const FOLDER = "pith.folder";

export type Rebinding =
  /** `path` is where it lies now. */
  | { readonly type: "rebound"; readonly path: string }
  | { readonly type: "taken"; readonly why: string }
  | Exclude<Appended, { readonly type: "appended" }>
  | NotOpened;

/** Whoever has the session open must close it first, and opens it again at its new path. */
export async function rebindSession(path: string, newCwd: string, parts: HomeParts = {}): Promise<Rebinding> {
  const all = settled(parts);
  const cwd = resolve(newCwd);
  const to = join(workFolder(cwd, all), basename(path));
  if (to === resolve(path)) return { type: "rebound", path: to };
  const opened = await openStore(path, all);
  if (opened.type !== "opened") return opened;
  const moving = await moved(opened.store, { to, cwd, all });
  if (moving.type === "rebound") tidyAfterMove(path, to, all.files);
  return moving;
}

interface Move {
  readonly to: string;
  readonly cwd: string;
  readonly all: Required<HomeParts>;
}

async function moved(store: JsonlStore, { to, cwd, all }: Move): Promise<Rebinding> {
  const { files, ports } = all;
  const act = async (): Promise<Rebinding> => {
    if (files.stat(to)) return { type: "taken", why: `${to} is there already; rename that file, then try again` };
    madeWorkFolder(cwd, all);
    // As it is called: by another name nobody would find it, and it stands on the disk anyway.
    const session = await Session.open(store, ports);
    const appended = await session.append({ type: "custom", customType: FOLDER, data: { cwd } });
    if (appended.type !== "appended") return appended;
    moveSession(store.path, to, files);
    return { type: "rebound", path: to };
  };
  try {
    return await orUnavailable(`${store.path} cannot be moved to ${to}`, act);
  } finally {
    await closed(store);
  }
}
