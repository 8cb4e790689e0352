/** Grants one writer per file through numbered lease files. A lease counts only after its holder put its number down and looked again. */

import { basename, dirname } from "node:path";
import { diskError, type FileStat, type Files } from "./files.ts";
import { type Owner, ownerFrom, type Processes } from "./process-owner.ts";

export type Leasing =
  | { readonly type: "leased"; readonly lease: Lease }
  | { readonly type: "held"; readonly owner: Owner };

export interface Lease {
  /** Grows with every holder. */
  readonly token: number;
  /** Whether nobody has taken it over; one look at the disk. */
  holds(): boolean;
  release(): void;
}

export interface LeaseParts {
  readonly files: Files;
  readonly processes: Processes;
  readonly now: () => number;
  /** Makes the names of new files; two processes must never get the same. */
  readonly nonce: () => string;
  /** Take it although its owner lives. */
  readonly takeOver?: boolean;
}

/** Never waits: the lease of the file at this path, or who has it. */
export function takeLease(path: string, parts: LeaseParts): Leasing {
  const place: Place = { ...parts, path };
  const holder = look(place).living;
  if (holder && !parts.takeOver) return { type: "held", owner: holder };
  const offer = written(place, JSON.stringify(parts.processes.self(parts.now())));
  try {
    return settled({ ...place, own: offer.name }, offer);
  } finally {
    sweep(parts.files, offer.name);
  }
}

// Others may win each single race, but somebody wins it: to lose this many in a row, the disk must be lying.
const TRIES = 50;
const RELEASED = JSON.stringify({ released: true });
// Far more than an owner takes; what is longer is not ours.
const LONGEST = 4096;

interface Place extends LeaseParts {
  readonly path: string;
  /** Our own offer: nobody needs to look whether we live. */
  readonly own?: string;
}

/** A file with its content, ready to be linked to a number, so that no number is ever seen without its owner. */
interface Offer {
  readonly name: string;
  readonly identity: string;
}

function settled(place: Place, offer: Offer): Leasing {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const seen = look(place);
    if (seen.living && !place.takeOver) return { type: "held", owner: seen.living };
    const lease = claimed(place, offer, (seen.numbers.at(-1) ?? 0) + 1);
    if (lease) return { type: "leased", lease };
  }
  const { living } = look(place);
  if (living) return { type: "held", owner: living };
  throw new Error(`the lease of ${place.path} was lost to others ${TRIES} times, but nobody has it`);
}

function claimed(place: Place, offer: Offer, token: number): Lease | null {
  const { files } = place;
  const name = numbered(place, token);
  if (!isLinked(files, offer.name, name)) return null;
  let mine = false;
  try {
    const others = look(place, token);
    if (mayStay(place, others, token)) {
      // Upwards, so that a failure on the way leaves the highest and the count does not start again.
      for (const number of others.numbers) removed(files, numbered(place, number));
      mine = true;
    }
  } finally {
    if (!mine) removed(files, name);
  }
  return mine ? leaseOf(place, offer.identity, token) : null;
}

// A listing that runs while others add and remove may show neither the old nor the new number. But a number that is
// there all the while is in it. So of two who both put theirs down before they looked, the later one sees the earlier;
// and if the number before mine is gone, somebody has already held a higher one, seen or not.
function mayStay(place: Place, others: Sight, token: number): boolean {
  const highest = others.numbers.at(-1) ?? 0;
  return place.takeOver ? highest < token : highest === token - 1 && !others.living;
}

function leaseOf(place: Place, identity: string, token: number): Lease {
  const { files } = place;
  const name = numbered(place, token);
  // Not by the name alone: a slow taker may link it again, for a moment, after a third one has taken over. Its file
  // was written before it looked, so it existed beside ours and cannot have inherited our file's identity.
  const holds = () => stampOf(files.stat(name)) === identity;
  const release = () => {
    if (!holds()) return;
    // The next number stays behind as a mark. Without it the count would start again, and a slow taker that looked
    // before could create a number that a later holder has too, or believe itself the first.
    try {
      const mark = written(place, RELEASED);
      try {
        isLinked(files, mark.name, numbered(place, token + 1));
      } finally {
        sweep(files, mark.name);
      }
    } catch (error) {
      // No room for a mark, no descriptor left: then our own file stays as one, emptied. That needs neither.
      if (diskError(error) === "") throw error;
      emptied(files, name);
      return;
    }
    removed(files, name);
  };
  return { token, holds, release };
}

interface Sight {
  /** Upwards. */
  readonly numbers: readonly number[];
  /** The living owner with the highest number. */
  readonly living: Owner | null;
}

function look(place: Place, except?: number): Sight {
  const prefix = numbered(place, "");
  const found = place.files
    .list(dirname(place.path))
    .filter((name) => name.startsWith(basename(prefix)))
    .map((name) => name.slice(basename(prefix).length));
  for (const rest of found)
    if (rest.endsWith(".new") && `${prefix}${rest}` !== place.own) sweepDead(place, `${prefix}${rest}`);
  const numbers = found
    .filter((rest) => /^[1-9]\d{0,14}$/.test(rest))
    .map(Number)
    .filter((number) => number !== except)
    .sort((one, other) => one - other);
  const owners = numbers.map((number) => ownerIn(place.files, numbered(place, number)));
  return { numbers, living: owners.findLast((owner) => owner !== null && place.processes.isAlive(owner)) ?? null };
}

function numbered({ path }: Place, number: number | ""): string {
  return `${path}.lease.${number}`;
}

/** Null for what was released, torn or removed meanwhile: nobody is behind it. */
function ownerIn(files: Files, name: string): Owner | null {
  try {
    const file = files.open(name, "read");
    try {
      const bytes = new Uint8Array(LONGEST);
      return ownerFrom(new TextDecoder().decode(bytes.subarray(0, file.read(bytes, 0))));
    } finally {
      file.close();
    }
  } catch (error) {
    if (diskError(error) === "ENOENT") return null;
    throw error;
  }
}

// Nothing is synced: a lease need not survive a power cut, for no process does.
function written(place: Place, line: string): Offer {
  const name = `${place.path}.lease.${place.nonce()}.new`;
  const file = place.files.create(name);
  try {
    const bytes = new TextEncoder().encode(`${line}\n`);
    // Half an owner would read as a dead one's, and a second writer would come in.
    if (file.append(bytes) < bytes.length)
      throw Object.assign(new Error(`ENOSPC: ${name} was cut short`), { code: "ENOSPC" });
    return { name, identity: stampOf(file.stat()) };
  } catch (error) {
    sweep(place.files, name);
    throw error;
  } finally {
    file.close();
  }
}

function isLinked(files: Files, from: string, to: string): boolean {
  try {
    files.link(from, to);
    return true;
  } catch (error) {
    if (diskError(error) === "EEXIST") return false;
    throw error;
  }
}

// The number of a file is given to another as soon as it is free, so the time belongs to it: a folder that was cleared by hand
// and filled again must not look like the old one.
function stampOf(stat: FileStat | null): string {
  return stat === null ? "" : `${stat.identity} ${stat.modified}`;
}

function emptied(files: Files, name: string): void {
  const file = files.open(name, "append");
  try {
    file.truncate(0);
  } finally {
    file.close();
  }
}

function removed(files: Files, name: string): void {
  try {
    files.remove(name);
  } catch (error) {
    if (diskError(error) !== "ENOENT") throw error;
  }
}

/** Only what a dead owner wrote to the end: one still empty may belong to somebody who is just writing. */
function sweepDead({ files, processes }: Place, name: string): void {
  const owner = ownerIn(files, name);
  if (owner && !processes.isAlive(owner)) sweep(files, name);
}

function sweep(files: Files, name: string): void {
  try {
    files.remove(name);
  } catch (error) {
    // A file that nobody looks for is litter, no reason to lose a lease that was just won.
    if (diskError(error) === "") throw error;
  }
}
