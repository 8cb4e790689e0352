/** The state of all session files of a folder. Thousands that nobody has touched for a day are looked at twice a second at most, the others each time. */

import type { FileStat, Files } from "../../files/files.ts";
import { orNull } from "../../files/unavailable.ts";
import { isSessionName } from "../../sessions/placing/file-name.ts";

/** By the names of the files; links are none. The same one again where nothing has changed. */
export type Seen = ReadonlyMap<string, FileStat>;

export interface Looking {
  readonly files: Files;
  readonly now: () => number;
}

/** Null for a folder that cannot be read now: that is not an empty one. */
export function look(folder: string, { files, now }: Looking): Seen | null {
  const time = now();
  const last = looks(files).get(folder);
  const recent = last && time >= last.time && time - last.time < FRESH ? last : null;
  return orNull(() => {
    // A folder's own time tells whether names came or went.
    const modified = files.stat(folder)?.modified ?? 0;
    const names = recent?.modified === modified ? recent.seen.keys() : files.list(folder).filter(isSessionName);
    const seen = new Map<string, FileStat>();
    for (const name of names) {
      const before = recent?.seen.get(name);
      const stat = before && isQuiet(before, time) ? before : files.stat(`${folder}/${name}`);
      if (stat?.kind === "file") seen.set(name, before && isSame(before, stat) ? before : stat);
    }
    const found = recent && isAlike(recent.seen, seen) ? recent.seen : seen;
    looks(files).set(folder, { time: recent?.time ?? time, modified, seen: found });
    return found;
  });
}

interface Look {
  /** Of the last look at all files. */
  readonly time: number;
  readonly modified: number;
  readonly seen: Seen;
}

const isQuiet = ({ modified }: FileStat, time: number): boolean => time - modified > QUIET_FOR;

function isSame(one: FileStat, other: FileStat): boolean {
  return one.identity === other.identity && one.size === other.size && one.modified === other.modified;
}

function isAlike(one: Seen, other: Seen): boolean {
  if (one.size !== other.size) return false;
  for (const [name, stat] of other) if (one.get(name) !== stat) return false;
  return true;
}

function looks(files: Files): Map<string, Look> {
  const kept = LOOKS.get(files) ?? new Map<string, Look>();
  LOOKS.set(files, kept);
  return kept;
}

// Of no session, and only a shortcut: without it everything is found all the same, thousands of looks later.
const LOOKS = new WeakMap<Files, Map<string, Look>>();
/** Half of the second within which whatever was written must be found. */
const FRESH = 500;
const QUIET_FOR = 86_400_000;
