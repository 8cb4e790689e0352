/** Checks the order of Chat Completions messages, as OpenAI or a strict chat template does: first role, results behind their calls. */

import { asObjects, type Json } from "../json.ts";
import { findDuplicate } from "../openai/checks.ts";
import type { Fault } from "../openai/errors.ts";
import type { Body } from "../protocol.ts";
import { isOpenAi } from "./model-checks.ts";

export function* checkConversation(body: Body): Generator<Fault> {
  const messages = asObjects(body.messages);
  yield* checkToolPairs(messages);
  for (const message of messages) {
    const id = findDuplicate(listCallIds(message));
    if (id !== undefined) yield { message: `Duplicate tool call id: '${id}' serves a second call.` };
  }
  if (!isOpenAi(body.model)) yield* checkTurnOrder(messages);
}

function listCallIds({ role, tool_calls }: Json): readonly string[] {
  return role === "assistant" ? asObjects(tool_calls).map(({ id }) => String(id)) : [];
}

/** Results stand right behind the reply that called, in any order, one for each call. */
function* checkToolPairs(messages: readonly Json[]): Generator<Fault> {
  let callIds: readonly string[] = [];
  let openIds: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      const id = String(message.tool_call_id);
      if (!openIds.includes(id)) yield callIds.includes(id) ? duplicateResult(id, index) : orphanResult(index);
      openIds = openIds.filter((each) => each !== id);
      continue;
    }
    if (openIds.length > 0) yield missingResults(openIds);
    callIds = listCallIds(message);
    openIds = callIds;
  }
  if (openIds.length > 0) yield missingResults(openIds);
}

function orphanResult(index: number): Fault {
  return {
    message: `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. (messages[${index}])`,
  };
}

function duplicateResult(id: string, index: number): Fault {
  return { message: `Invalid parameter: 'tool_call_id' ${id} already has a response. (messages[${index}])` };
}

function missingResults(ids: readonly string[]): Fault {
  return {
    message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(", ")}`,
  };
}

// OpenAI itself takes any order; the chat templates of local models do not.
function* checkTurnOrder(messages: readonly Json[]): Generator<Fault> {
  const turns = messages.filter(({ role }) => role !== "system" && role !== "developer");
  if (turns[0]?.role !== "user")
    yield { message: "After the optional system message, conversation roles must start with a user message." };
  if (turns.some(({ role }, index) => role === "assistant" && turns[index - 1]?.role === "assistant"))
    yield { message: "Conversation roles must alternate: an assistant message follows an assistant message." };
}
