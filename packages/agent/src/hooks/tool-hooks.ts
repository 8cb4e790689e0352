/** Runs the hooks that may block or change a tool call before it is permitted, and those that may change its result. */

import { runHooks } from "@pith/context/host";
import type { OpenCall } from "../loop/pending-work.ts";
import type { RunParts } from "../loop/run-context.ts";
import type { ToolOutput } from "../tool.ts";
import { soundBlocks, soundDetails } from "./message-hooks.ts";

export type HookedCall =
  | { readonly type: "goes-on"; readonly open: OpenCall; readonly isChanged: boolean }
  /** `why` is told to the model. */
  | { readonly type: "blocked"; readonly why: string; readonly open: OpenCall };

type Arguments = Readonly<Record<string, unknown>>;

/** Each hook sees the arguments that the one before it left. Where one fails, the call is not run: it may be a guard. */
export async function hookedCall(open: OpenCall, { hooks, ports, signal }: RunParts): Promise<HookedCall> {
  const { call } = open;
  const blocked = (why: string, from?: string): HookedCall => ({
    type: "blocked",
    why: from === undefined ? why : `${why} (${from})`,
    open,
  });
  let input: Arguments = call.arguments;
  for (const hook of hooks.tool_call ?? []) {
    const told = () => ({ type: "tool_call" as const, ...named(open), input: structuredClone(input) });
    const asking = { host: hooks, runtime: ports, signal, read: answerIn };
    const { answers, failures, isCancelled } = await runHooks([hook], told, asking);
    if (signal.aborted) return blocked(STOPPED);
    if (isCancelled || failures.length > 0) return blocked(UNWATCHED, hook.from);
    const [answer] = answers;
    if (answer?.block) return blocked(answer.block, hook.from);
    input = answer?.input ?? input;
  }
  const isChanged = input !== call.arguments;
  return { type: "goes-on", open: isChanged ? { ...open, call: { ...call, arguments: input } } : open, isChanged };
}

export function named({ call }: OpenCall): { readonly toolCallId: string; readonly toolName: string } {
  return { toolCallId: call.id, toolName: call.name };
}

const STOPPED = "it was not run: the user stopped";
const UNWATCHED = "it was not run: a hook that watches over every call failed";

interface Answer {
  readonly block?: string;
  readonly input?: Arguments;
}

function answerIn(result: unknown): Answer | null {
  if (result === undefined || result === null) return null;
  const { block, reason, input, ...others } = Object(result) as Arguments;
  const [stray] = Object.keys(others);
  if (stray !== undefined) throw new Error(`it may answer block, reason and input, and not ${stray}`);
  if (block !== undefined && typeof block !== "boolean") throw new Error("its block is neither true nor false");
  if (block)
    return { block: `it was not run: ${typeof reason === "string" && reason !== "" ? reason : "a hook stopped it"}` };
  return input === undefined || input === null ? null : { input: inputIn(input) };
}

function inputIn(input: unknown): Arguments {
  const value: unknown = JSON.parse(JSON.stringify(input) ?? "null");
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("its input is no object");
  return value as Arguments;
}

/** The log keeps the call as the model made it; its result says what was run instead. */
export function withInput(output: ToolOutput, input: Arguments): ToolOutput {
  const { details } = Object(output) as ToolOutput;
  const isObject = typeof details === "object" && details !== null && !Array.isArray(details);
  const own = isObject ? details : details === undefined ? {} : { details };
  return { ...output, details: { ...own, changedInput: shownInput(input) } };
}

function shownInput(input: Arguments): unknown {
  try {
    return soundDetails(input);
  } catch {
    // Too long to be said twice: that it was another one is enough.
    return true;
  }
}

/** Runs before the result is bounded and recorded. Each hook sees the result that the one before it left, without secrets. */
export async function hookedResult(open: OpenCall, output: ToolOutput, parts: RunParts): Promise<ToolOutput> {
  const { hooks, ports, session, signal } = parts;
  if (!hooks.tool_result?.length || !Array.isArray(output?.content)) return output;
  const plain = plainOutput(session.redact(output));
  if (!plain) return output;
  let said = plain;
  for (const hook of hooks.tool_result) {
    const told = () => ({ type: "tool_result" as const, ...named(open), ...copied(open, said) });
    const { answers, isCancelled } = await runHooks([hook], told, {
      host: hooks,
      runtime: ports,
      signal,
      read: patchIn,
    });
    if (isCancelled) return signal.aborted ? said : UNWATCHED_RESULT;
    said = { ...said, ...answers[0] };
  }
  return said;
}

const UNWATCHED_RESULT: ToolOutput = {
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
