/** Lists the images in messages, each with the reference that opens it, for when it is no longer shown (B51). */

import { isObject } from "../format/read-line.ts";
import { blobReference } from "../references.ts";
import { blobOf, isImage } from "../session/blobs.ts";
import { plainText } from "../text/sanitize.ts";
import { imageSize } from "../tokens/estimate-tokens.ts";
import { LETTERS, type LedgerImage } from "./ledger.ts";
import { type LoggedMessage, messageBlocks, messageTexts } from "./tool-runs.ts";

/** `path` is the file named by the call whose result this is. */
export function messageImages(logged: LoggedMessage, path: string | null): readonly LedgerImage[] {
  // An edit may have left a mark where the image was; it is the image that must not be lost.
  const images = messageBlocks(logged.unedited).flatMap((block) => {
    const handle = imageReference(block, logged);
    return handle === null ? [] : [{ handle, size: sizeOf(block) }];
  });
  if (images.length === 0) return [];
  const beside = {
    path: path !== null && path.length <= LETTERS.path ? path : null,
    caption: captionOf(logged),
    entryId: logged.entryId,
  };
  return images.map((image) => ({ ...image, ...beside }));
}

/** The first line beside it, which is not a mark in its place. */
function captionOf({ message }: LoggedMessage): string | null {
  const beside = messageTexts(message).find((text) => /\S/.test(text) && !text.startsWith("[image ")) ?? "";
  const [first = ""] = beside.trimStart().split(/[\r\n]/, 1);
  return plainText(first, LETTERS.caption) || null;
}

function imageReference(block: unknown, { reference }: LoggedMessage): string | null {
  if (isObject(block) && block.type === "image") return reference;
  const blob = blobOf(block);
  return blob && isImage(blob) ? blobReference(blob.hash) : null;
}

/** Of one that stands in the entry; a blob would have to be opened. */
function sizeOf(block: unknown): string | null {
  const size = isObject(block) && typeof block.data === "string" ? imageSize(block.data) : null;
  return size && `${size.width}x${size.height}`;
}
