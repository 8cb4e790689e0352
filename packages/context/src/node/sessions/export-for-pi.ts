/** A session as pi itself would have written it: version 3, no seals, every image in its place. All branches come along, and the leaf is the same. */

import type { Header } from "../../entry.ts";
import { blobsIn, isImage, type KeptBlob, withInlined } from "../../session/blob-block.ts";
import { CURRENT_VERSION } from "../../session/codec/header.ts";
import { entryAlone } from "../../session/codec/line/entry-of.ts";
import type { JsonObject } from "../../session/codec/line/read-line.ts";
import type { Redaction } from "../../session/redaction.ts";
import { type BlobReading, blobContent } from "../blobs/blob-folder.ts";
import { orUnavailable, type Unavailable } from "../files/unavailable.ts";
import { changedText } from "./copying/changed-text.ts";
import { redactedText } from "./copying/redacted-text.ts";
import { type SourceLine, sourceLines } from "./copying/source-lines.ts";
import { writeCopy } from "./copying/write-copy.ts";
import { type HomeParts, settled } from "./home.ts";
import { cwdOf } from "./placing/new-place.ts";

export type Exporting =
  | {
      readonly type: "exported";
      /** Hashes of blobs that are lost or changed: where they belong, the words about them stay. */
      readonly missing: readonly string[];
    }
  | Unavailable;

/** `to` must be free; what leaves passes the redaction. */
export async function exportForPi(path: string, to: string, parts: HomeParts = {}): Promise<Exporting> {
  const all = settled(parts);
  const { files, redaction } = all;
  return orUnavailable<Exporting>(`${path} cannot be exported to ${to}`, async () => {
    const file = files.open(path, "read");
    try {
      const { header, lines } = await sourceLines(file, all);
      const missing = new Set<string>();
      const contentOf = (blob: KeptBlob): string | null => {
        const content = contentIn(blobContent(path, blob.hash, { files }), blob);
        if (content === null) missing.add(blob.hash);
        return content;
      };
      const first = plainHeader(redaction.redacted({ ...header, cwd: cwdOf(path, header, files) }));
      await writeCopy(to, plainLines(first, lines(), { contentOf, redaction }), files);
      return { type: "exported", missing: [...missing] };
    } finally {
      file.close();
    }
  });
}

function contentIn(reading: BlobReading, blob: KeptBlob): string | null {
  if (reading.type !== "read") return null;
  return Buffer.from(reading.bytes).toString(isImage(blob) ? "base64" : "utf8");
}

function plainHeader({ pith: _, ...header }: Header): string {
  return JSON.stringify({ ...header, version: CURRENT_VERSION });
}

interface Plainly {
  readonly contentOf: (blob: KeptBlob) => string | null;
  readonly redaction: Redaction;
}

function* plainLines(header: string, lines: Iterable<SourceLine>, plainly: Plainly): Generator<Uint8Array> {
  yield Buffer.from(`${header}\n`);
  for (const line of lines) yield Buffer.from(`${plainText(line.text(), plainly)}\n`);
}

function plainText(text: string, { contentOf, redaction }: Plainly): string {
  return redactedText(inlinedText(text, contentOf), redaction);
}

function inlinedText(text: string, contentOf: Plainly["contentOf"]): string {
  // Few lines name a blob, and only those are taken apart.
  if (!text.includes('"blob"')) return text;
  const entry = entryAlone(JSON.parse(text) as JsonObject);
  if (!entry || blobsIn(entry).length === 0) return text;
  return changedText(text, entry, withInlined(entry, contentOf));
}
