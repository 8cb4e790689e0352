/** A picture that somebody else sends, if models take it: by its bytes, since what it is called says nothing. */

import { LARGEST_PICTURE, pictureKind } from "@pith/agent";
import type { ImageBlock } from "@pith/context";

/** Null where it is none, or too large. A wrong one would be refused with every later word of the session. */
export function pictureIn(base64: string): ImageBlock | null {
  if (base64.length > LARGEST_PICTURE * 1.4) return null;
  const bytes = Buffer.from(base64, "base64");
  const mimeType = bytes.length > LARGEST_PICTURE ? null : pictureKind(bytes);
  return mimeType === null ? null : { type: "image", data: bytes.toString("base64"), mimeType };
}
