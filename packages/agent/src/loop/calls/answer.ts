/** The result of a call in the log: bounded, and one that can be written, whatever a tool came up with. */

import type { ToolResultMessage } from "@pith/context";
import { appendedSoon, NotWritten } from "../../append.ts";
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
  const { content, details } = await bounded(clean, { room: roomIn(model.contextWindow), blobs });
  const message: ToolResultMessage = {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content,
    ...(details !== undefined && { details }),
    isError: output.isError === true,
    timestamp: ports.now(),
  };
  const kept = session.redacted(message);
  await appendedSoon(session, { type: "message", message: kept, id });
  return kept;
}

export function failed(text: string): ToolOutput {
  return { content: [{ type: "text", text }], isError: true };
}
