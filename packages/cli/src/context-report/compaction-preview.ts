/** Computes the figures of a compaction preview: sizes, counts and cost. It changes nothing and calls no model. */

import type { Budget, CompactionPreview, Entry, LoadedBranch, Usage } from "@pith/context";
import { authorOf } from "@pith/context/host";
import { computeEntryWeights } from "./meter.ts";

export interface PreviewStats {
  readonly tokens: { readonly before: number; readonly after: number };
  readonly dropped: EntryTotals;
  readonly kept: EntryTotals;
  /** The number of dropped messages that the user typed, and the token budget for keeping them. */
  readonly userMessages: EntryTotals;
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

export interface SummarizerInfo {
  readonly summarizer: string;
  /** Whether the summarizer is the session's current model. The cost of its last reply is then more exact than list prices. */
  readonly isCurrentModel: boolean;
  /** US dollars per million tokens. Undefined if unknown. */
  readonly prices: { readonly input: number; readonly output: number } | undefined;
}

export function computePreviewStats(
  { plan, receipt }: PlannedPreview,
  { summarizer, isCurrentModel, prices }: SummarizerInfo,
): PreviewStats {
  const { branch, budget, covered, kept, checkpoint } = plan;
  const coveredIds = new Set(covered.map(({ id }) => id));
  const weights = computeEntryWeights(branch, budget);
  const sumEntries = (entries: readonly Entry[], isCovered: boolean): EntryTotals => ({
    count: entries.length,
    tokens: weights
      .filter(({ entry }) => coveredIds.has(entry.id) === isCovered)
      .reduce((sum, { tokens }) => sum + tokens, 0),
  });
  const dropped = sumEntries(covered, true);
  const costInput = { budget, inputTokens: dropped.tokens, outputTokens: checkpoint };
  return {
    tokens: receipt.tokens,
    dropped,
    kept: sumEntries(kept, false),
    userMessages: { count: covered.filter(isTypedByUser).length, tokens: budget.userMessages },
    pins: branch.state.pins.length,
    summarizer,
    costUsd:
      (isCurrentModel ? estimateFromLastReply(branch, costInput) : null) ?? estimateFromPrices(prices, costInput),
  };
}

function isTypedByUser(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role === "user" && authorOf(entry) === "person";
}

interface CostInput {
  readonly budget: Pick<Budget, "model">;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Uses the cost of the model's last reply. Returns null if no reply reports its cost. */
function estimateFromLastReply(
  { entries }: LoadedBranch,
  { budget: { model }, inputTokens, outputTokens }: CostInput,
): number | null {
  const reply = entries.findLast((entry) => readUsage(entry, model?.model) !== null);
  const usage = reply && readUsage(reply, model?.model);
  if (!usage) return null;
  const { input, output, cost } = usage;
  return (cost.input / input) * inputTokens + (cost.output / output) * outputTokens;
}

function estimateFromPrices(prices: SummarizerInfo["prices"], { inputTokens, outputTokens }: CostInput): number | null {
  return prices ? (prices.input * inputTokens + prices.output * outputTokens) / MILLION : null;
}

const MILLION = 1_000_000;

function readUsage(entry: Entry, model: string | undefined): Usage | null {
  if (entry.type !== "message" || entry.message.role !== "assistant") return null;
  const { usage, model: usedModel } = entry.message;
  const hasCost = usage?.input > 0 && usage.output > 0 && usage.cost?.input > 0 && usage.cost.output > 0;
  return hasCost && usedModel === model ? usage : null;
}
