/** What has changed on the disk since the index was last brought up to date: one look at each file's state, none at its content. */

import type { Checksum } from "../../../ports.ts";
import type { FileStat } from "../../files/files.ts";
import { filesIn, folders, type KnownFile, type KnownFolder } from "../keeping/known-files.ts";
import type { Database } from "../keeping/sqlite.ts";
import { type Looking, look, type Seen } from "./look.ts";
import { breath } from "./pace.ts";

export interface ChangedFile {
  readonly folder: string;
  readonly name: string;
  readonly stat: FileStat;
  readonly known: KnownFile | null;
}

export interface Changes {
  /** New or written since; those last written come last. */
  readonly files: readonly ChangedFile[];
  /** No longer there, or in doubt. */
  readonly gone: readonly KnownFile[];
  /** What the changed folders look like now. */
  readonly states: ReadonlyMap<string, string>;
  /** At most so much is to be read. */
  readonly bytes: number;
}

export interface ChangeParts extends Looking {
  readonly places: readonly string[];
  readonly checksum: Checksum;
}

export async function changesIn(database: Database, { places, checksum, ...looking }: ChangeParts): Promise<Changes> {
  const known = folders(database);
  const states = new Map<string, string>();
  const changes: Pick<Changes, "files" | "gone">[] = [];
  for (const path of places) {
    const seen = look(path, looking);
    await breath();
    const state = seen && stateOf(seen, checksum);
    const folder = known.get(path);
    if (!seen || state === null || state === (folder?.state ?? NO_FILES)) continue;
    states.set(path, state);
    changes.push(changesOf(path, seen, knownFiles(database, folder)));
  }
  const changed = changes.flatMap((each) => each.files).sort((one, other) => one.stat.modified - other.stat.modified);
  const bytes = changed.reduce((sum, { stat, known }) => sum + stat.size - (known?.covered ?? 0), 0);
  return { files: changed, gone: changes.flatMap(({ gone }) => gone), states, bytes };
}

function stateOf(seen: Seen, checksum: Checksum): string {
  const state = STATES.get(seen) ?? summedUp(seen, checksum);
  STATES.set(seen, state);
  return state;
}

// Files only grow, so a sum of their sizes cannot stay the same by chance when one of them did. No text is made of each: there are thousands.
function summedUp(seen: Seen, checksum: Checksum): string {
  if (seen.size === 0) return NO_FILES;
  let [size, times] = [0, 0];
  for (const { size: own, modified } of seen.values()) {
    size += own;
    times = (Math.imul(times, 31) + Math.floor(modified * 1000 + own)) | 0;
  }
  return `${seen.size} ${size} ${times} ${checksum(Buffer.from([...seen.keys()].join("\n")))}`;
}

function knownFiles(database: Database, folder: KnownFolder | undefined): readonly KnownFile[] {
  return folder ? filesIn(database, folder.id) : [];
}

function changesOf(folder: string, seen: Seen, before: readonly KnownFile[]): Pick<Changes, "files" | "gone"> {
  const known = new Map(before.map((file) => [file.name, file]));
  const isSound = (file: KnownFile): boolean => file.covered >= 0 && seen.has(file.name);
  const changed = [...seen].flatMap(([name, stat]): ChangedFile[] => {
    const file = known.get(name);
    if (!file || !isSound(file)) return [{ folder, name, stat, known: null }];
    return isStill(file, stat) ? [] : [{ folder, name, stat, known: file }];
  });
  return { files: changed, gone: before.filter((file) => !isSound(file)) };
}

function isStill({ identity, size, modified }: KnownFile, stat: FileStat): boolean {
  return identity === stat.identity && size === stat.size && modified === stat.modified;
}

const NO_FILES = "0";
/** Where nothing has changed, nobody needs to sum it up again. */
const STATES = new WeakMap<Seen, string>();
