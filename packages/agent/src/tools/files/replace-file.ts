/** A file replaced by other bytes, with both kept before it is, so that a move in the session can put back either. */

import { hashOf } from "../../bytes/hash-of.ts";
import type { FileChange, Side } from "../../rewind/file-change.ts";
import type { Originals } from "../../rewind/originals.ts";
import type { Held } from "../../workspace.ts";
import type { FileParts } from "./file-parts.ts";
import type { Reads } from "./reads.ts";

export interface Replacing extends Held {
  /** Absolute. */
  readonly path: string;
  /** Null where there is no file. */
  readonly before: Uint8Array | null;
  readonly after: Uint8Array;
}

export type FileReplaced =
  | { readonly type: "replaced"; readonly change: FileChange }
  | { readonly type: "refused"; readonly message: string };

export interface ReplaceParts extends Pick<FileParts, "files" | "originals" | "redaction"> {
  readonly reads: Reads;
}

export async function replaceFile(
  { path, real, before, after }: Replacing,
  { files, originals, reads }: ReplaceParts,
): Promise<FileReplaced> {
  const unkept = originals ? await keepBoth({ before, after }, originals) : [];
  const written = await files.write(path, after, { real });
  if (written.type === "refused") return written;
  const hashes = { before: before && (await hashOf(before)), after: await reads.remember(path, after) };
  return { type: "replaced", change: { path, ...hashes, ...(unkept.length > 0 && { unkept }) } };
}

/** Which of them could not be kept. */
async function keepBoth(
  { before, after }: Pick<Replacing, "before" | "after">,
  originals: Originals,
): Promise<readonly Side[]> {
  const unkept: Side[] = [];
  if (before && (await originals.keep(before)) === null) unkept.push("before");
  if ((await originals.keep(after)) === null) unkept.push("after");
  return unkept;
}
