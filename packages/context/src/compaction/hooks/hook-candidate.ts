/** A summary that a hook brought, as a candidate. It comes from outside: nothing in it is taken on trust. */

import type { JsonObject } from "../../session/codec/line/read-line.ts";
import { type Plan, prepareAt } from "../planning/plan.ts";
import type { Candidate } from "../writing/candidate.ts";
import { jsonDetails, usageIn } from "./hook-values.ts";

export interface HookMade {
  readonly plan: Plan;
  readonly candidate: Candidate;
}

/** Throws where it is nonsense; whoever asked the hook reports it. */
export function hookCandidate(plan: Plan, compaction: unknown): HookMade {
  const { summary, firstKeptEntryId, details, usage } = Object(compaction) as JsonObject;
  if (typeof summary !== "string" || summary.trim() === "") throw new Error("its summary is empty");
  const own = planAt(plan, firstKeptEntryId);
  if (!own) throw new Error(`nothing can be cut at ${String(firstKeptEntryId)}`);
  const kept = jsonDetails(details);
  const spent = usageIn(usage);
  return {
    plan: own,
    candidate: {
      route: "hook",
      story: summary,
      notes: "",
      covers: new Set(own.covered.map(({ id }) => id)),
      fromHook: true,
      ...(kept && { details: kept }),
      ...(spent && { calls: [{ usage: spent }] }),
    },
  };
}

// CUT2: a result is never the first that is kept, though an edit may have taken it out of the context.
function planAt(plan: Plan, firstKept: unknown): Plan | null {
  const { entries } = plan.window;
  if (firstKept === undefined || firstKept === (plan.kept[0]?.id ?? "")) return plan;
  const at = entries.findIndex(({ id }) => id === firstKept);
  const entry = entries[at];
  if (at <= 0 || (entry?.type === "message" && entry.message.role === "toolResult")) return null;
  return prepareAt(plan.window, plan, at);
}
