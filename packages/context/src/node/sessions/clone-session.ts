/** A whole session once more, with all its branches: every line as it was written, but for the header and where the parents stand. */

import { resolve } from "node:path";
import type { Header } from "../../entry.ts";
import type { Checksum } from "../../ports.ts";
import { withMembers } from "../../session/codec/line/json-text.ts";
import { sealed } from "../../session/codec/line/seal.ts";
import { markedHeader } from "../../session/codec/session-file.ts";
import { blobHashes, copyBlobs } from "../blobs/blob-folder.ts";
import { orUnavailable, type Unavailable } from "../files/unavailable.ts";
import { Shifts } from "./copying/shifts.ts";
import { type SourceLine, sourceLines } from "./copying/source-lines.ts";
import { writeCopy } from "./copying/write-copy.ts";
import { type HomeParts, settled } from "./home.ts";
import { cwdOf, newPlace } from "./placing/new-place.ts";

export interface ClonePlan extends HomeParts {
  /** The directory of the new session; that of the old one if not said. */
  readonly cwd?: string;
  readonly id?: string;
}

export type Cloning = { readonly type: "cloned"; readonly path: string; readonly id: string } | Unavailable;

/** The source may be open anywhere, also for writing. */
export async function cloneSession(path: string, { cwd, id, ...parts }: ClonePlan = {}): Promise<Cloning> {
  const all = settled(parts);
  const { files } = all;
  return orUnavailable<Cloning>(`${path} cannot be cloned`, async () => {
    const file = files.open(path, "read");
    try {
      const source = await sourceLines(file, all);
      const newCwd = resolve(cwd ?? cwdOf(path, source.header, files));
      const place = newPlace(newCwd, { ...all, id });
      if (place.type !== "free") return place;
      // Before the log: whoever sees the new session finds its blobs.
      const copying = await copyBlobs(path, place.path, { hashes: blobHashes(path, files), files });
      if (copying.type !== "copied") return copying;
      const header = {
        id: place.ports.sessionId(),
        timestamp: timeOf(place.ports.now()),
        cwd: newCwd,
        parentSession: resolve(path),
      };
      const text = headerText(source.headerText, header);
      await writeCopy(place.path, copiedLines(text, source.lines(), all.ports.checksum), files);
      return { type: "cloned", path: place.path, id: header.id };
    } finally {
      file.close();
    }
  });
}

function headerText(old: string, members: Pick<Header, "id" | "timestamp" | "cwd" | "parentSession">): string {
  const changes = Object.entries(members).map(([name, value]) => [name, JSON.stringify(value)]);
  return markedHeader(withMembers(old, Object.fromEntries(changes)));
}

function* copiedLines(header: string, lines: Iterable<SourceLine>, checksum: Checksum): Generator<Uint8Array> {
  const shifts = new Shifts();
  let at = 0;
  const ended = (line: Uint8Array): Uint8Array => {
    const bytes = Buffer.concat([line, LINE_END]);
    at += bytes.length;
    return bytes;
  };
  yield ended(Buffer.from(sealed(header, {}, checksum)));
  for (const { offset, sealed: asWritten, marks, text } of lines) {
    shifts.add(offset, at);
    // A seal sums up its own line only, so a line that names no place is copied byte for byte.
    if (asWritten && marks.up === undefined && marks.run === undefined) yield ended(asWritten);
    else yield ended(Buffer.from(sealed(text(), moved(marks, shifts), checksum)));
  }
}

// The copy is on the disk before anybody sees it: no line of it has anything to wait for.
function moved({ up, batch }: SourceLine["marks"], shifts: Shifts): SourceLine["marks"] {
  return { ...(up !== undefined && { up: shifts.at(up) }), ...(batch && { batch }) };
}

const timeOf = (now: number): string => new Date(now).toISOString();
const LINE_END = Buffer.from("\n");
