/** Defines a summary that was written before its compaction, and restores one that was saved as JSON if nothing that it depends on has changed. */

import type { LoadedBranch } from "../session/loaded-branch.ts";
import type { Session } from "../session/session.ts";
import { type Budget, compactionLevels } from "./budget.ts";
import {
  type CallUsage,
  type CompactionPlan,
  coversSameEntries,
  type PlanRequest,
  planWithCut,
  type SummaryCandidate,
} from "./plan.ts";
import type { Finding } from "./receipt.ts";
import type { SummaryDesign } from "./summary-message.ts";

/** A summary that was written before its compaction. The log has its cost, and nothing else of it. */
export interface PreparedSummary extends PreparedParts {
  /** Whether it can still be used on this branch: nothing that it summarizes has changed. */
  appliesTo(branch: LoadedBranch): boolean;
  /** The summary without secrets, to save it outside of the log. Pass it to `prepareSummary` as `saved`, e.g. after a restart. */
  toJSON(): unknown;
}

interface PreparedParts {
  readonly plan: CompactionPlan;
  /** Before the review and the checks. */
  readonly candidate: SummaryCandidate;
  readonly findings: readonly Finding[];
  /** Model calls of failed attempts. */
  readonly unusedCalls: readonly CallUsage[];
  readonly durationMs: number;
}

export interface PreparedSummaryOptions extends Pick<PlanRequest, "earlier"> {
  readonly session: Session;
  readonly budget: Budget;
  readonly design: Pick<SummaryDesign, "describeImages">;
  readonly instructions?: string;
}

export function createPreparedSummary(parts: PreparedParts, options: PreparedSummaryOptions): PreparedSummary {
  const { plan } = parts;
  return {
    ...parts,
    appliesTo: (branch) => coversSameEntries(plan, branch),
    toJSON: () => toSavedFile(parts, options),
  };
}

/** The saved form. A later version must change the number if it changes the form or what a summary must contain. */
interface SavedSummary {
  readonly version: 1;
  readonly lastCovered: string;
  /** Of the covered entries and the settings. */
  readonly fingerprint: string;
  readonly candidate: Omit<SummaryCandidate, "covers"> & { readonly covers: readonly string[] };
  readonly findings: readonly Finding[];
  readonly unusedCalls: readonly CallUsage[];
  readonly durationMs: number;
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
export function restoreSummary(text: string, options: PreparedSummaryOptions): PreparedSummary | null {
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
