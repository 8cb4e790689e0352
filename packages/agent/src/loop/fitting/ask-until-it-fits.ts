/** A request that the provider may find too long: what becomes of it then, and what is said where nothing helps. */

import { type Breaker, breakerNotes } from "@pith/context";
import type { AgentEvent } from "../../events.ts";
import { ask, STOPPED, type Told } from "../ask.ts";
import type { RunParts } from "../run-parts.ts";
import { compacting } from "./keep-fit.ts";

export interface Fitting {
  readonly asked: Told;
  readonly replyId: string;
  readonly code?: "compaction-off";
}

/** A context that the provider found too long is made smaller and sent again, each time by more, until there is nothing left to try. */
export async function* askUntilItFits(parts: RunParts, id: string): AsyncGenerator<AgentEvent, Fitting> {
  for (let attempt = 0; ; attempt += 1) {
    const replyId = `${id}-${attempt}`;
    const asked = yield* ask(parts, replyId);
    if (asked.type === "replied" || asked.failure.kind !== "overflow") return { asked, replyId };
    const result = yield* compacting(parts, { reason: "overflow", attempt });
    if (parts.signal.aborted) return { asked: { ...asked, ...STOPPED }, replyId };
    if (result.type === "compacted") continue;
    if (result.type === "nothing-to-do" && result.why === "off")
      return { asked: saying(asked, OFF), replyId, code: "compaction-off" };
    const isStuck = result.type === "failed" && result.why === "cannot-fit";
    return { asked: isStuck ? saying(asked, breakerNotes[result.breaker.fills]) : asked, replyId };
  }
}

/** A reply counts, but its context was too much: what stands in the way of a smaller one; null for nothing. */
export async function* breakerAfter(parts: RunParts): AsyncGenerator<AgentEvent, Breaker | null> {
  const result = yield* compacting(parts, { reason: "overflow" });
  return result.type === "failed" && result.why === "cannot-fit" ? result.breaker : null;
}

type Failed = Extract<Told, { type: "failed" }>;

/** For people: also why nothing was done about it. */
function saying(asked: Failed, more: string): Failed {
  const { failure } = asked;
  return { ...asked, failure: { ...failure, message: `${failure.message}; ${more}` } };
}

// FIT4: whoever switched it off is told what it would have done, and how to have it.
const OFF = "automatic compaction is off; make it smaller with /compact, or agent.compact(), and go on";
