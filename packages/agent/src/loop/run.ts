/** A run: round after round until the model has no more to say. Each round looks first whether its request fits. */

import { type Breaker, breakerNotes, type ModelFailure } from "@pith/context";
import type { AgentEvent, RunEnd } from "../events.ts";
import { type Asked, ask } from "./ask.ts";
import { compaction, keepFit } from "./keep-fit.ts";
import { runCalls } from "./run-calls.ts";
import type { RunParts } from "./run-parts.ts";

export async function* run(parts: RunParts, id: string): AsyncGenerator<AgentEvent, RunEnd> {
  yield { type: "agent_start" };
  let end: RunEnd | null = null;
  for (let round = 1; end === null; round += 1) end = yield* oneRound(parts, `${id}/${round}`);
  yield { type: "agent_end", end };
  return end;
}

/** Null: there are results for the model to look at. */
async function* oneRound(parts: RunParts, id: string): AsyncGenerator<AgentEvent, RunEnd | null> {
  yield { type: "turn_start" };
  yield* keepFit(parts);
  const asked = yield* askUntilItFits(parts, id);
  if (asked.type === "failed") return endOf(asked.failure);
  const { message } = asked;
  const toolResults = yield* runCalls(message, parts, id);
  yield { type: "turn_end", message, toolResults };
  if (parts.signal.aborted) return { type: "aborted" };
  if (asked.overflow) yield* compaction(parts, { reason: "overflow" });
  return toolResults.length > 0 ? null : { type: "done" };
}

/** A context that the provider found too long is made smaller and sent again, each time by more, until there is nothing left to try. */
async function* askUntilItFits(parts: RunParts, id: string): AsyncGenerator<AgentEvent, Asked> {
  for (let attempt = 0; ; attempt += 1) {
    const asked = yield* ask(parts, `${id}/ask-${attempt}`);
    if (asked.type === "replied" || asked.failure.kind !== "overflow") return asked;
    const result = yield* compaction(parts, { reason: "overflow", attempt });
    if (result.type === "compacted") continue;
    return result.type === "failed" && result.why === "cannot-fit" ? stuck(asked.failure, result.breaker) : asked;
  }
}

function stuck(failure: ModelFailure, { fills }: Breaker): Asked {
  return { type: "failed", failure: { ...failure, message: `${failure.message}; ${breakerNotes[fills]}` } };
}

function endOf({ kind, message }: ModelFailure): RunEnd {
  return kind === "aborted" ? { type: "aborted" } : { type: "failed", why: message };
}
