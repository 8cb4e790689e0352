/** No result takes more of a context than it may: what is longer is kept whole beside the session, and its ends are shown with a handle. */

import { blobHandle, type ImageBlock, type TextBlock } from "@pith/context";
import type { Blobs } from "../../blobs.ts";
import type { ToolOutput } from "../../tool.ts";

/** Bytes of a result that a model with this window can take: a tenth of it, and never more than 50 KB (B7). */
export function roomIn(contextWindow: number): number {
  return Math.min(MOST_BYTES, Math.floor(contextWindow * SHARE) * BYTES_PER_TOKEN);
}

const MOST_BYTES = 50 * 1024;
const SHARE = 0.1;
// Code has more than three bytes a token, and a letter of Chinese has three.
const BYTES_PER_TOKEN = 3;

export interface Room {
  readonly room: number;
  readonly blobs: Blobs | undefined;
}

export async function bounded(output: ToolOutput, { room, blobs }: Room): Promise<ToolOutput> {
  const texts = output.content.filter((block) => block.type === "text");
  const whole = new TextEncoder().encode(texts.map(({ text }) => text).join("\n"));
  if (whole.length <= room + TOLERANCE) return output;
  const kept = await blobs?.keep(whole);
  const where = kept?.type === "kept" ? `read ${blobHandle(kept.hash)} for all of it` : "the rest was not kept";
  const shown = ends(whole, room, where);
  return { ...output, content: [shown, ...output.content.filter(isImage)] };
}

/** A tool that keeps to its room may add a line on how it ended. */
const TOLERANCE = 1024;

function ends(whole: Uint8Array, room: number, where: string): TextBlock {
  const head = Math.floor(room * HEAD);
  const tail = room - head;
  const left = whole.length - head - tail;
  const text = (from: number, to: number): string => new TextDecoder().decode(whole.subarray(from, to));
  const note = `[… ${left.toLocaleString("en-US")} bytes are not shown here: ${where} …]`;
  return {
    type: "text",
    text: `${text(0, head).toWellFormed()}\n${note}\n${text(whole.length - tail, whole.length).toWellFormed()}`,
  };
}

const HEAD = 0.3;

function isImage(block: TextBlock | ImageBlock): block is ImageBlock {
  return block.type === "image";
}
