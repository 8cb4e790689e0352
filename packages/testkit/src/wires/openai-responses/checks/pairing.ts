/** What OpenAI Responses refuses about calls and outputs: they find each other by their call id, one output behind each call. */

import type { Fault } from "../../openai/fault.ts";
import { type Json, objectsIn } from "../../shape.ts";
import type { Body } from "../../wire.ts";

export function* pairingFaults(body: Body): Generator<Fault> {
  const items = objectsIn(body.input);
  const met: Met = { asked: new Set(), answered: new Set(), isWhole: !refersElsewhere(body, items) };
  for (const { type, call_id } of items) {
    if (type === "function_call") yield* callFaults(String(call_id), met);
    if (type === "function_call_output") yield* outputFaults(String(call_id), met);
  }
  for (const id of met.asked)
    if (!met.answered.has(id)) yield { message: `No tool output found for function call ${id}.` };
}

/** The call ids met so far, and whether the input is all there is. */
interface Met {
  readonly asked: Set<string>;
  readonly answered: Set<string>;
  readonly isWhole: boolean;
}

/** A call may lie in what the provider has kept. */
function refersElsewhere({ previous_response_id, conversation }: Body, items: readonly Json[]): boolean {
  const goesOn = typeof previous_response_id === "string" || (conversation !== undefined && conversation !== null);
  return goesOn || items.some(({ type }) => type === "item_reference");
}

function* callFaults(id: string, { asked }: Met): Generator<Fault> {
  if (asked.has(id)) yield { message: `Duplicate 'call_id': ${id}. Every function call needs one of its own.` };
  asked.add(id);
}

function* outputFaults(id: string, { asked, answered, isWhole }: Met): Generator<Fault> {
  if (answered.has(id)) yield { message: `More than one tool output found for function call ${id}.` };
  if (isWhole && !asked.has(id)) yield { message: `No tool call found for function call output with call_id ${id}.` };
  answered.add(id);
}
