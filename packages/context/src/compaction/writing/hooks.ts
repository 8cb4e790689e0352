/** A host's say in a compaction: it may cancel it, or bring a summary of its own, which is checked like any other. */

import { formatLimits } from "../../limits.ts";
import type { Cost, Usage } from "../../message.ts";
import { nestsDeeperThan } from "../../session/codec/line/json-text.ts";
import { isObject, type JsonObject } from "../../session/codec/line/read-line.ts";
import { type Plan, prepareAt } from "../planning/plan.ts";
import { attempted } from "./attempted.ts";
import type { Writer, Written } from "./candidate.ts";

/** Told before anything is written. */
export interface SessionBeforeCompactEvent {
  readonly type: "session_before_compact";
  /** A copy but for the entries: what is done to its lists changes nothing of ours. */
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
      const event = { type: "session_before_compact" as const, preparation: copied(plan), ...(signal && { signal }) };
      const act = await attempted(async () => read(plan, await hook(event)), [signal, patience?.()]);
      if (act.type === "done") return act.value;
      if (act.type === "failed") return act;
      return signal?.aborted ? { type: "cancelled" } : { type: "failed", why: "no answer in time" };
    },
  };
}

// Entries are many and big, and are what the log holds: they are handed out as they are, in lists of their own.
function copied(plan: Plan): Plan {
  const { window, budget, rung, cut, carried, words, before } = plan;
  return {
    ...plan,
    window: {
      ...window,
      entries: [...window.entries],
      edits: [...window.edits],
      gaps: [...window.gaps],
      state: structuredClone(window.state),
    },
    budget: { ...budget, limits: structuredClone(budget.limits) },
    covered: [...plan.covered],
    turn: [...plan.turn],
    kept: [...plan.kept],
    reductions: [...plan.reductions],
    ...structuredClone({ rung, cut, carried, words, before }),
  };
}

// It comes from outside: nothing in it is taken on trust.
function read(plan: Plan, result: unknown): Written {
  const { cancel, compaction } = Object(result) as JsonObject;
  if (cancel === true) return { type: "cancelled" };
  if (compaction === undefined || compaction === null) return { type: "nothing" };
  const { summary, firstKeptEntryId, details, usage } = Object(compaction) as JsonObject;
  if (typeof summary !== "string" || summary.trim() === "") return { type: "failed", why: "its summary is empty" };
  const own = planAt(plan, firstKeptEntryId);
  if (!own) return { type: "failed", why: `nothing can be cut at ${String(firstKeptEntryId)}` };
  const kept = detailsIn(details);
  if (kept === "unfit") return { type: "failed", why: `its details are no JSON of at most ${DETAILS_LETTERS} letters` };
  const spent = usageIn(usage);
  return {
    type: "written",
    plan: own,
    candidate: {
      route: "hook",
      story: summary,
      notes: "",
      covers: new Set(own.covered.map(({ id }) => id)),
      fromHook: true,
      ...(kept && { details: kept }),
      ...(spent && { usage: spent }),
    },
  };
}

// CUT2: a result is never the first that is kept, though an edit may have taken it out of the context.
function planAt(plan: Plan, firstKept: unknown): Plan | null {
  const { entries } = plan.window;
  if (firstKept === undefined || firstKept === plan.kept[0]?.id) return plan;
  const at = entries.findIndex(({ id }) => id === firstKept);
  const entry = entries[at];
  if (at <= 0 || (entry?.type === "message" && entry.message.role === "toolResult")) return null;
  return prepareAt(plan.window, plan, at);
}

/** As they will be in the log; null where there are none. */
function detailsIn(details: unknown): JsonObject | null | "unfit" {
  if (!isObject(details)) return null;
  try {
    const text = JSON.stringify(details) ?? "null";
    if (text.length > DETAILS_LETTERS || nestsDeeperThan(text, DETAILS_DEPTH)) return "unfit";
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    // A ring, a BigInt, a getter that throws: none of them has a place in a log.
    return "unfit";
  }
}

const DETAILS_LETTERS = 256 * 1024;
/** They stand in an entry, below its own fields. */
const DETAILS_DEPTH = formatLimits.depth / 2;

/** Null where a number is missing or none that anything can cost. */
function usageIn(usage: unknown): Usage | null {
  const { input, output, cacheRead, cacheWrite, totalTokens, cost } = Object(usage) as Usage;
  const tokens = { input, output, cacheRead, cacheWrite, totalTokens };
  const spent = costIn(cost);
  return spent && Object.values(tokens).every(isAmount) ? { ...tokens, cost: spent } : null;
}

function costIn(cost: unknown): Cost | null {
  const { input, output, cacheRead, cacheWrite, total } = Object(cost) as Cost;
  const spent = { input, output, cacheRead, cacheWrite, total };
  return Object.values(spent).every(isAmount) ? spent : null;
}

function isAmount(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
