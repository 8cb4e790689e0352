/** Runs the hooks before and after a compaction and validates their results. Names and shapes follow pi's documentation (c1, B73–B75). */

import type { Budget } from "../compaction/budget.ts";
import {
  type BeforeCompactOutcome,
  type CompactionHookRunner,
  type CompactionPlan,
  type PlannedCandidate,
  POSTPONE_TYPE,
  planWithCut,
} from "../compaction/plan.ts";
import type { CompactionTrigger } from "../compaction/receipt.ts";
import type { DescribeImages } from "../compaction/shrink-tail.ts";
import type { CompactionEntry, Entry } from "../entry.ts";
import { continueOnFailure, type Hook, type HookHost, runHooks, withSetters } from "../hooks.ts";
import type { JsonObject } from "../json.ts";
import type { Usage } from "../message.ts";
import type { Runtime } from "../runtime.ts";
import type { Session } from "../session/session.ts";
import {
  appendHookEntries,
  createHookEntryParser,
  type HookEntry,
  hookTokenAllowance,
  parseDetails,
  parseUsage,
} from "./added-entries.ts";
import { type CompactionPreparation, toCompactionPreparation } from "./hook-preparation.ts";

/** Hooks before and after a compaction. */
export interface CompactionHooks extends HookHost {
  readonly session_before_compact?: readonly Hook<SessionBeforeCompactEvent, SessionBeforeCompactResult>[];
  readonly session_compact?: readonly Hook<SessionCompactEvent, AddedContext>[];
  readonly session_compact_failed?: readonly Hook<SessionCompactFailedEvent>[];
}

export interface HookRunnerOptions {
  readonly session: Session;
  readonly budget: Budget;
  readonly hooks?: CompactionHooks;
  readonly runtime: Pick<Runtime, "sleep">;
  readonly reason: CompactionTrigger;
  readonly signal?: AbortSignal;
  readonly describeImages: DescribeImages;
}

/** Creates the runner that `compact` calls before and after a compaction. */
export function createHookRunner(options: HookRunnerOptions): CompactionHookRunner {
  const { session, budget, hooks = {}, runtime, reason, signal, describeImages } = options;
  const afterOptions = (): AfterCompactOptions => ({
    ...{ session, hooks, runtime, reason },
    tokens: hookTokenAllowance(session, budget),
  });
  return {
    before: (plan, instructions) =>
      runBeforeCompactHooks(plan, { hooks, runtime, reason, instructions, signal, describeImages }),
    after: (compactionId) => runAfterCompactHooks(compactionId, afterOptions()),
    failed: (failure) => runCompactFailedHooks(failure, afterOptions()),
  };
}

/** The reason for a compaction, in pi's terms. */
export type CompactReason = "manual" | "threshold" | "overflow";

interface CompactionCause {
  readonly reason: CompactReason;
  /** Whether the refused request is sent again after the compaction. */
  readonly willRetry: boolean;
}

/** The event before a compaction writes anything. */
export interface SessionBeforeCompactEvent extends CompactionCause {
  readonly type: "session_before_compact";
  readonly preparation: CompactionPreparation;
  /** The loaded entries of the branch. */
  readonly branchEntries: Entry[];
  readonly customInstructions?: string;
  readonly signal: AbortSignal;
  /** The same as returning `{ compaction }`. */
  readonly setResult: (compaction: HookCompaction) => void;
  /** The same as returning `{ cancel: true }`. */
  readonly cancel: () => void;
}

/** What a `session_before_compact` hook returns. */
export interface SessionBeforeCompactResult {
  readonly cancel?: boolean;
  /** Postpones the compaction: only once, and only if enough of the reserve is free. */
  readonly postpone?: boolean;
  /** Instructions for the summarizer, added to the user's. */
  readonly customInstructions?: string;
  /** A summary from the hook. It is checked like any other summary. */
  readonly compaction?: HookCompaction;
}

/** A summary from a hook. */
export interface HookCompaction {
  readonly summary: string;
  readonly firstKeptEntryId: string;
  readonly tokensBefore?: number;
  readonly details?: unknown;
  readonly usage?: Usage;
}

/** The event after a compaction was appended. */
export interface SessionCompactEvent extends CompactionCause {
  readonly type: "session_compact";
  readonly compactionEntry: CompactionEntry;
  readonly fromExtension: boolean;
}

/** Entries to append after the compaction: messages for the model, or the hook's own state. */
export interface AddedContext {
  readonly entries?: readonly HookEntry[];
}

/** The event after a compaction failed or was cancelled. */
export interface SessionCompactFailedEvent extends CompactionCause {
  readonly type: "session_compact_failed";
  readonly errorMessage?: string;
  readonly aborted: boolean;
  readonly fromExtension: boolean;
}

function toCompactionCause(trigger: CompactionTrigger): CompactionCause {
  return { reason: HOOK_REASONS[trigger], willRetry: trigger === "overflow" };
}

const HOOK_REASONS: Readonly<Record<CompactionTrigger, CompactReason>> = {
  asked: "manual",
  due: "threshold",
  overflow: "overflow",
  "model-switch": "threshold",
};

/** Converts a hook's summary to a candidate, and throws if it is invalid. */
export function parseHookCandidate(
  plan: CompactionPlan,
  compaction: unknown,
  describeImages: DescribeImages,
): PlannedCandidate {
  const { summary, firstKeptEntryId, details, usage } = Object(compaction) as JsonObject;
  if (typeof summary !== "string" || summary.trim() === "") throw new Error("its summary is empty");
  const hookPlan = replanAtEntry(plan, firstKeptEntryId, describeImages);
  if (!hookPlan) throw new Error(`the context cannot be cut at ${String(firstKeptEntryId)}`);
  const hookDetails = parseDetails(details);
  const hookUsage = parseUsage(usage);
  return {
    plan: hookPlan,
    candidate: {
      route: "hook",
      narrative: summary,
      notes: "",
      covers: new Set(hookPlan.covered.map(({ id }) => id)),
      fromHook: true,
      ...(hookDetails && { details: hookDetails }),
      ...(hookUsage && { calls: [{ usage: hookUsage }] }),
    },
  };
}

// CUT2: the first kept entry is never a tool result, even if an edit removed it from the context.
function replanAtEntry(
  plan: CompactionPlan,
  firstKept: unknown,
  describeImages: DescribeImages,
): CompactionPlan | null {
  const { entries } = plan.branch;
  if (firstKept === undefined || firstKept === (plan.kept[0]?.id ?? "")) return plan;
  const index = entries.findIndex(({ id }) => id === firstKept);
  const entry = entries[index];
  if (index <= 0 || (entry?.type === "message" && entry.message.role === "toolResult")) return null;
  const { branch, budget, level, originals, earlier } = plan;
  return planWithCut(branch, { budget, level, describeImages, originals, earlier }, index);
}

export interface BeforeCompactOptions {
  readonly hooks: CompactionHooks;
  readonly runtime: Pick<Runtime, "sleep">;
  readonly reason: CompactionTrigger;
  /** The user's instructions. */
  readonly instructions: string;
  readonly describeImages: DescribeImages;
  readonly signal?: AbortSignal | undefined;
}

/** Runs the hooks that may cancel a compaction, postpone it once, add instructions or write the summary (B73). */
async function runBeforeCompactHooks(
  plan: CompactionPlan,
  options: BeforeCompactOptions,
): Promise<BeforeCompactOutcome> {
  const { hooks, runtime, signal, instructions, describeImages } = options;
  const results = await runHooks(hooks.session_before_compact ?? [], () => createBeforeCompactEvent(plan, options), {
    host: hooks,
    runtime,
    signal,
    read: (result) => parseBeforeCompactAnswer(result, plan, describeImages),
    isFinal: ({ cancel }) => cancel,
  });
  const { answers, failures, isCancelled } = results;
  if (isCancelled || answers.some(({ cancel }) => cancel)) return { type: "cancelled" };
  if (answers.some(({ postpone }) => postpone) && canPostpone(plan, options)) return { type: "postponed" };
  return {
    type: "continue",
    hookCandidate: answers.findLast(({ hookCandidate }) => hookCandidate)?.hookCandidate ?? null,
    instructions: [instructions, ...answers.map((answer) => answer.instructions)]
      .filter((each) => each !== "")
      .join("\n"),
    findings: failures.map(({ why }) => ({ code: "hook-failed", note: why })),
  };
}

function createBeforeCompactEvent(
  plan: CompactionPlan,
  { reason, instructions, signal }: BeforeCompactOptions,
): SessionBeforeCompactEvent {
  const event = {
    type: "session_before_compact" as const,
    preparation: toCompactionPreparation(plan),
    branchEntries: structuredClone(plan.branch.entries) as Entry[],
    ...(instructions !== "" && { customInstructions: instructions }),
    signal: signal ?? new AbortController().signal,
    ...toCompactionCause(reason),
  };
  return withSetters(event, (set) => ({
    setResult: (compaction: HookCompaction) => set({ compaction }),
    cancel: () => set({ cancel: true }),
  }));
}

interface BeforeCompactAnswer {
  readonly cancel: boolean;
  readonly postpone: boolean;
  readonly instructions: string;
  readonly hookCandidate: PlannedCandidate | null;
}

function parseBeforeCompactAnswer(
  result: unknown,
  plan: CompactionPlan,
  describeImages: DescribeImages,
): BeforeCompactAnswer | null {
  if (result === undefined || result === null) return null;
  const { cancel, postpone, customInstructions, compaction } = Object(result) as Readonly<Record<string, unknown>>;
  // A cancellation counts even if the rest of the result is invalid.
  const hasCompaction = cancel !== true && compaction !== undefined && compaction !== null;
  return {
    cancel: cancel === true,
    postpone: postpone === true,
    instructions: typeof customInstructions === "string" ? customInstructions.trim() : "",
    hookCandidate: hasCompaction ? parseHookCandidate(plan, compaction, describeImages) : null,
  };
}

// HOOK3: a due compaction is postponed once, and only if half of the reserve is free for a reply. Other compactions never are.
function canPostpone({ branch, budget, sizeBefore }: CompactionPlan, { reason }: BeforeCompactOptions): boolean {
  const { entries, compactionIndex } = branch;
  const wasPostponed = entries
    .slice(compactionIndex + 1)
    .some((entry) => entry.type === "custom" && entry.customType === POSTPONE_TYPE);
  const reserve = budget.contextWindow - budget.limit;
  return reason === "due" && !wasPostponed && budget.contextWindow - sizeBefore.tokens >= reserve / 2;
}

export interface AfterCompactOptions {
  readonly session: Session;
  readonly hooks: CompactionHooks;
  readonly runtime: Pick<Runtime, "sleep">;
  readonly reason: CompactionTrigger;
  /** The maximum number of tokens that hooks may add. */
  readonly tokens: number;
}

/** Runs the hooks after a compaction and appends the entries that they add (B75). */
async function runAfterCompactHooks(
  id: string,
  { session, hooks, runtime, reason, tokens }: AfterCompactOptions,
): Promise<void> {
  const { session_compact = [] } = hooks;
  const entry = session_compact.length > 0 ? await session.store.entry(id) : undefined;
  if (entry?.type !== "compaction") return;
  const { answers } = await runHooks(
    session_compact,
    () => ({
      type: "session_compact" as const,
      compactionEntry: structuredClone(entry),
      fromExtension: entry.fromHook === true,
      ...toCompactionCause(reason),
    }),
    { host: continueOnFailure(hooks), runtime, read: createHookEntryParser(tokens) },
  );
  await appendHookEntries(answers.flat(), { session, afterEntryId: id, host: hooks, event: "session_compact" });
}

async function runCompactFailedHooks(
  failure: { readonly errorMessage?: string; readonly aborted: boolean },
  { hooks, runtime, reason }: AfterCompactOptions,
): Promise<void> {
  const event = {
    type: "session_compact_failed" as const,
    ...failure,
    fromExtension: false,
    ...toCompactionCause(reason),
  };
  await runHooks(hooks.session_compact_failed ?? [], () => ({ ...event }), {
    host: continueOnFailure(hooks),
    runtime,
    read: () => null,
  });
}
