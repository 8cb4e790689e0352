/** Checks the order of Chat Completions messages, as OpenAI or a strict chat template does: first role, results behind their calls. */

import { type Json, objectsIn } from "../json.ts";
import { twin } from "../openai/checks.ts";
import type { Fault } from "../openai/errors.ts";
import type { Body } from "../protocol.ts";
import { isOpenAi } from "./model-checks.ts";

export function* conversationFaults(body: Body): Generator<Fault> {
  const messages = objectsIn(body.messages);
  yield* pairingFaults(messages);
  for (const message of messages) {
    const id = twin(callIds(message));
    if (id !== undefined) yield { message: `Duplicate tool call id: '${id}' serves a second call.` };
  }
  if (!isOpenAi(body.model)) yield* turnFaults(messages);
}

function callIds({ role, tool_calls }: Json): readonly string[] {
  return role === "assistant" ? objectsIn(tool_calls).map(({ id }) => String(id)) : [];
}

/** Results stand right behind the reply that called, in any order, one for each call. */
function* pairingFaults(messages: readonly Json[]): Generator<Fault> {
  let asked: readonly string[] = [];
  let open: readonly string[] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role === "tool") {
      const id = String(message.tool_call_id);
      if (!open.includes(id)) yield asked.includes(id) ? secondAnswer(id, at) : orphan(at);
      open = open.filter((each) => each !== id);
      continue;
    }
    if (open.length > 0) yield unanswered(open);
    asked = callIds(message);
    open = asked;
  }
  if (open.length > 0) yield unanswered(open);
}

function orphan(at: number): Fault {
  return {
    message: `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. (messages[${at}])`,
  };
}

function secondAnswer(id: string, at: number): Fault {
  return { message: `Invalid parameter: 'tool_call_id' ${id} already has a response. (messages[${at}])` };
}

function unanswered(ids: readonly string[]): Fault {
  return {
    message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(", ")}`,
  };
}

// OpenAI itself takes any order; the chat templates of local models do not.
function* turnFaults(messages: readonly Json[]): Generator<Fault> {
  const spoken = messages.filter(({ role }) => role !== "system" && role !== "developer");
  if (spoken[0]?.role !== "user")
    yield { message: "After the optional system message, conversation roles must start with a user message." };
  if (spoken.some(({ role }, at) => role === "assistant" && spoken[at - 1]?.role === "assistant"))
    yield { message: "Conversation roles must alternate: an assistant message follows an assistant message." };
}
