/** Brings the index up to date before a search: what was added is read, what is gone is forgotten. Of all programs one does it at a time. */

import { type Lease, takeLease } from "../../lease/lease.ts";
import type { HomeParts } from "../../sessions/home.ts";
import { closeFolder } from "../keeping/known-files.ts";
import type { Database } from "../keeping/sqlite.ts";
import { dropEmptied, sealed, tidied } from "../keeping/volumes.ts";
import { type Changes, changesIn } from "./changes.ts";
import { inSteps, type Pace, QUIET, type Step } from "./pace.ts";
import { type FileParts, forgetFile, readFile } from "./read-file.ts";

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
