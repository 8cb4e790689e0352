/** A host's say in a compaction: it may cancel it, or bring a summary of its own, which is checked like any other. */

import type { Usage } from "../../message.ts";
import { type Plan, prepareAt } from "../planning/plan.ts";
import { attempted } from "./attempted.ts";
import type { Writer, Written } from "./candidate.ts";

/** Told before anything is written. */
export interface SessionBeforeCompactEvent {
  readonly type: "session_before_compact";
  readonly preparation: Plan;
  readonly signal?: AbortSignal;
}

export interface SessionBeforeCompactResult {
  readonly cancel?: boolean;
  readonly compaction?: {
    readonly summary: string;
    readonly firstKeptEntryId: string;
    readonly tokensBefore?: number;
    readonly details?: unknown;
    readonly usage?: Usage;
  };
}

export type BeforeCompact = (
  event: SessionBeforeCompactEvent,
) => Promise<SessionBeforeCompactResult | undefined> | SessionBeforeCompactResult | undefined;

/** Nothing the hook does spoils the compaction: where it fails, hangs or answers nonsense, the next writer goes on. */
export function hookWriter(hook: BeforeCompact, { patience }: { readonly patience?: () => AbortSignal } = {}): Writer {
  return {
    route: "hook",
    isPaid: false,
    async write(plan, { signal }) {
      const event = { type: "session_before_compact" as const, preparation: plan, ...(signal && { signal }) };
      const act = await attempted(() => hook(event), [signal, patience?.()]);
      if (act.type === "failed") return act;
      if (act.type === "aborted")
        return signal?.aborted ? { type: "cancelled" } : { type: "failed", why: "no answer in time" };
      return read(plan, act.value);
    },
  };
}

// It comes from outside: nothing in it is taken on trust.
function read(plan: Plan, result: unknown): Written {
  const { cancel, compaction } = Object(result) as Readonly<Record<string, unknown>>;
  if (cancel === true) return { type: "cancelled" };
  if (compaction === undefined || compaction === null) return { type: "nothing" };
  const { summary, firstKeptEntryId, details, usage } = Object(compaction) as Readonly<Record<string, unknown>>;
  if (typeof summary !== "string" || summary.trim() === "") return { type: "failed", why: "its summary is empty" };
  const own = planAt(plan, firstKeptEntryId);
  if (!own) return { type: "failed", why: `nothing can be cut at ${String(firstKeptEntryId)}` };
  return {
    type: "written",
    plan: own,
    candidate: {
      route: "hook",
      story: summary,
      notes: "",
      covers: new Set(own.covered.map(({ id }) => id)),
      fromHook: true,
      ...(isPlain(details) && { details }),
      ...(isPlain(usage) && { usage: usage as unknown as Usage }),
    },
  };
}

function planAt(plan: Plan, firstKept: unknown): Plan | null {
  const { entries } = plan.window;
  if (firstKept === undefined || firstKept === plan.kept[0]?.id) return plan;
  const at = entries.findIndex(({ id }) => id === firstKept);
  return at <= 0 ? null : prepareAt(plan.window, plan, at);
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
