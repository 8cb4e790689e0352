/** A result before it is bounded and kept: hooks may change what it says, what goes with it, and whether it counts as a failure. */

import { answersOf } from "@pith/context";
import type { OpenCall } from "../loop/next.ts";
import type { RunParts } from "../loop/run-parts.ts";
import type { ToolOutput } from "../tool.ts";
import { named } from "./hook-call.ts";
import { soundBlocks, soundDetails } from "./sound-content.ts";

/** Each hook sees the result that the one before it left, without secrets. */
export async function hookedResult(open: OpenCall, output: ToolOutput, parts: RunParts): Promise<ToolOutput> {
  const { hooks, ports, session, signal } = parts;
  if (!hooks.tool_result?.length || !Array.isArray(output?.content)) return output;
  const plain = plainOutput(session.redacted(output));
  if (!plain) return output;
  let said = plain;
  for (const hook of hooks.tool_result) {
    const told = () => ({ type: "tool_result" as const, ...named(open), ...copied(open, said) });
    const { answers, isCancelled } = await answersOf([hook], told, { host: hooks, ports, signal, read: patchIn });
    if (isCancelled) return signal.aborted ? said : UNWATCHED;
    said = { ...said, ...answers[0] };
  }
  return said;
}

const UNWATCHED: ToolOutput = {
  content: [
    {
      type: "text",
      text: "it was run, but a hook that watches over every result failed: what came of it is not shown",
    },
  ],
  isError: true,
};

/** As it would be written; null where it cannot be, which is seen to where it is kept. */
function plainOutput(output: ToolOutput): ToolOutput | null {
  try {
    return JSON.parse(JSON.stringify(output)) as ToolOutput;
  } catch {
    // A ring, a BigInt, a getter that throws.
    return null;
  }
}

function copied({ call }: OpenCall, { content, details, isError = false }: ToolOutput) {
  const told = { input: call.arguments, content, isError, ...(details !== undefined && { details }) };
  return structuredClone(told);
}

function patchIn(result: unknown): Partial<ToolOutput> | null {
  if (result === undefined || result === null) return null;
  const { content, details, isError } = Object(result) as Readonly<Record<string, unknown>>;
  if (isError !== undefined && typeof isError !== "boolean") throw new Error("its isError is neither true nor false");
  return {
    ...(content !== undefined && { content: soundBlocks(content) }),
    ...(details !== undefined && { details: soundDetails(details) }),
    ...(isError !== undefined && { isError }),
  };
}
