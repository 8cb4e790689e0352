/** The blobs of a session that hold secrets, as they are without them. A blob is called after its content, so another content is another name. */

import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { Redaction } from "../../../session/redaction.ts";
import { blobContent, blobHashes } from "../../blobs/blob-folder.ts";
import type { Files } from "../../files/files.ts";

export interface ChangedBlob {
  /** Hashes. */
  readonly from: string;
  readonly to: string;
  readonly bytes: Uint8Array;
}

export interface Looking {
  readonly files: Files;
  readonly redaction: Redaction;
}

export function changedBlobs(sessionPath: string, { files, redaction }: Looking): readonly ChangedBlob[] {
  return blobHashes(sessionPath, files).flatMap((from) => {
    const read = blobContent(sessionPath, from, { files });
    const bytes = read.type === "read" ? withoutSecrets(read.bytes, redaction) : null;
    return bytes ? [{ from, to: createHash("sha256").update(bytes).digest("hex"), bytes }] : [];
  });
}

/** Null where there are none. What is no text is looked at byte by byte: the environment of a process is none, and is full of them. */
function withoutSecrets(bytes: Uint8Array, redaction: Redaction): Uint8Array | null {
  const encoding = isUtf8(bytes) ? "utf8" : "latin1";
  const text = Buffer.from(bytes).toString(encoding);
  const clean = redaction.redacted(text);
  return clean === text ? null : Buffer.from(clean, encoding);
}

/** A line that names them by their new names. */
export function renamed(text: string, blobs: readonly ChangedBlob[]): string {
  return blobs.reduce((line, { from, to }) => line.replaceAll(from, to), text);
}
