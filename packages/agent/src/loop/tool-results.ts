/** Bounds, redacts and records the result of a tool call; output that cannot be recorded becomes an error result. */

import type { ImageBlock, TextBlock, ToolResultMessage } from "@pith/context";
import { blobReference } from "@pith/context/host";
import { appendedSoon, NotWritten } from "../append.ts";
import { hookedMessage } from "../hooks/message-hooks.ts";
import type { Blobs } from "../ports.ts";
import type { ToolOutput } from "../tool.ts";
import type { OpenCall } from "./pending-work.ts";
import type { RunParts } from "./run-context.ts";

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

/** Output that is too long is kept whole in a blob, and only its ends are shown, with a handle. */
export async function bounded(output: ToolOutput, { room, blobs }: Room): Promise<ToolOutput> {
  const texts = output.content.filter((block) => block.type === "text");
  const whole = new TextEncoder().encode(texts.map(({ text }) => text).join("\n"));
  if (whole.length <= room + TOLERANCE) return output;
  const kept = await blobs?.keep(whole);
  const where = kept?.type === "kept" ? `read ${blobReference(kept.hash)} for all of it` : "the rest was not kept";
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

export async function answered(open: OpenCall, output: ToolOutput, parts: RunParts): Promise<ToolResultMessage> {
  try {
    return await kept(open, output, parts);
  } catch (error) {
    if (error instanceof NotWritten) throw error;
    // Too long for a line, nested without end, or no result at all: then that is the answer.
    const why = error instanceof Error ? error.message : String(error);
    return await kept(open, failed(`its result could not be kept: ${parts.session.redact(why).slice(0, 500)}`), parts);
  }
}

async function kept({ call, id }: OpenCall, output: ToolOutput, parts: RunParts): Promise<ToolResultMessage> {
  const { session, model, blobs, ports } = parts;
  if (!Array.isArray(output?.content)) throw new Error(`${call.name} gave no content`);
  // Before it is cut, because half a secret looks like none.
  const clean = session.redact(output);
  const room = { room: roomIn(model.contextWindow), blobs };
  const { content, details } = await bounded(clean, room);
  const message: ToolResultMessage = {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content,
    ...(details !== undefined && { details }),
    isError: output.isError === true,
    timestamp: ports.now(),
  };
  const hooked = await hookedResultMessage(message, parts);
  const kept = session.redact(hooked === message ? message : { ...hooked, ...(await bounded(hooked, room)) });
  await appendedSoon(session, { type: "message", message: kept, id });
  return kept;
}

// Every call has its result: where none may be kept, that is the result.
async function hookedResultMessage(message: ToolResultMessage, parts: RunParts): Promise<ToolResultMessage> {
  try {
    return await hookedMessage(message, parts);
  } catch (error) {
    if (!(error instanceof NotWritten)) throw error;
    const { details: _, ...rest } = message;
    return { ...rest, ...failed(error.message), isError: true };
  }
}

export function failed(text: string): ToolOutput {
  return { content: [{ type: "text", text }], isError: true };
}
