/** Parses an image that a program sent. */

import { detectImageType, MAX_IMAGE_BYTES } from "@pith/agent";
import type { ImageBlock } from "@pith/context";

/**
 * Detects the type of an image from its bytes; the declared type is ignored. Null if it is not an image or too large: the provider
 * would refuse every later request of the session because of an invalid image.
 */
export function parseImage(base64: string): ImageBlock | null {
  if (base64.length > MAX_IMAGE_BYTES * 1.4) return null;
  const bytes = Buffer.from(base64, "base64");
  const mimeType = bytes.length > MAX_IMAGE_BYTES ? null : detectImageType(bytes);
  return mimeType === null ? null : { type: "image", data: bytes.toString("base64"), mimeType };
}
