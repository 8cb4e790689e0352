/** Out of the way, not gone: a session in the trash keeps all that is its own and can be put back. Nothing here is ever removed by itself. */

import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { Files } from "../files/files.ts";
import { orNull, orUnavailable, type Unavailable } from "../files/unavailable.ts";
import { leasePath, sideFolder } from "../jsonl/side-folder.ts";
import { createWhole, makeFolder } from "../jsonl/writing/rewrite.ts";
import { takeLease } from "../lease/lease.ts";
import type { Owner } from "../lease/owner.ts";
import { type HomeParts, settled, trashFolder } from "./home.ts";
import { fileTime, idInName, isSessionName } from "./placing/file-name.ts";
import { membersIn } from "./placing/json-file.ts";
import { moveSession, tidyAfterMove } from "./placing/move-session.ts";
import { wrongId } from "./placing/session-id.ts";
import { noteCwd, notedCwd } from "./placing/work-folder.ts";

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
