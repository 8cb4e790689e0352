/** Checks invariants 1 to 5 on what would be sent, plainly and apart from the code that keeps them. */

import type { AgentMessage, AssistantMessage, Message } from "../../src/message.ts";

/** Returns a sentence for each fault; none for a list that may be sent. */
export function sentFaults(context: readonly AgentMessage[], sent: readonly Message[]): readonly string[] {
  return [...pairingFaults(sent), ...reasoningFaults(context, sent), ...lostResults(context, sent)];
}

function pairingFaults(sent: readonly Message[]): readonly string[] {
  const faults: string[] = [];
  let waiting: string[] = [];
  for (const [at, message] of sent.entries()) {
    if (message.role === "toolResult") {
      if (!waiting.includes(message.toolCallId))
        faults.push(`INV1 message ${at}: result ${message.toolCallId} without its call right before it`);
      waiting = waiting.filter((id) => id !== message.toolCallId);
      continue;
    }
    if (waiting.length > 0) faults.push(`INV2 INV4 message ${at} stands between ${waiting} and their results`);
    waiting = message.role === "assistant" ? callIds(message) : [];
  }
  if (waiting.length > 0) faults.push(`INV2 the last calls have no result: ${waiting}`);
  return faults;
}

function callIds(message: AssistantMessage): string[] {
  return message.content.filter((block) => block.type === "toolCall").map((block) => block.id);
}

function reasoningFaults(context: readonly AgentMessage[], sent: readonly Message[]): readonly string[] {
  const known = new Set(context.flatMap((message) => (message.role === "assistant" ? thoughts(message) : [])));
  const faults: string[] = [];
  for (const message of sent) {
    if (message.role !== "assistant") continue;
    for (const thought of thoughts(message))
      if (!known.has(thought)) faults.push(`INV5 reasoning was changed: ${thought}`);
  }
  return faults;
}

const thoughts = (message: AssistantMessage): readonly string[] =>
  message.content.filter((block) => block.type === "thinking").map((block) => JSON.stringify(block));

// INV3: what a tool said reaches the model, as a result or as text, wherever its call has gone.
function lostResults(context: readonly AgentMessage[], sent: readonly Message[]): readonly string[] {
  const visible = JSON.stringify(sent);
  return context.flatMap((message) => {
    if (message.role !== "toolResult") return [];
    const text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    const shown = JSON.stringify(text.toWellFormed()).slice(1, -1);
    return text.trim() === "" || visible.includes(shown)
      ? []
      : [`INV3 the output of ${message.toolCallId} is lost: ${text}`];
  });
}
