/** Images out of the log: what is too big for a line becomes a blob, on the disk before any entry names it. */

import type { Draft } from "../../entry.ts";
import { blobBlock, withBlocks } from "../../session/blob-block.ts";
import type { Unavailable } from "../files/unavailable.ts";
import { type BlobParts, keepBlob } from "./blob-folder.ts";

export interface SpillParts extends BlobParts {
  /** Images of more bytes than this become blobs. */
  readonly limit?: number;
  /** What an image costs in a context, for the words that stand in its place. As pi counts it, if not said: 1,200, whatever its size. */
  readonly tokens?: (image: { readonly mimeType: string; readonly bytes: number }) => number;
}

export type Spilling<Each> =
  | {
      readonly type: "spilled";
      /** The one that was given, where nothing in it was too big. */
      readonly draft: Each;
      readonly blobs: number;
    }
  | Unavailable;

/** To be called before the draft is appended; nothing is lost if it then is not. */
export async function spilled<Each extends Draft>(
  draft: Each,
  sessionPath: string,
  { limit = SPILL_LIMIT, tokens = () => IMAGE_TOKENS, ...parts }: SpillParts = {},
): Promise<Spilling<Each>> {
  const blocks = new Map<unknown, unknown>();
  for (const image of bigImages(draft, limit)) {
    const kept = await keepBlob(sessionPath, image.content, parts);
    if (kept.type !== "kept") return kept;
    const { mimeType } = image;
    blocks.set(image.block, blobBlock({ ...kept, mimeType, tokens: tokens({ mimeType, bytes: kept.bytes }) }));
  }
  return {
    type: "spilled",
    draft: withBlocks(draft, (block) => blocks.get(block) ?? block),
    blobs: blocks.size,
  };
}

interface BigImage {
  readonly block: unknown;
  readonly mimeType: string;
  readonly content: Uint8Array;
}

function bigImages(draft: Draft, limit: number): readonly BigImage[] {
  const found: BigImage[] = [];
  withBlocks(draft, (block) => {
    const image = imageIn(block, limit);
    if (image) found.push(image);
    return block;
  });
  return found;
}

function imageIn(block: unknown, limit: number): BigImage | null {
  const { type, data, mimeType } = (block ?? {}) as { type?: unknown; data?: unknown; mimeType?: unknown };
  if (type !== "image" || typeof data !== "string" || typeof mimeType !== "string") return null;
  if (data.length * 0.75 <= limit) return null;
  const content = Buffer.from(data, "base64");
  if (content.length <= limit) return null;
  // What would not come back letter by letter stays where it is.
  return content.toString("base64") === data ? { block, mimeType, content } : null;
}

export const SPILL_LIMIT: number = 32 * 1024;
const IMAGE_TOKENS = 1200;
