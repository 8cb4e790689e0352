/** Lists the images in messages, each with the reference that opens it, for when it is no longer shown (B51). */

import { isObject } from "../json.ts";
import { blobReference } from "../references.ts";
import { isImageBlob, parseBlobBlock } from "../session/blobs.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import { imageSize } from "../tokens/estimate-tokens.ts";
import { type LedgerImage, MAX_LEDGER_CHARS } from "./ledger.ts";
import { messageBlocks, messageTexts, type VisibleMessage } from "./tool-runs.ts";

/** `path` is the file named by the call whose result this is. */
export function messageImages(source: VisibleMessage, path: string | null): readonly LedgerImage[] {
  // An edit may have left a mark where the image was; it is the image that must not be lost.
  const images = messageBlocks(source.original).flatMap((block) => {
    const handle = imageReference(block, source);
    return handle === null ? [] : [{ handle, size: formatImageSize(block) }];
  });
  if (images.length === 0) return [];
  const shared = {
    path: path !== null && path.length <= MAX_LEDGER_CHARS.path ? path : null,
    caption: findImageCaption(source),
    entryId: source.entryId,
  };
  return images.map((image) => ({ ...image, ...shared }));
}

/** The first line beside it, which is not a mark in its place. */
function findImageCaption({ message }: VisibleMessage): string | null {
  const captionText = messageTexts(message).find((text) => /\S/.test(text) && !text.startsWith("[image ")) ?? "";
  const [first = ""] = captionText.trimStart().split(/[\r\n]/, 1);
  return sanitizeLine(first, MAX_LEDGER_CHARS.caption) || null;
}

function imageReference(block: unknown, { reference }: VisibleMessage): string | null {
  if (isObject(block) && block.type === "image") return reference;
  const blob = parseBlobBlock(block);
  return blob && isImageBlob(blob) ? blobReference(blob.hash) : null;
}

/** Of one that stands in the entry; a blob would have to be opened. */
function formatImageSize(block: unknown): string | null {
  const size = isObject(block) && typeof block.data === "string" ? imageSize(block.data) : null;
  return size && `${size.width}x${size.height}`;
}
