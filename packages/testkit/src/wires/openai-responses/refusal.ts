/** Why OpenAI Responses would refuse a request: the first of its checks that finds fault, in the API's own words where they are known. */

import { type Fault, refused } from "../openai/fault.ts";
import { gateFaults } from "../openai/gate.ts";
import type { Refusal, WireRequest } from "../wire.ts";
import { itemFaults } from "./checks/items.ts";
import { pairingFaults } from "./checks/pairing.ts";
import { reasoningFaults } from "./checks/reasoning.ts";
import { settingFaults } from "./checks/settings.ts";

export function refusal(request: WireRequest): Refusal | null {
  for (const fault of faults(request)) return refused(fault);
  return null;
}

function* faults(request: WireRequest): Generator<Fault> {
  yield* gateFaults(request);
  yield* settingFaults(request.body);
  yield* itemFaults(request.body);
  yield* reasoningFaults(request.body);
  yield* pairingFaults(request.body);
}
