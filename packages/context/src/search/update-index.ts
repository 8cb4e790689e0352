/** Brings the index up to date: adds new lines, removes lost files. One process at a time does it, under a lease. */

import { join } from "node:path";
import { diskError, type Files, type OpenFile } from "../node/files.ts";
import { type Lease, takeLease } from "../node/lease.ts";
import type { HomeParts } from "../node/sessions/paths.ts";
import type { Ports } from "../runtime.ts";
import type { Redaction } from "../session/session.ts";
import type { FormatLimits } from "../settings.ts";
import { type ChangedFile, type Changes, changesIn, inSteps, type Pace, QUIET, type Step } from "./changed-files.ts";
import type { Database } from "./database.ts";
import { beginningOf, newEntries } from "./read-sessions.ts";
import {
  addEntries,
  addFile,
  closeFolder,
  doubt,
  dropEmptied,
  forgetEntries,
  type KnownFile,
  keepFile,
  openFolder,
  sealed,
  tidied,
} from "./tables.ts";

export interface FileParts {
  readonly files: Files;
  readonly ports: Ports;
  readonly limits: FormatLimits;
  readonly redaction: Redaction;
  /** Letters that a volume of the index takes. */
  readonly volumeLetters: number;
}

/** Reads only what was added, or all of it again if the file is no longer the same. Returns whether the disk let us read it. */
export function* readFile(database: Database, changed: ChangedFile, parts: FileParts): Generator<Step, boolean> {
  let file: OpenFile | null = null;
  try {
    file = parts.files.open(join(changed.folder, changed.name), "read");
    yield* added(database, file, { ...parts, ...changed });
    return true;
  } catch (error) {
    // One bad file must not keep the others from being found.
    if (diskError(error) === "") throw error;
    return false;
  } finally {
    file?.close();
  }
}

/** Forgets all of a file, a bit at a time. */
export function* forgetFile(database: Database, file: number): Generator<Step> {
  // Where it ends early, the rest is forgotten the next time.
  doubt(database, file);
  while (forgetEntries(database, file, FORGOTTEN_AT_ONCE)) yield QUIET;
}

function* added(database: Database, file: OpenFile, parts: FileParts & ChangedFile): Generator<Step> {
  const { known, stat, ports, limits, redaction } = parts;
  const goesOn = known !== null && hasGrown(file, known, parts);
  if (known && !goesOn) yield* forgetFile(database, known.id);
  const folder = openFolder(database, parts.folder);
  const beginning = beginningOf(file, { checksum: ports.checksum, limits });
  const id = goesOn ? known.id : addFile(database, { folder, name: parts.name });
  const { identity, modified, size: end } = stat;
  let covered = goesOn ? known.covered : 0;
  const noted = (size: number): void =>
    keepFile(database, { id, identity, size, modified, covered, ...edges(file, covered, ports) });
  for (const batch of newEntries({ file, beginning, start: covered, end, modified, folder, redaction })) {
    const bytes = batch.covered - covered;
    covered = batch.covered;
    // Until all of it is read, it has a size that no file has.
    noted(-1);
    addEntries(database, batch.additions, { file: id, most: parts.volumeLetters });
    yield { bytes, letters: batch.additions.reduce((sum, { letters }) => sum + letters, 0) };
  }
  noted(end);
}

/** Whether it has only grown. One that was written anew is another file, even where it begins and ends alike: its middle may be purged. */
function hasGrown(file: OpenFile, known: KnownFile, { stat, ports }: FileParts & ChangedFile): boolean {
  if (stat.identity !== known.identity || stat.size <= known.size || stat.size < known.covered) return false;
  const { head, tail } = edges(file, known.covered, ports);
  return head === known.head && tail === known.tail;
}

function edges(file: OpenFile, covered: number, { checksum }: Ports): Pick<KnownFile, "head" | "tail"> {
  const bytes = Buffer.alloc(Math.min(covered, EDGE));
  const sum = (from: number): number => checksum(bytes.subarray(0, file.read(bytes, from)));
  return { head: sum(0), tail: sum(covered - bytes.length) };
}

const EDGE = 1024;
const FORGOTTEN_AT_ONCE = 500;

export interface CatchUpParts extends Required<HomeParts>, FileParts, Pace {
  /** The file of the index. */
  readonly path: string;
  /** Folders with sessions. */
  readonly places: readonly string[];
}

export type CaughtUp =
  | { readonly type: "up-to-date" }
  /** Somebody else is at it; so many bytes were not in the index when we looked. */
  | { readonly type: "held"; readonly bytes: number }
  /** So many bytes could not be read. */
  | { readonly type: "unread"; readonly bytes: number }
  | { readonly type: "aborted" };

export async function catchUp(database: Database, parts: CatchUpParts): Promise<CaughtUp> {
  const { checksum, now } = parts.ports;
  const look = { places: parts.places, files: parts.files, checksum, now };
  const { bytes, states } = await changesIn(database, look);
  if (states.size === 0) return { type: "up-to-date" };
  const lease = await leased(parts);
  if (!lease) return parts.signal?.aborted ? { type: "aborted" } : { type: "held", bytes };
  try {
    // Whoever had the lease before may have done it all.
    const changes = await changesIn(database, look);
    const unread = new Map<string, number>();
    const ended = await inSteps(database, steps(database, changes, { ...parts, unread }), {
      ...parts,
      bytes: changes.bytes,
    });
    if (ended === "aborted") return { type: "aborted" };
    const left = [...unread.values()].reduce((sum, count) => sum + count, 0);
    return unread.size > 0 ? { type: "unread", bytes: left } : { type: "up-to-date" };
  } finally {
    lease.release();
  }
}

// Most are done in no time, and then what they found is there to be searched.
async function leased({ path, files, processes, ports, signal }: CatchUpParts): Promise<Lease | null> {
  for (let tries = 0; ; tries++) {
    const leasing = takeLease(path, { files, processes, now: ports.now, nonce: ports.nonce });
    if (leasing.type === "leased") return leasing.lease;
    if (tries === TRIES) return null;
    await ports.sleep(BETWEEN_TRIES, signal ? { signal } : {});
  }
}

interface StepParts extends CatchUpParts {
  /** Bytes that could not be read, by folder. */
  readonly unread: Map<string, number>;
}

function* steps(database: Database, { files, gone, states }: Changes, parts: StepParts): Generator<Step> {
  for (const { id } of gone) yield* forgetFile(database, id);
  for (const changed of files) {
    const { folder, stat, known } = changed;
    if (!(yield* readFile(database, changed, parts)))
      parts.unread.set(folder, (parts.unread.get(folder) ?? 0) + stat.size - (known?.covered ?? 0));
    for (const _ of sealed(database, parts.volumeLetters)) yield QUIET;
  }
  dropEmptied(database);
  for (const [path, state] of states) if (!parts.unread.has(path)) closeFolder(database, path, state);
  for (const _ of tidied(database)) yield QUIET;
}

const TRIES = 10;
const BETWEEN_TRIES = 25;
