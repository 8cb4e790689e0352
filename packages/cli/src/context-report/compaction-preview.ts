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
  type Usage,
} from "@pith/context";
import { authorOf, estimatePlanUsage } from "@pith/context/host";
import { type Catalogue, providers } from "@pith/models";
import type { Settings } from "../settings/settings.ts";
import { computeEntryWeights } from "./meter.ts";

export interface PreviewStats {
  readonly tokens: { readonly before: number; readonly after: number };
  readonly dropped: EntryTotals;
  readonly kept: EntryTotals;
  /** The number of dropped messages that the user typed, and the token budget for keeping them. Null if they are only summarized. */
  readonly userMessages: EntryTotals | null;
  readonly pins: number;
  /** The model that writes the summary, as `provider/model`. */
  readonly summarizer: string;
  /** Null if the cost is unknown. */
  readonly costUsd: number | null;
}

export interface EntryTotals {
  readonly count: number;
  readonly tokens: number;
}

type PlannedPreview = Extract<CompactionPreview, { type: "planned" }>;

type SummaryModel = Pick<Model, "api" | "provider" | "model" | "contextWindow" | "maxTokens">;

/** The model that writes the summary, and what its tokens cost. */
export interface SummarizerInfo extends Omit<SummaryModel, "api"> {
  /** Set for the session's current model. */
  readonly api?: string;
  /** Whether it is the session's current model. The cost of its last reply is then more exact than list prices. */
  readonly isCurrentModel: boolean;
  /** US dollars per million tokens. Undefined if unknown. */
  readonly prices: { readonly input: number; readonly output: number; readonly cacheRead?: number } | undefined;
}

/** Finds the summarizer that a compaction asks first: the first model in `compaction.model`, else the session's model. */
export function findSummarizer(
  { compaction, contextWindow }: Pick<Settings, "compaction" | "contextWindow">,
  currentModel: SummaryModel,
  catalogue: Catalogue,
): SummarizerInfo {
  const currentName = formatModelName(currentModel);
  const [name = currentName] = [compaction?.model ?? []].flat();
  const [providerName = "", ...modelParts] = name.split("/");
  const known = providers.find(({ id }) => id === providerName);
  const provider = known?.canonicalId ?? providerName;
  const model = modelParts.join("/");
  const { facts } = catalogue.facts(provider, model, { local: known?.isLocal === true });
  if (name === currentName) return { ...pickLimits(currentModel), isCurrentModel: true, prices: facts.prices };
  const window = Math.min(contextWindow ?? Number.POSITIVE_INFINITY, facts.contextWindow);
  const limits = { provider, model, contextWindow: window, maxTokens: facts.maxTokens };
  return { ...limits, isCurrentModel: false, prices: facts.prices };
}

// A model is more than its limits; only these are copied.
function pickLimits({ api, provider, model, contextWindow, maxTokens }: SummaryModel): SummaryModel {
  return { api, provider, model, contextWindow, maxTokens };
}

function formatModelName({ provider, model }: Pick<SummarizerInfo, "provider" | "model">): string {
  return `${provider}/${model}`;
}

export function computePreviewStats({ plan, receipt }: PlannedPreview, summarizer: SummarizerInfo): PreviewStats {
  const { branch, budget, covered, kept, edits, originals } = plan;
  // The loaded branch does not contain the originals.
  const source = originals ? { ...branch, entries: [...covered, ...kept], edits, compactionIndex: -1 } : branch;
  return {
    tokens: receipt.tokens,
    dropped: sumEntries(covered, source, budget),
    kept: sumEntries(kept, branch, budget),
    userMessages: { count: covered.filter(isTypedByUser).length, tokens: budget.userMessages },
    pins: branch.state.pins.length,
    summarizer: formatModelName(summarizer),
    costUsd: estimateCost(plan, summarizer),
  };
}

/** Computes the figures of a compaction of everything after an entry, which the session's model summarizes. */
export async function computeReplacementStats(
  { oldBranch: { entries, edits }, newLeaf }: { readonly oldBranch: OldBranch; readonly newLeaf: string | null },
  { session, budget }: Pick<Agent, "session" | "budget">,
  summarizer: SummarizerInfo,
): Promise<PreviewStats> {
  const { branch } = session;
  const remaining = await session.store.loadBranch(newLeaf);
  const remainingTokens = contextSize(remaining, budget).tokens;
  const dropped = sumEntries(entries, branch, budget);
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
    kept: { count: remaining.entries.length, tokens: remainingTokens },
    userMessages: null,
    pins: branch.state.pins.length,
    summarizer: formatModelName(summarizer),
    costUsd: estimateCost(part, summarizer),
  };
}

const NO_SUMMARY = { compaction: null, parts: [], narrative: "", notes: "", isChecked: false };

function sumEntries(
  entries: readonly Entry[],
  branch: LoadedBranch,
  budget: Parameters<typeof computeEntryWeights>[1],
): EntryTotals {
  const ids = new Set(entries.map(({ id }) => id));
  const weights = computeEntryWeights(branch, budget).filter(({ entry }) => ids.has(entry.id));
  return { count: entries.length, tokens: weights.reduce((sum, { tokens }) => sum + tokens, 0) };
}

function isTypedByUser(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role === "user" && authorOf(entry) === "person";
}

function estimateCost(plan: EstimatedPlan, summarizer: SummarizerInfo): number | null {
  const { isCurrentModel, prices: listPrices, model } = summarizer;
  const usage = estimatePlanUsage(plan, summarizer, describeRequests(plan, summarizer));
  const prices = (isCurrentModel ? readLastPrices(plan.branch, model) : null) ?? listPrices;
  if (!usage || !prices) return null;
  const { inputTokens, cachedTokens, outputTokens } = usage;
  const cacheRead = listPrices?.cacheRead ?? prices.input * USUAL_CACHE_READ_SHARE;
  return (
    (prices.input * (inputTokens - cachedTokens) + cacheRead * cachedTokens + prices.output * outputTokens) / MILLION
  );
}

type EstimatedPlan = Parameters<typeof estimatePlanUsage>[0] & { readonly budget?: Budget };

/** The session's model may write the summary after its last request, which the provider may have cached. */
function describeRequests(
  { budget }: EstimatedPlan,
  { api, provider, model: name, isCurrentModel }: SummarizerInfo,
): Parameters<typeof estimatePlanUsage>[2] {
  if (!isCurrentModel || api === undefined || !budget) return undefined;
  const model = { api, provider, model: name };
  const { cacheLifetime } = budget.limits.outdated;
  return { model, build: (context) => buildRequest(context, { model }), now: Date.now(), cacheLifetime };
}

const USUAL_CACHE_READ_SHARE = 0.1;
const MILLION = 1_000_000;

/** The prices in the model's last reply, per million tokens. Returns null if no reply reports its cost. */
function readLastPrices({ entries }: LoadedBranch, model: string): SummarizerInfo["prices"] | null {
  const reply = entries.findLast((entry) => readUsage(entry, model) !== null);
  const usage = reply && readUsage(reply, model);
  if (!usage) return null;
  const { input, output, cost } = usage;
  return { input: (cost.input / input) * MILLION, output: (cost.output / output) * MILLION };
}

function readUsage(entry: Entry, model: string): Usage | null {
  if (entry.type !== "message" || entry.message.role !== "assistant") return null;
  const { usage, model: usedModel } = entry.message;
  const hasCost = usage?.input > 0 && usage.output > 0 && usage.cost?.input > 0 && usage.cost.output > 0;
  return hasCost && usedModel === model ? usage : null;
}
