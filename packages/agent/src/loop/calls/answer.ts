/** The result of a call in the log: bounded, and one that can be written, whatever a tool came up with. */

import type { ToolResultMessage } from "@pith/context";
import { appendedSoon, NotWritten } from "../../append.ts";
import { hookedMessage } from "../../hooks/hook-message.ts";
import type { ToolOutput } from "../../tool.ts";
import type { OpenCall } from "../next.ts";
import type { RunParts } from "../run-parts.ts";
import { bounded, roomIn } from "./bounded.ts";

export async function answered(open: OpenCall, output: ToolOutput, parts: RunParts): Promise<ToolResultMessage> {
  try {
    return await kept(open, output, parts);
  } catch (error) {
    if (error instanceof NotWritten) throw error;
    // Too long for a line, nested without end, or no result at all: then that is the answer.
    const why = error instanceof Error ? error.message : String(error);
    return await kept(
      open,
      failed(`its result could not be kept: ${parts.session.redacted(why).slice(0, 500)}`),
      parts,
    );
  }
}

async function kept({ call, id }: OpenCall, output: ToolOutput, parts: RunParts): Promise<ToolResultMessage> {
  const { session, model, blobs, ports } = parts;
  if (!Array.isArray(output?.content)) throw new Error(`${call.name} gave no content`);
  // Before it is cut, because half a secret looks like none.
  const clean = session.redacted(output);
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
  const kept = session.redacted(hooked === message ? message : { ...hooked, ...(await bounded(hooked, room)) });
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
