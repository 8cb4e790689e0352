/** Before every request: is it too much? Then the same request, smaller. */

import { type Budget, budgetFor, type Compaction, compact, due } from "@pith/context";
import type { AgentEvent, CompactionReason } from "../events.ts";
import { during } from "./during.ts";
import type { RunParts } from "./run-parts.ts";

export async function* keepFit(parts: RunParts): AsyncGenerator<AgentEvent> {
  const { session, limits, model } = parts;
  if (due(session.window, budgetOf({ limits, model })).type === "due")
    yield* compaction(parts, { reason: "threshold" });
}

export interface Compacting {
  readonly reason: CompactionReason;
  /** Refusals of the same request before this one: each compaction begins a rung further down. */
  readonly attempt?: number;
  readonly instructions?: string;
}

export async function* compaction(
  parts: RunParts,
  { reason, ...need }: Compacting,
): AsyncGenerator<AgentEvent, Compaction> {
  const { session, writers, ports, signal } = parts;
  yield { type: "compaction_start", reason };
  const result = yield* during<AgentEvent, Compaction>(() =>
    compact({ session, budget: budgetOf(parts), reason: reasons[reason], writers, ports, signal, ...need }),
  );
  yield { type: "compaction_end", reason, result };
  return result;
}

const reasons = { manual: "asked", threshold: "due", overflow: "overflow" } as const;

export function budgetOf({ limits, model }: Pick<RunParts, "limits" | "model">): Budget {
  const { api, provider, model: name, contextWindow } = model;
  return budgetFor(limits, { contextWindow, to: { api, provider, model: name } });
}
