/** Runs the hooks that may block or change a tool call before it is permitted, and those that may change its result. */

import { runHooks } from "@pith/context/host";
import type { OpenCall } from "../pending-work.ts";
import type { ToolOutput } from "../tool.ts";
import type { HookContext } from "./hooks.ts";
import { parseBlocks, parseJsonDetails } from "./parse-content.ts";

export type ToolCallHookResult =
  | { readonly type: "continue"; readonly open: OpenCall; readonly isChanged: boolean }
  /** The model reads `why`. */
  | { readonly type: "blocked"; readonly why: string; readonly open: OpenCall };

type ToolArguments = Readonly<Record<string, unknown>>;

/** Each hook gets the arguments as the previous hook left them. If a hook fails, the call is not run: the hook may be a guard. */
export async function runToolCallHooks(
  openCall: OpenCall,
  { hooks, runtime, signal }: HookContext,
): Promise<ToolCallHookResult> {
  const { call } = openCall;
  const block = (why: string, owner?: string): ToolCallHookResult => ({
    type: "blocked",
    why: owner === undefined ? why : `${why} (${owner})`,
    open: openCall,
  });
  let input: ToolArguments = call.arguments;
  for (const hook of hooks.tool_call ?? []) {
    const createEvent = () => ({
      type: "tool_call" as const,
      ...toolCallFields(openCall),
      input: structuredClone(input),
    });
    const hookOptions = { host: hooks, runtime, signal, read: parseToolCallAnswer };
    const { answers, failures, isCancelled } = await runHooks([hook], createEvent, hookOptions);
    if (signal.aborted) return block(STOP_REASON);
    if (isCancelled || failures.length > 0) return block(CALL_HOOK_FAILED, hook.from);
    const [answer] = answers;
    if (answer?.blockReason) return block(answer.blockReason, hook.from);
    input = answer?.input ?? input;
  }
  const isChanged = input !== call.arguments;
  return {
    type: "continue",
    open: isChanged ? { ...openCall, call: { ...call, arguments: input } } : openCall,
    isChanged,
  };
}

function toolCallFields({ call }: OpenCall): { readonly toolCallId: string; readonly toolName: string } {
  return { toolCallId: call.id, toolName: call.name };
}

const STOP_REASON = "not run: stopped by the user";
const CALL_HOOK_FAILED = "not run: a tool_call hook failed";

function parseToolCallAnswer(
  result: unknown,
): { readonly blockReason?: string; readonly input?: ToolArguments } | null {
  if (result === undefined || result === null) return null;
  const { block, reason, input, ...otherFields } = Object(result) as ToolArguments;
  const [unknownField] = Object.keys(otherFields);
  if (unknownField !== undefined)
    throw new Error(`the result can contain only block, reason and input, not ${unknownField}`);
  if (block !== undefined && typeof block !== "boolean") throw new Error("block must be true or false");
  if (block)
    return {
      blockReason: `not run: ${typeof reason === "string" && reason !== "" ? reason : "a hook blocked it"}`,
    };
  return input === undefined || input === null ? null : { input: parseInput(input) };
}

function parseInput(input: unknown): ToolArguments {
  const value: unknown = JSON.parse(JSON.stringify(input) ?? "null");
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("input must be an object");
  return value as ToolArguments;
}

/** The session keeps the call as the model made it; the details of its result hold the arguments that were used. */
export function withChangedInput(output: ToolOutput, input: ToolArguments): ToolOutput {
  return { ...output, details: { ...toDetailsObject(output), changedInput: toInputDetails(input) } };
}

/** The details of an output as an object that fields can be added to. */
export function toDetailsObject(output: ToolOutput): Readonly<Record<string, unknown>> {
  const { details } = Object(output) as ToolOutput;
  if (typeof details === "object" && details !== null && !Array.isArray(details)) return { ...details };
  return details === undefined ? {} : { details };
}

function toInputDetails(input: ToolArguments): unknown {
  try {
    return parseJsonDetails(input);
  } catch {
    // The arguments are too long to be stored twice; this records only that they were changed.
    return true;
  }
}

/** Runs before the result is bounded and recorded. Each hook gets the result as the previous hook left it, with secrets redacted. */
export async function runToolResultHooks(
  openCall: OpenCall,
  output: ToolOutput,
  run: HookContext,
): Promise<ToolOutput> {
  const { hooks, runtime, session, signal } = run;
  if (!hooks.tool_result?.length || !Array.isArray(output?.content)) return output;
  const jsonOutput = toJsonOutput(session.redact(output));
  if (!jsonOutput) return output;
  let current = jsonOutput;
  for (const hook of hooks.tool_result) {
    const createEvent = () => ({
      type: "tool_result" as const,
      ...toolCallFields(openCall),
      ...copyResultFields(openCall, current),
    });
    const { answers, isCancelled } = await runHooks([hook], createEvent, {
      host: hooks,
      runtime,
      signal,
      read: parseResultPatch,
    });
    if (isCancelled) return signal.aborted ? current : RESULT_HOOK_FAILED;
    current = { ...current, ...answers[0] };
  }
  return current;
}

const RESULT_HOOK_FAILED: ToolOutput = {
  content: [
    {
      type: "text",
      text: "the tool ran, but a tool_result hook failed, so its result is not shown",
    },
  ],
  isError: true,
};

/** Returns a JSON copy; null if there is none. The code that records the result handles that case. */
function toJsonOutput(output: ToolOutput): ToolOutput | null {
  try {
    return JSON.parse(JSON.stringify(output)) as ToolOutput;
  } catch {
    // E.g. a circular reference, a BigInt, or a getter that throws.
    return null;
  }
}

function copyResultFields({ call }: OpenCall, { content, details, isError = false }: ToolOutput) {
  const fields = { input: call.arguments, content, isError, ...(details !== undefined && { details }) };
  return structuredClone(fields);
}

function parseResultPatch(result: unknown): Partial<ToolOutput> | null {
  if (result === undefined || result === null) return null;
  const { content, details, isError } = Object(result) as Readonly<Record<string, unknown>>;
  if (isError !== undefined && typeof isError !== "boolean") throw new Error("isError must be true or false");
  return {
    ...(content !== undefined && { content: parseBlocks(content) }),
    ...(details !== undefined && { details: parseJsonDetails(details) }),
    ...(isError !== undefined && { isError }),
  };
}
