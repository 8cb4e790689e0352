/** Whether a hook has the model asked once more though it has no more to say. */

import { reportTo } from "@pith/context";
import { appended } from "../append.ts";
import type { AgentEvent } from "../events.ts";
import { type BoundaryEvent, boundary } from "../hooks/boundary.ts";
import { MOST_NUDGES } from "./nudges.ts";
import type { RunParts } from "./run-parts.ts";

export async function* goesOn(event: BoundaryEvent, parts: RunParts): AsyncGenerator<AgentEvent, boolean> {
  const { isWanted, hasSaid } = yield* boundary(event, parts);
  if (!isWanted || parts.signal.aborted) return false;
  if (!parts.nudges.take()) {
    reportTo(parts.hooks, { event: event.type, why: ENOUGH });
    return false;
  }
  // Some providers refuse a request that ends with a reply.
  if (!hasSaid) await appended(parts.session, CONTINUE);
  return true;
}

const ENOUGH = `it wanted the model to go on ${MOST_NUDGES} times, and nobody said anything: that is enough`;

const CONTINUE = {
  type: "custom_message",
  customType: "pith.continue",
  content: "(continue)",
  display: false,
} as const;
