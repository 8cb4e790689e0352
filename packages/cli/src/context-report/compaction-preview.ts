/** Computes the figures of a compaction preview: sizes, counts and cost. It changes nothing and calls no model. */

import type { Agent } from "@pith/agent";
import {
  type Budget,
  buildRequest,
  type CompactionPreview,
  contextSize,
  type Entry,
  type LoadedBranch,
  type Model,
  type OldBranch,
} from "@pith/context";
import { compareEstimates, estimatePlanCost, listUserRules } from "@pith/context/host";
import { describeSummaryModel, readSummaryModelNames } from "@pith/host/models/summary-models";
import type { Settings } from "@pith/host/settings/settings";
import type { Catalogue } from "@pith/models";
import { isVisibleEntry } from "../sessions/tree-outline.ts";
import type { MessageCounts } from "../text/compaction-text.ts";
import { computeEntryWeights } from "./meter.ts";

export interface PreviewStats {
  readonly tokens: { readonly before: number; readonly after: number };
  readonly dropped: EntryTotals;
  readonly kept: EntryTotals;
  /** What happens to the user's messages, and the token budget for keeping them. Null if they are only summarized. */
  readonly userMessages: UserMessageStats | null;
  readonly pins: number;
  /** The number of pins that stay on the branch that is left. */
  readonly lostPins: number;
  /** The model that writes the summary, as `provider/model`. Null if none does. */
  readonly summarizer: string | null;
  /** Null if the cost is unknown. */
  readonly costUsd: number | null;
}

export interface EntryTotals {
  readonly count: number;
  readonly tokens: number;
}

export interface UserMessageStats extends MessageCounts {
  readonly tokens: number;
}

type SummaryModel = Pick<Model, "api" | "provider" | "model" | "contextWindow" | "maxTokens">;

/** A model that may write the summary, and what its tokens cost. */
export interface SummarizerInfo extends Omit<SummaryModel, "api"> {
  /** Set for the session's current model. */
  readonly api?: string;
  /** List prices in dollars per token. Undefined if unknown. */
  readonly prices: NonNullable<Parameters<typeof estimatePlanCost>[2]>["prices"];
}

type SummarizerSettings = Pick<Settings, "compaction" | "contextWindow">;

/** Lists the models that a compaction tries, in order: those in `compaction.model`, then the session's model. `none` ends the list. */
function listSummarizers(
  { compaction, contextWindow }: SummarizerSettings,
  currentModel: SummaryModel,
  catalogue: Catalogue,
): readonly SummarizerInfo[] {
  const currentName = formatModelName(currentModel);
  const { names, isCurrentModelLast } = readSummaryModelNames(compaction?.model);
  const allNames = isCurrentModelLast ? [...new Set([...names, currentName])] : names;
  return allNames.map((name) => {
    const { contextWindow: window, ...info } = describeSummaryModel(name, catalogue);
    if (name === currentName) return { ...pickLimits(currentModel), prices: info.prices };
    return { ...info, contextWindow: Math.min(contextWindow ?? Number.POSITIVE_INFINITY, window) };
  });
}

// A model is more than its limits; only these are copied.
function pickLimits({ api, provider, model, contextWindow, maxTokens }: SummaryModel): SummaryModel {
  return { api, provider, model, contextWindow, maxTokens };
}

function formatModelName({ provider, model }: Pick<SummarizerInfo, "provider" | "model">): string {
  return `${provider}/${model}`;
}

/** The models to choose from, and how. */
export interface SummarizerChoice {
  readonly summarizers: readonly SummarizerInfo[];
  readonly order: "listed" | "cheapest";
}

export function readSummarizerChoice(
  settings: SummarizerSettings,
  currentModel: SummaryModel,
  catalogue: Catalogue,
): SummarizerChoice {
  const summarizers = listSummarizers(settings, currentModel, catalogue);
  return { summarizers, order: settings.compaction?.modelOrder ?? "listed" };
}

export function computePreviewStats(
  { plan, receipt, leavingMessages }: Extract<CompactionPreview, { type: "planned" }>,
  choice: SummarizerChoice,
): PreviewStats {
  const { branch, budget, covered, kept, edits, originals } = plan;
  // The loaded branch does not contain the originals.
  const source = originals ? { ...branch, entries: [...covered, ...kept], edits, compactionIndex: -1 } : branch;
  return {
    tokens: receipt.tokens,
    dropped: sumEntries(covered, source, budget),
    kept: sumEntries(kept, branch, budget),
    userMessages: { ...countMessages(source, leavingMessages), tokens: budget.userMessages },
    pins: branch.state.pins.length,
    lostPins: 0,
    ...estimateCost(plan, choice),
  };
}

function countMessages(branch: LoadedBranch, leavingReferences: readonly string[]): MessageCounts {
  const { messages } = listUserRules(branch);
  const references = new Set(leavingReferences);
  const leaving = messages.filter(({ reference }) => references.has(reference)).length;
  return { staying: messages.length - leaving, leaving };
}

export interface ReplacementOptions {
  readonly oldBranch: OldBranch;
  readonly newLeaf: string | null;
  /** The number of replaced entries that users see. */
  readonly count: number;
}

/** Computes the figures of a compaction of everything after an entry, which the session's model summarizes. */
export async function computeReplacementStats(
  { oldBranch: { entries, edits }, newLeaf, count }: ReplacementOptions,
  { session, budget }: Pick<Agent, "session" | "budget">,
  choice: SummarizerChoice,
): Promise<PreviewStats> {
  await session.loadState();
  const { branch } = session;
  const remaining = await session.store.loadBranch(newLeaf);
  const remainingTokens = contextSize(remaining, budget).tokens;
  const dropped = { ...sumEntries(entries, branch, budget), count };
  const pins = remaining.state.pins.length;
  const part = {
    branch,
    covered: entries,
    turnPrefix: [],
    edits,
    previous: NO_SUMMARY,
    checkpoint: budget.branchSummary,
  };
  return {
    tokens: {
      before: contextSize(branch, budget).tokens,
      after: remainingTokens + Math.min(dropped.tokens, budget.branchSummary),
    },
    dropped,
    kept: { count: remaining.entries.filter(isVisibleEntry).length, tokens: remainingTokens },
    userMessages: null,
    pins,
    lostPins: branch.state.pins.length - pins,
    ...estimateCost(part, choice),
  };
}

const NO_SUMMARY = { compaction: null, parts: [], narrative: "", asOf: null, notes: "", isChecked: false };

function sumEntries(
  entries: readonly Entry[],
  branch: LoadedBranch,
  budget: Parameters<typeof computeEntryWeights>[1],
): EntryTotals {
  const ids = new Set(entries.map(({ id }) => id));
  const weights = computeEntryWeights(branch, budget).filter(({ entry }) => ids.has(entry.id));
  return { count: entries.length, tokens: weights.reduce((sum, { tokens }) => sum + tokens, 0) };
}

/** Estimates the cost with the model that is tried first. */
function estimateCost(
  plan: EstimatedPlan,
  { summarizers, order }: SummarizerChoice,
): Pick<PreviewStats, "summarizer" | "costUsd"> {
  const estimates = summarizers.map((summarizer) => ({
    summarizer,
    estimate: estimatePlanCost(plan, summarizer, {
      prices: summarizer.prices,
      requests: describeRequests(plan, summarizer),
    }),
  }));
  const [first] =
    order === "cheapest"
      ? estimates.toSorted((one, other) => compareEstimates(one.estimate, other.estimate))
      : estimates;
  if (!first) return { summarizer: null, costUsd: 0 };
  return { summarizer: formatModelName(first.summarizer), costUsd: first.estimate?.cost ?? null };
}

type EstimatedPlan = Parameters<typeof estimatePlanCost>[0] & { readonly budget?: Budget };

/** The session's model may write the summary after its last request, which the provider may have cached. */
function describeRequests(
  { budget }: EstimatedPlan,
  { api, provider, model: name }: SummarizerInfo,
): NonNullable<Parameters<typeof estimatePlanCost>[2]>["requests"] {
  if (api === undefined || !budget) return undefined;
  const model = { api, provider, model: name };
  const { cacheLifetime } = budget.limits.outdated;
  return { model, build: (context) => buildRequest(context, { model }), now: Date.now(), cacheLifetime };
}
