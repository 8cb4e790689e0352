/** A picture as a tool shows it, where a provider takes one of its size. */

import type { ToolOutput } from "../../../tool.ts";
import { said, sized } from "../../output.ts";

export function picture(bytes: Uint8Array, name: string, mimeType: string): ToolOutput {
  if (bytes.length > LARGEST_PICTURE) return tooLargePicture(bytes.length, name, mimeType);
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return {
    content: [
      { type: "text", text: `[${name}: ${mimeType}, ${sized(bytes.length)}]` },
      { type: "image", data, mimeType },
    ],
  };
}

export function tooLargePicture(size: number, name: string, mimeType: string): ToolOutput {
  const bound = `more than ${sized(LARGEST_PICTURE)} cannot be shown`;
  return said(`[${name} is a picture (${mimeType}) of ${sized(size)}; ${bound}]`);
}

// Providers refuse a picture over 5 MB, counted in base64.
export const LARGEST_PICTURE: number = 3.75 * 1024 * 1024;
