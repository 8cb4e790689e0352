/** One call: permitted or not, begun in the log where it must not be run twice, run, and its result in the log. */

import type { ToolCallBlock, ToolResultMessage } from "@pith/context";
import { appended } from "../../append.ts";
import type { AgentEvent } from "../../events.ts";
import type { Permit } from "../../permissions/permit.ts";
import type { Tool, ToolOutput } from "../../tool.ts";
import type { Tell } from "../during.ts";
import { INTENT, type OpenCall } from "../next.ts";
import type { RunParts } from "../run-parts.ts";
import { bounded, roomIn } from "./bounded.ts";
import { untilStopped } from "./until-stopped.ts";

export interface Running {
  readonly parts: RunParts;
  readonly tell: Tell<AgentEvent>;
}

export async function runCall(open: OpenCall, { parts, tell }: Running): Promise<ToolResultMessage> {
  const { id: toolCallId, name: toolName, arguments: args } = open.call;
  const told = { toolCallId, toolName, args };
  tell({ type: "tool_execution_start", ...told });
  const update = (partialResult: string): void => tell({ type: "tool_execution_update", ...told, partialResult });
  const output = await outputOf(open, parts, update);
  const result = await answered(open, output, parts);
  tell({ type: "tool_execution_end", ...told, result, isError: result.isError });
  return result;
}

/** The result of a call, in the log. */
export async function answered(
  { call, id }: OpenCall,
  output: ToolOutput,
  parts: RunParts,
): Promise<ToolResultMessage> {
  const { session, model, blobs, ports } = parts;
  const { content, details } = await bounded(output, { room: roomIn(model.contextWindow), blobs });
  const message: ToolResultMessage = {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content,
    ...(details !== undefined && { details }),
    isError: output.isError === true,
    timestamp: ports.now(),
  };
  await appended(session, { type: "message", message, id });
  return message;
}

async function outputOf(open: OpenCall, parts: RunParts, update: (text: string) => void): Promise<ToolOutput> {
  const { call } = open;
  const tool = parts.tools.find(({ name }) => name === call.name);
  if (!tool)
    return failed(`there is no tool ${call.name}; there are: ${parts.tools.map(({ name }) => name).join(", ")}`);
  if (call.pith) return failed(`the arguments are no JSON object: ${call.pith.unread.slice(0, 500)}`);
  const refusal = await refusalOf(open, tool, parts);
  if (refusal !== null) return failed(refusal);
  if (parts.signal.aborted) return failed("it was not run: the user stopped");
  if (!tool.isIdempotent && !open.isBegun)
    await appended(parts.session, { type: "custom", customType: INTENT, data: { callId: call.id } });
  return runTool(call, tool, { parts, update });
}

/** Null: it may be run. */
async function refusalOf({ call, isBegun }: OpenCall, tool: Tool, parts: RunParts): Promise<string | null> {
  const { permits, signal, ports } = parts;
  const isAgain = isBegun && !tool.isIdempotent;
  // RUN8: without anybody to ask, what may have been done is not done again.
  if (!permits) return isAgain ? UNKNOWN : null;
  const intent = intentOf(call, tool);
  const act = { tool: tool.name, arguments: call.arguments, intent, ...(isAgain && { isAgain }) };
  const asking = (): Promise<Permit> => permits.permit(act, { signal });
  const permit = await untilStopped(asking, { signal, ports, otherwise: STOPPED });
  if (permit.type === "permitted") return null;
  return isAgain ? `${UNKNOWN} (${permit.why})` : permit.why;
}

const STOPPED: Permit = { type: "refused", why: "it was not run: the user stopped" };

const UNKNOWN =
  "it was running when the program ended; whether it was done is not known, and it was not run again: look before you repeat it";

/** What a tool cannot say of its own arguments is not said. */
function intentOf({ arguments: args }: ToolCallBlock, tool: Tool): ReturnType<NonNullable<Tool["intent"]>> | null {
  try {
    return tool.intent?.(args) ?? null;
  } catch {
    // Then it may be anything, and is permitted as such.
    return null;
  }
}

interface ToolRun {
  readonly parts: RunParts;
  readonly update: (text: string) => void;
}

async function runTool(call: ToolCallBlock, tool: Tool, { parts, update }: ToolRun): Promise<ToolOutput> {
  const { signal, model, ports } = parts;
  const room = roomIn(model.contextWindow);
  try {
    const run = async (): Promise<ToolOutput> =>
      tool.run({ id: call.id, arguments: call.arguments, signal, room, update });
    return await untilStopped(run, {
      signal,
      ports,
      otherwise: failed("it was stopped, and may take a moment to end"),
    });
  } catch (error) {
    // Whatever a tool throws is something the model can answer to.
    return failed(error instanceof Error ? error.message : String(error));
  }
}

export function failed(text: string): ToolOutput {
  return { content: [{ type: "text", text }], isError: true };
}
