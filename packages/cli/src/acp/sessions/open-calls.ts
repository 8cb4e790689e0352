/** The calls that have no result yet: a question names what is asked for, and an editor wants to know which call that is. */

import type { AgentEvent, Question } from "@pith/agent";
import type { Called } from "../updates/call-updates.ts";

export class OpenCalls {
  readonly #calls = new Map<string, Called>();

  hear(event: AgentEvent): void {
    if (event.type === "tool_execution_end") this.#calls.delete(event.toolCallId);
    if (event.type === "agent_settled") this.#calls.clear();
    if (event.type === "tool_execution_start") this.#add(event);
    if (event.type !== "message_end" || event.message.role !== "assistant") return;
    for (const block of event.message.content)
      if (block.type === "toolCall") this.#add({ toolCallId: block.id, toolName: block.name, args: block.arguments });
  }

  /** Null where nobody called it, such as a tool that an extension runs. */
  of({ tool, arguments: args }: Pick<Question, "tool" | "arguments">): string | null {
    const same = [...this.#calls.values()].filter(({ toolName }) => toolName === tool);
    const words = JSON.stringify(args);
    return (same.find((call) => JSON.stringify(call.args) === words) ?? same[0])?.toolCallId ?? null;
  }

  #add({ toolCallId, toolName, args }: Called): void {
    this.#calls.set(toolCallId, { toolCallId, toolName, args });
  }
}
