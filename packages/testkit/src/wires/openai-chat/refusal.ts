/** Why OpenAI Chat Completions, or the strictest server that speaks it, would refuse a request: the first check that finds fault. */

import { type Fault, refused } from "../openai/fault.ts";
import { gateFaults } from "../openai/gate.ts";
import type { Refusal, WireRequest } from "../wire.ts";
import { conversationFaults } from "./conversation.ts";
import { groqFaults } from "./groq.ts";
import { messageFaults } from "./messages.ts";
import { settingFaults } from "./settings.ts";
import { thinkerFaults } from "./thinkers.ts";

export function refusal(request: WireRequest): Refusal | null {
  for (const fault of faults(request)) return refused(fault);
  return null;
}

function* faults(request: WireRequest): Generator<Fault> {
  yield* gateFaults(request);
  yield* settingFaults(request.body);
  yield* thinkerFaults(request.body);
  yield* messageFaults(request.body);
  yield* groqFaults(request);
  yield* conversationFaults(request.body);
}
