/** Bounds, redacts and records the result of a tool call; output that cannot be recorded becomes an error result. */

import type { ImageBlock, TextBlock, ToolResultMessage } from "@pith/context";
import { blobReference } from "@pith/context/host";
import { AppendError, appendBuffered } from "../append-entries.ts";
import type { HookContext } from "../hooks/hooks.ts";
import { runMessageHooks } from "../hooks/message-hooks.ts";
import { toDetailsObject } from "../hooks/tool-hooks.ts";
import type { OpenCall } from "../pending-work.ts";
import type { BlobStore } from "../ports.ts";
import type { RunContext } from "../run-context.ts";
import type { ToolOutput } from "../tool.ts";
import { errorOutput } from "../tools/tool-io.ts";

/** What recording a result needs. */
export type ResultContext = HookContext & Pick<RunContext, "model" | "blobs">;

export async function recordResult(
  openCall: OpenCall,
  output: ToolOutput,
  run: ResultContext,
): Promise<ToolResultMessage> {
  try {
    return await recordOutput(openCall, output, run);
  } catch (error) {
    if (error instanceof AppendError) throw error;
    // The output is too long for a line, cyclic, or not a tool output at all.
    const why = error instanceof Error ? error.message : String(error);
    return await recordOutput(
      openCall,
      errorOutput(`the result could not be recorded: ${run.session.redact(why).slice(0, 500)}`),
      run,
    );
  }
}

async function recordOutput(
  { call, resultId }: OpenCall,
  output: ToolOutput,
  run: ResultContext,
): Promise<ToolResultMessage> {
  const { session, model, blobs, runtime } = run;
  if (!Array.isArray(output?.content)) throw new Error(`${call.name} returned no content`);
  // Redact before cutting: a part of a secret is not recognized.
  const redacted = session.redact(output);
  const bounds = { maxOutputBytes: computeMaxOutputBytes(model.contextWindow), blobs };
  const { content, details } = await boundOutput(redacted, bounds);
  const message: ToolResultMessage = {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content,
    ...(details !== undefined && { details }),
    isError: output.isError === true,
    timestamp: runtime.now(),
  };
  const finalMessage = await runResultMessageHooks(message, run);
  const recorded = session.redact(
    finalMessage === message ? message : { ...finalMessage, ...(await boundOutput(finalMessage, bounds)) },
  );
  await appendBuffered(session, { type: "message", message: recorded, id: resultId });
  return recorded;
}

// Every call needs a result, so a refusal of the hooks becomes the result.
async function runResultMessageHooks(message: ToolResultMessage, run: HookContext): Promise<ToolResultMessage> {
  try {
    return await runMessageHooks(message, run);
  } catch (error) {
    if (!(error instanceof AppendError)) throw error;
    const { details: _, ...rest } = message;
    return { ...rest, ...errorOutput(error.message), isError: true };
  }
}

/** Records in the details that the call was stopped or denied, so that it is not shown as a failure; `readCallOutcome` reads it. */
export function markOutcome(output: ToolOutput, outcome: "stopped" | "denied"): ToolOutput {
  const { pith, ...details } = toDetailsObject(output);
  return { ...output, details: { ...details, pith: { ...Object(pith), [outcome]: true } } };
}

/** How a tool call ended. `stopped`: the user stopped it. `denied`: the user or the permission rules did not allow it. */
export type CallOutcome = "succeeded" | "failed" | "stopped" | "denied";

/** Reads from its result how a tool call ended. */
export function readCallOutcome({ details, isError }: Pick<ToolResultMessage, "details" | "isError">): CallOutcome {
  const { pith } = Object(details) as { readonly pith?: unknown };
  const { stopped, denied } = Object(pith) as { readonly stopped?: unknown; readonly denied?: unknown };
  if (stopped === true) return "stopped";
  if (denied === true) return "denied";
  return isError ? "failed" : "succeeded";
}

/** The maximum size of a result: a tenth of the context window, and at most 50 KB (B7). */
export function computeMaxOutputBytes(contextWindow: number): number {
  return Math.min(MAX_BYTES, Math.floor(contextWindow * CONTEXT_SHARE) * BYTES_PER_TOKEN);
}

const MAX_BYTES = 50 * 1024;
const CONTEXT_SHARE = 0.1;
// A low estimate: code has more than three bytes per token, and a Chinese character has three bytes.
const BYTES_PER_TOKEN = 3;

export interface OutputBounds {
  readonly maxOutputBytes: number;
  readonly blobs: BlobStore | undefined;
}

/** Output that is too long is kept whole in a blob, and only its ends are shown, with a handle. */
export async function boundOutput(output: ToolOutput, { maxOutputBytes, blobs }: OutputBounds): Promise<ToolOutput> {
  const texts = output.content.filter((block) => block.type === "text");
  const bytes = new TextEncoder().encode(texts.map(({ text }) => text).join("\n"));
  if (bytes.length <= maxOutputBytes + TOLERANCE_BYTES) return output;
  const saved = await blobs?.keep(bytes);
  const hint =
    saved?.type === "kept" ? `read ${blobReference(saved.hash)} for the full output` : "the rest was not stored";
  const excerpt = excerptEnds(bytes, maxOutputBytes, hint);
  return { ...output, content: [excerpt, ...output.content.filter(isImage)] };
}

/** Tools that limit their output themselves may add a final line. */
const TOLERANCE_BYTES = 1024;

function excerptEnds(bytes: Uint8Array, maxOutputBytes: number, hint: string): TextBlock {
  const head = Math.floor(maxOutputBytes * HEAD_SHARE);
  const tail = maxOutputBytes - head;
  const omittedBytes = bytes.length - head - tail;
  const text = (start: number, end: number): string => new TextDecoder().decode(bytes.subarray(start, end));
  const note = `[… ${omittedBytes.toLocaleString("en-US")} bytes omitted; ${hint} …]`;
  return {
    type: "text",
    text: `${text(0, head).toWellFormed()}\n${note}\n${text(bytes.length - tail, bytes.length).toWellFormed()}`,
  };
}

const HEAD_SHARE = 0.3;

function isImage(block: TextBlock | ImageBlock): block is ImageBlock {
  return block.type === "image";
}
