/** Hooks before a compaction: they may cancel it, put it off once, say what matters, or bring a summary of their own (B73). */

import type { Entry } from "../../entry.ts";
import { answersOf } from "../../hook.ts";
import type { Ports } from "../../ports.ts";
import type { Plan } from "../planning/plan.ts";
import type { Finding, Reason } from "../receipt.ts";
import { type CompactionHooks, occurrence, POSTPONED, type SessionBeforeCompactEvent } from "./events.ts";
import { type HookMade, hookCandidate } from "./hook-candidate.ts";
import { preparationOf } from "./preparation.ts";

export interface BeforeParts {
  readonly hooks: CompactionHooks;
  readonly ports: Pick<Ports, "sleep">;
  readonly reason: Reason;
  /** The user's own. */
  readonly instructions: string;
  readonly signal?: AbortSignal | undefined;
}

export type Said =
  | { readonly type: "cancelled" }
  | { readonly type: "postponed" }
  | {
      readonly type: "go-on";
      readonly made: HookMade | null;
      readonly instructions: string;
      readonly findings: readonly Finding[];
    };

export async function beforeCompact(plan: Plan, parts: BeforeParts): Promise<Said> {
  const { hooks, ports, signal, instructions } = parts;
  const heard = await answersOf(hooks.session_before_compact ?? [], () => eventOf(plan, parts), {
    host: hooks,
    ports,
    signal,
    read: (result) => answerIn(result, plan),
    ends: ({ cancel }) => cancel,
  });
  const { answers, failures, isCancelled } = heard;
  if (isCancelled || answers.some(({ cancel }) => cancel)) return { type: "cancelled" };
  if (answers.some(({ postpone }) => postpone) && mayWait(plan, parts)) return { type: "postponed" };
  return {
    type: "go-on",
    made: answers.findLast(({ made }) => made)?.made ?? null,
    instructions: [instructions, ...answers.map((answer) => answer.instructions)]
      .filter((each) => each !== "")
      .join("\n"),
    findings: failures.map(({ why }) => ({ code: "hook-failed", note: why })),
  };
}

function eventOf(plan: Plan, { reason, instructions, signal }: BeforeParts): SessionBeforeCompactEvent {
  return {
    type: "session_before_compact",
    preparation: preparationOf(plan),
    branchEntries: structuredClone(plan.window.entries) as Entry[],
    ...(instructions !== "" && { customInstructions: instructions }),
    signal: signal ?? new AbortController().signal,
    ...occurrence(reason),
  };
}

interface Answer {
  readonly cancel: boolean;
  readonly postpone: boolean;
  readonly instructions: string;
  readonly made: HookMade | null;
}

function answerIn(result: unknown, plan: Plan): Answer | null {
  if (result === undefined || result === null) return null;
  const { cancel, postpone, customInstructions, compaction } = Object(result) as Readonly<Record<string, unknown>>;
  // Who cancels is heard, whatever else it brings.
  const brings = cancel !== true && compaction !== undefined && compaction !== null;
  return {
    cancel: cancel === true,
    postpone: postpone === true,
    instructions: typeof customInstructions === "string" ? customInstructions.trim() : "",
    made: brings ? hookCandidate(plan, compaction) : null,
  };
}

// HOOK3: one that is due waits once, and only while there is room for an answer; what was asked for or refused does not wait.
function mayWait({ window, budget, before }: Plan, { reason }: BeforeParts): boolean {
  const { entries, compactionAt } = window;
  const hasWaited = entries
    .slice(compactionAt + 1)
    .some((entry) => entry.type === "custom" && entry.customType === POSTPONED);
  const reserve = budget.contextWindow - budget.limit;
  return reason === "due" && !hasWaited && budget.contextWindow - before.tokens >= reserve / 2;
}
