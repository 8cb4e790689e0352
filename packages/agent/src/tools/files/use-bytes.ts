/** The bytes of a file while they are worked on: of large files those of one at a time, because the calls of a reply run at once and memory is for all. */

import type { FileRead, Held } from "../../workspace.ts";
import type { FileParts } from "./file-parts.ts";
import type { Reads } from "./reads.ts";

export interface BytesWish extends Held {
  /** Absolute. */
  readonly at: string;
  readonly signal: AbortSignal;
}

export interface BytesParts extends Pick<FileParts, "files"> {
  readonly reads: Reads;
}

export async function useBytes<Outcome>(
  { at, ...act }: BytesWish,
  { files, reads }: BytesParts,
  use: (found: FileRead) => Promise<Outcome>,
): Promise<Outcome> {
  const found = await files.read(at, { ...act, mostBytes: LARGE });
  if (found.type !== "too-large") return await use(found);
  return await reads.inTurn(LARGE_FILES, async () => use(await files.read(at, act)));
}

const LARGE = 4 * 1024 * 1024;
/** No path: those are absolute. */
const LARGE_FILES = "large files";
