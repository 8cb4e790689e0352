/** The calls of a reply, all at once; each result is in the log as soon as it is there. */

import type { AssistantMessage, ToolCallBlock, ToolResultMessage } from "@pith/context";
import type { AgentEvent } from "../events.ts";
import type { ToolOutput } from "../tool.ts";
import { during, type Tell } from "./during.ts";
import type { RunParts } from "./run-parts.ts";

export async function* runCalls(
  { content }: AssistantMessage,
  parts: RunParts,
  stepId: string,
): AsyncGenerator<AgentEvent, readonly ToolResultMessage[]> {
  const calls = content.filter((block) => block.type === "toolCall");
  return yield* during<AgentEvent, readonly ToolResultMessage[]>((tell) =>
    Promise.all(calls.map((call) => parts.step(`${stepId}/${call.id}`, () => run(call, parts, tell)))),
  );
}

async function run(call: ToolCallBlock, parts: RunParts, tell: Tell<AgentEvent>): Promise<ToolResultMessage> {
  tell({ type: "tool_execution_start", call });
  const output = await outputOf(call, parts, tell);
  const result: ToolResultMessage = {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: output.content,
    ...(output.details !== undefined && { details: output.details }),
    isError: output.isError === true,
    timestamp: parts.ports.now(),
  };
  await parts.session.append({ type: "message", message: result });
  tell({ type: "tool_execution_end", callId: call.id, result });
  return result;
}

async function outputOf(call: ToolCallBlock, parts: RunParts, tell: Tell<AgentEvent>): Promise<ToolOutput> {
  const tool = parts.tools.find(({ name }) => name === call.name);
  if (!tool)
    return failed(`there is no tool ${call.name}; there are: ${parts.tools.map(({ name }) => name).join(", ")}`);
  if (call.pith) return failed(`the arguments are no JSON object: ${call.pith.unread.slice(0, 500)}`);
  if (parts.signal.aborted) return failed("it was not run: the user stopped");
  try {
    const update = (text: string): void => tell({ type: "tool_execution_update", callId: call.id, text });
    return await tool.run({ id: call.id, arguments: call.arguments, signal: parts.signal, update });
  } catch (error) {
    // Whatever a tool throws is something the model can answer to.
    return failed(error instanceof Error ? error.message : String(error));
  }
}

function failed(text: string): ToolOutput {
  return { content: [{ type: "text", text }], isError: true };
}
