/** One session file into the index: only what was added to it, or all of it anew where it is no longer what it was. */

import { join } from "node:path";
import type { FormatLimits } from "../../../limits.ts";
import type { Ports } from "../../../ports.ts";
import type { Redaction } from "../../../session/redaction.ts";
import { diskError, type Files, type OpenFile } from "../../files/files.ts";
import { addEntries, forgetEntries } from "../keeping/entries.ts";
import { addFile, doubt, type KnownFile, keepFile, openFolder } from "../keeping/known-files.ts";
import type { Database } from "../keeping/sqlite.ts";
import type { ChangedFile } from "./changes.ts";
import { newEntries } from "./new-entries.ts";
import { QUIET, type Step } from "./pace.ts";
import { beginningOf } from "./session-lines.ts";

export interface FileParts {
  readonly files: Files;
  readonly ports: Ports;
  readonly limits: FormatLimits;
  readonly redaction: Redaction;
  /** Letters that a volume of the index takes. */
  readonly volumeLetters: number;
}

/** Returns whether the disk let us read it. */
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
