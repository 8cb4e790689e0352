/** One call: permitted or not, announced in the log where it must not be run twice, run, and its result in the log. */

import type { ToolCallBlock, ToolResultMessage } from "@pith/context";
import { appended, NotWritten } from "../../append.ts";
import type { AgentEvent } from "../../events.ts";
import { type HookedCall, hookedCall, withInput } from "../../hooks/hook-call.ts";
import { hookedResult } from "../../hooks/hook-result.ts";
import type { Tool, ToolCall, ToolOutput } from "../../tool.ts";
import type { Tell } from "../../waiting/during.ts";
import { untilStopped } from "../../waiting/until-stopped.ts";
import { INTENT, type OpenCall } from "../next.ts";
import type { RunParts } from "../run-parts.ts";
import { answered, failed } from "./answer.ts";
import { roomIn } from "./bounded.ts";
import { permitFor } from "./permit-for.ts";
import { restoredCall } from "./restored-call.ts";

export interface Running {
  readonly parts: RunParts;
  readonly tell: Tell<AgentEvent>;
}

export async function runCall(open: OpenCall, { parts, tell }: Running): Promise<ToolResultMessage> {
  const fault = faultIn(open, parts);
  const hooked = fault === null ? await hookedCall(open, parts) : { type: "blocked" as const, why: fault, open };
  // SAY4: what is told is what is run.
  const { id: toolCallId, name: toolName, arguments: args } = hooked.open.call;
  const told = { toolCallId, toolName, args };
  tell({ type: "tool_execution_start", ...told });
  const { session } = parts;
  const update = (text: string): void =>
    tell({ type: "tool_execution_update", ...told, partialResult: session.redacted(text) });
  const output = await hookedResult(hooked.open, await outputOf(hooked, parts, update), parts);
  const result = await answered(open, output, parts);
  tell({ type: "tool_execution_end", ...told, result, isError: result.isError });
  return result;
}

/** Why nobody can run it; null where somebody can. */
function faultIn({ call }: OpenCall, { tools }: RunParts): string | null {
  if (!tools.some(({ name }) => name === call.name))
    return `there is no tool ${call.name}; there are: ${tools.map(({ name }) => name).join(", ")}`;
  return call.pith ? `the arguments are no JSON object: ${call.pith.unread.slice(0, 500)}` : null;
}

async function outputOf(hooked: HookedCall, parts: RunParts, update: (text: string) => void): Promise<ToolOutput> {
  const tool = parts.tools.find(({ name }) => name === hooked.open.call.name);
  if (hooked.type === "blocked") return failed(hooked.why);
  if (!tool) throw new Error(`the tool ${hooked.open.call.name} is gone`);
  try {
    const restored = await restoredCall(hooked.open, parts);
    if (restored.type === "unknown") return failed(restored.why);
    const output = await permittedOutput(restored.open, tool, { parts, update });
    return hooked.isChanged ? withInput(output, hooked.open.call.arguments) : output;
  } catch (error) {
    if (error instanceof NotWritten) throw error;
    // Whatever a tool, or who permits it, throws is something the model can answer to.
    return failed(error instanceof Error ? error.message : String(error));
  }
}

interface ToolRun {
  readonly parts: RunParts;
  readonly update: (text: string) => void;
}

async function permittedOutput(open: OpenCall, tool: Tool, { parts, update }: ToolRun): Promise<ToolOutput> {
  const { session, signal, model, ports } = parts;
  if (signal.aborted) return STOPPED;
  const permit = await permitFor(open, tool, parts);
  if (permit.type === "refused") return failed(permit.why);
  if (!tool.isIdempotent && !open.isBegun) await announce(open.call, session);
  if (signal.aborted) return STOPPED;
  const { id, arguments: args } = open.call;
  const { leave } = permit;
  const room = roomIn(model.contextWindow);
  const call: ToolCall = { id, arguments: args, signal, room, update, ...(leave && { leave }) };
  return await untilStopped(async () => tool.run(call), { signal, ports, otherwise: LEFT });
}

const STOPPED = failed("it was not run: the user stopped");
const LEFT = failed("it was stopped, and may take a moment to end");

/** On the disk before it is run. */
async function announce({ id: callId }: ToolCallBlock, session: RunParts["session"]): Promise<void> {
  await appended(session, { type: "custom", customType: INTENT, data: { callId } });
}
