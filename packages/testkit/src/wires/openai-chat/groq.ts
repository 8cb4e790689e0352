/** What Groq refuses that most servers of the protocol pass over: a thought that is sent back in the usual field. */

import type { Fault } from "../openai/fault.ts";
import { isObject, listOf } from "../shape.ts";
import type { WireRequest } from "../wire.ts";

export function* groqFaults({ path, body }: WireRequest): Generator<Fault> {
  if (!path.startsWith(GROQ)) return;
  for (const [at, message] of listOf(body.messages).entries())
    if (isObject(message) && message.role === "assistant" && message.reasoning_content !== undefined)
      yield {
        message: `'messages.${at}' : for 'role:assistant' the following must be satisfied[('messages.${at}' : property 'reasoning_content' is unsupported)]`,
      };
}

/** The API lives under a path that no other server has. */
const GROQ = "/openai/v1/";
