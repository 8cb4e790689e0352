/** A whole session once more, with all its branches: every line as it was written, but for the header and where the parents stand. */

import { resolve } from "node:path";
import type { Header } from "../../entry.ts";
import { withMembers } from "../../session/codec/line/json-text.ts";
import { markedHeader } from "../../session/codec/session-file.ts";
import { blobHashes, copyBlobs } from "../blobs/blob-folder.ts";
import { orUnavailable, type Unavailable } from "../files/unavailable.ts";
import { copiedLines } from "./copying/copied-lines.ts";
import { sourceLines } from "./copying/source-lines.ts";
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
      const lines = copiedLines({ header: text, lines: source.lines(), checksum: all.ports.checksum });
      await writeCopy(place.path, lines, files);
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

const timeOf = (now: number): string => new Date(now).toISOString();
