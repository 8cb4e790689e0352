/** What is left of an image that is no longer shown: its size, its path, a caption, and the handle that opens it (B51). */

import { imageSize } from "../../../reading/tokens/image-size.ts";
import { blobHandle, blobOf, isImage } from "../../../session/blob-block.ts";
import { isObject } from "../../../session/codec/line/read-line.ts";
import { plainText } from "../../../session/plain-text.ts";
import { LETTERS, type LedgerImage } from "../ledger.ts";
import { blocksOf, type Said, textsOf } from "./said.ts";

/** `path` is the file named by the call whose result this is. */
export function imagesOf(said: Said, path: string | null): readonly LedgerImage[] {
  // An edit may have left a mark where the image was; it is the image that must not be lost.
  const images = blocksOf(said.unedited).flatMap((block) => {
    const handle = handleOf(block, said.entryId);
    return handle === null ? [] : [{ handle, size: sizeOf(block) }];
  });
  if (images.length === 0) return [];
  const beside = {
    path: path !== null && path.length <= LETTERS.path ? path : null,
    caption: captionOf(said),
    entryId: said.entryId,
  };
  return images.map((image) => ({ ...image, ...beside }));
}

/** The first line beside it, which is not a mark in its place. */
function captionOf({ message }: Said): string | null {
  const beside = textsOf(message).find((text) => /\S/.test(text) && !text.startsWith("[image ")) ?? "";
  const [first = ""] = beside.trimStart().split(/[\r\n]/, 1);
  return plainText(first, LETTERS.caption) || null;
}

function handleOf(block: unknown, entryId: string): string | null {
  if (isObject(block) && block.type === "image") return `entry:${entryId}`;
  const blob = blobOf(block);
  return blob && isImage(blob) ? blobHandle(blob.hash) : null;
}

/** Of one that stands in the entry; a blob would have to be opened. */
function sizeOf(block: unknown): string | null {
  const size = isObject(block) && typeof block.data === "string" ? imageSize(block.data) : null;
  return size && `${size.width}x${size.height}`;
}
