/** Writes a summary before its compaction, accepts it then if it still applies, and restores one that was saved as JSON. */

import { runWithPauses, type Steps } from "../event-loop.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import type { NewEntry, Session } from "../session/session.ts";
import { compactionLevels } from "./budget.ts";
import { choosePlanInSteps, leavesEnough } from "./choose-plan.ts";
import {
  type CallUsage,
  type CompactionPlan,
  coversSameEntries,
  type PlannedCandidate,
  planWithCut,
  type SummaryCandidate,
} from "./plan.ts";
import type { Finding } from "./receipt.ts";
import { collectPartsInSteps } from "./summary-message.ts";
import {
  type AttemptState,
  BATCH_CANCELLED,
  buildBatch,
  type CompactionBatch,
  type ReadyBatch,
  recordFinding,
  type SummaryOptions,
  toUsageEntries,
  withEarlierEntries,
  writeSummary,
} from "./write-summary.ts";

/** A summary that was written before its compaction. The log has its cost, and nothing else of it. */
export interface PreparedSummary extends PreparedParts {
  /** Whether it can still be used on this branch: nothing that it summarizes has changed. */
  appliesTo(branch: LoadedBranch): boolean;
  /** The summary without secrets, to save it outside of the log. Pass it to `prepareSummary` as `saved`, e.g. after a restart. */
  toJSON(): unknown;
}

interface PreparedParts extends PlannedCandidate {
  readonly findings: readonly Finding[];
  /** Model calls of failed attempts. */
  readonly unusedCalls: readonly CallUsage[];
  readonly durationMs: number;
}

type PreparedSummaryOptions = Pick<SummaryOptions, "session" | "budget" | "design" | "instructions" | "earlier">;

function createPreparedSummary(parts: PreparedParts, options: PreparedSummaryOptions): PreparedSummary {
  const { plan } = parts;
  return {
    ...parts,
    appliesTo: (branch) => coversSameEntries(plan, branch),
    toJSON: () => toSavedFile(parts, options),
  };
}

/** The result of `prepareSummary`. `usageEntries` must be appended in every case: `compact` does not count these calls again. */
export type PrepareSummaryResult =
  | { readonly type: "prepared"; readonly summary: PreparedSummary; readonly usageEntries: readonly NewEntry[] }
  | {
      readonly type: "not-prepared";
      readonly why: Exclude<CompactionBatch["type"], "ready">;
      readonly findings: readonly Finding[];
      readonly usageEntries: readonly NewEntry[];
    };

export interface PrepareSummaryOptions extends SummaryOptions {
  /** A prepared summary as JSON, e.g. from before a restart. It is used again if it still applies; no model is called. */
  readonly saved?: string;
}

/**
 * Writes and checks the summary of a compaction from the branch as it is now, and appends nothing. Entries may be appended meanwhile. Pass
 * the summary to `compact` as `prepared`. It does not fall back to a summary without a model.
 */
export async function writePreparedSummary(requestOptions: PrepareSummaryOptions): Promise<PrepareSummaryResult> {
  const options = await withEarlierEntries(requestOptions);
  const { session, runtime, budget, saved } = options;
  if (saved !== undefined) {
    const summary = restoreSummary(saved, options);
    return summary ? { type: "prepared", summary, usageEntries: [] } : NOT_RESTORED;
  }
  const { branch } = session;
  const snapshot = { branch, redact: <Value>(value: Value): Value => session.redact(value) };
  const attempt = { ...options, session: snapshot, isAhead: true };
  const state: AttemptState = { options: attempt, startTime: runtime.now(), findings: [], unusedCalls: [] };
  const batch = await planAndWrite(state);
  const { findings, unusedCalls } = state;
  const unusedEntries = toUsageEntries(unusedCalls, budget);
  if (batch.type !== "ready")
    return {
      type: "not-prepared",
      why: batch.type,
      findings: session.redact(findings),
      usageEntries: unusedEntries,
    };
  const { plan, candidate } = batch;
  const durationMs = Math.max(0, runtime.now() - state.startTime);
  return {
    type: "prepared",
    summary: createPreparedSummary({ plan, candidate, findings, unusedCalls, durationMs }, options),
    usageEntries: [...unusedEntries, ...batch.usageEntries],
  };
}

async function planAndWrite(state: AttemptState): Promise<CompactionBatch> {
  const { session, runtime, signal, progress, instructions = "" } = state.options;
  if (signal?.aborted) return BATCH_CANCELLED;
  progress?.({ step: "planning" });
  const choice = await runWithPauses(choosePlanInSteps(session.branch, state.options), runtime);
  if (choice.type !== "planned") return choice;
  return writeSummary(choice.plan, { hookCandidate: null, instructions: instructions.trim() }, state);
}

const NOT_RESTORED: PrepareSummaryResult = {
  type: "not-prepared",
  why: "leaf-moved",
  findings: [],
  usageEntries: [],
};

/** PREP2: the batch of a prepared summary, if it covers the same entries and the context, which has grown since, then fits. */
export function* acceptPrepared(prepared: PreparedSummary, state: AttemptState): Steps<ReadyBatch | null> {
  const { session, design } = state.options;
  const { plan, candidate } = prepared;
  if (!prepared.appliesTo(session.branch)) return dropPrepared(prepared, CHANGED_NOTE, state);
  const attempt = { ...state, prepared, findings: [...prepared.findings, ...state.findings] };
  let note = GROWN_NOTE;
  for (const current of planAgain(plan, state.options)) {
    yield* collectPartsInSteps(design.parts, current);
    // Entries were appended between two steps.
    if (current.branch !== session.branch) return yield* acceptPrepared(prepared, state);
    const result = buildBatch({ plan: current, candidate }, attempt);
    if (result.type === "ready" && leavesEnough(result)) return result;
    if (result.type === "refused") note = result.finding.note;
  }
  return dropPrepared(prepared, note, state);
}

/** Plans with the same cut on the branch as it is now. A large result that arrived since is shortened, as in any other compaction. */
function* planAgain(
  { cut, originals, earlier }: CompactionPlan,
  { session, budget, design }: AttemptState["options"],
): Generator<CompactionPlan> {
  for (const level of compactionLevels.filter(({ tailShare }) => tailShare === 1)) {
    const options = { budget, level, describeImages: design.describeImages, originals, earlier };
    const plan = planWithCut(session.branch, options, cut.index);
    if (plan) yield plan;
  }
}

export const HOOK_NOTE = "a hook changed what the summary should say";
const CHANGED_NOTE = "the entries that it summarizes have changed";
const GROWN_NOTE = "too much was added after it";

export function dropPrepared({ findings }: PreparedSummary, why: string, state: AttemptState): null {
  const note = `a summary prepared in the background was not used: ${why}`;
  recordFinding(state, { code: "prepared-dropped", note });
  state.findings.push(...findings);
  return null;
}

/** The saved form. A later version must change the number if it changes the form or what a summary must contain. */
interface SavedSummary extends Pick<PreparedParts, "findings" | "unusedCalls" | "durationMs"> {
  readonly version: 1;
  readonly lastCovered: string;
  /** Of the covered entries and the settings. */
  readonly fingerprint: string;
  readonly candidate: Omit<SummaryCandidate, "covers"> & { readonly covers: readonly string[] };
}

function toSavedFile(
  parts: PreparedParts,
  options: PreparedSummaryOptions,
): { summary: SavedSummary; checksum: string } {
  const { plan, candidate, findings, unusedCalls, durationMs } = parts;
  const { session } = options;
  const { narrative, notes, details, findings: candidateFindings } = candidate;
  // The summary is redacted again when it is used, which changes nothing.
  const texts = session.redact({
    narrative,
    notes,
    ...(details && { details }),
    ...(candidateFindings && { findings: candidateFindings }),
  });
  const summary: SavedSummary = {
    version: 1,
    lastCovered: plan.covered.at(-1)?.id ?? "",
    fingerprint: computeFingerprint(plan, options),
    candidate: { ...candidate, ...texts, covers: [...candidate.covers] },
    findings: session.redact(findings),
    unusedCalls,
    durationMs,
  };
  return { summary, checksum: computeChecksum(JSON.stringify(summary), session) };
}

/** Returns null if the text is damaged or from another version, or if a covered entry, the model or the settings have changed. */
function restoreSummary(text: string, options: PreparedSummaryOptions): PreparedSummary | null {
  const saved = parseSaved(text, options.session);
  if (!saved) return null;
  const { session, budget, design, earlier } = options;
  const { branch } = session;
  const last = branch.entries.findIndex(({ id }) => id === saved.lastCovered);
  if (last === -1) return null;
  const planOptions = { budget, level: compactionLevels[0], describeImages: design.describeImages, earlier };
  const plan = planWithCut(branch, planOptions, last + 1);
  if (!plan || computeFingerprint(plan, options) !== saved.fingerprint) return null;
  const { findings, unusedCalls, durationMs } = saved;
  const candidate = { ...saved.candidate, covers: new Set(saved.candidate.covers) };
  return createPreparedSummary({ plan, candidate, findings, unusedCalls, durationMs }, options);
}

/** The checksum tells whether this library wrote the text, so that its fields need no further checks. */
function parseSaved(text: string, session: Session): SavedSummary | null {
  try {
    const { summary, checksum } = Object(JSON.parse(text)) as Readonly<Record<string, unknown>>;
    const saved = Object(summary) as SavedSummary;
    return saved.version === 1 && checksum === computeChecksum(JSON.stringify(saved), session) ? saved : null;
  } catch {
    // Not JSON: the text is damaged.
    return null;
  }
}

/** Changes with every covered entry, every edit of one, the model, the limits and the instructions. */
function computeFingerprint(
  { covered, edits, budget }: CompactionPlan,
  { session, instructions = "" }: Pick<PreparedSummaryOptions, "session" | "instructions">,
): string {
  const { model, contextWindow, limit, checkpoint, userMessages, limits } = budget;
  const coveredIds = new Set(covered.map(({ id }) => id));
  const parts: readonly unknown[] = [
    [model, contextWindow, limit, checkpoint, userMessages, limits.tail, instructions.trim()],
    ...covered,
    ...edits.filter(({ targetId }) => coveredIds.has(targetId)),
  ];
  return computeChecksum(parts.map((part) => computeChecksum(JSON.stringify(part), session)).join(), session);
}

function computeChecksum(text: string, { runtime }: Session): string {
  return `${text.length}-${runtime.checksum(new TextEncoder().encode(text)).toString(16)}`;
}
