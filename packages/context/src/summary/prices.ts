/** Finds what a model's tokens cost, and computes what a summary is expected to cost. */

import { assistantReply } from "../context/context-size.ts";
import type { Entry } from "../entry.ts";
import type { AssistantMessage, Usage } from "../message.ts";
import type { ModelName } from "../model.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";

/** What one token of each kind costs, in dollars. */
export interface TokenPrices {
  readonly input: number;
  /** Input that the provider reads from its cache. */
  readonly cacheRead: number;
  /** Input that the provider writes to its cache. */
  readonly cacheWrite: number;
  readonly output: number;
}

/** The tokens that the requests for a summary are expected to be billed for. */
export interface SummaryUsageEstimate {
  /** All input tokens. */
  readonly inputTokens: number;
  /** The input tokens that the provider probably has in its cache. */
  readonly cachedTokens: number;
  /** The input tokens that the provider writes to its cache. */
  readonly writtenTokens: number;
  readonly outputTokens: number;
}

export function computeSummaryCost(usage: SummaryUsageEstimate, prices: TokenPrices): number {
  const { inputTokens, cachedTokens, writtenTokens, outputTokens } = usage;
  const plainTokens = inputTokens - cachedTokens - writtenTokens;
  return (
    plainTokens * prices.input +
    cachedTokens * prices.cacheRead +
    writtenTokens * prices.cacheWrite +
    outputTokens * prices.output
  );
}

/** Converts an estimate to a usage. Its cost is 0 if the prices are unknown. */
export function toUsage(estimate: SummaryUsageEstimate, prices: TokenPrices | undefined): Usage {
  const { inputTokens, cachedTokens, writtenTokens, outputTokens } = estimate;
  const tokens = {
    input: inputTokens - cachedTokens - writtenTokens,
    output: outputTokens,
    cacheRead: cachedTokens,
    cacheWrite: writtenTokens,
  };
  const price = (kind: keyof TokenPrices): number => tokens[kind] * (prices?.[kind] ?? 0);
  const cost = {
    input: price("input"),
    output: price("output"),
    cacheRead: price("cacheRead"),
    cacheWrite: price("cacheWrite"),
  };
  const total = Object.values(cost).reduce((sum, each) => sum + each, 0);
  return { ...tokens, totalTokens: inputTokens + outputTokens, cost: { ...cost, total } };
}

/**
 * Stands in for unknown prices, as with a local server: the time that tokens take. A model reads much faster than it writes, and hardly
 * needs time for what it has cached.
 */
export const PROCESSING_TIMES: TokenPrices = { input: 1, cacheRead: 0.02, cacheWrite: 1, output: 20 };

/** Finds the prices of a model: those that its newest replies were billed at, or else the list prices. Undefined if neither is known. */
export function findTokenPrices(
  { entries }: LoadedBranch,
  model: Pick<ModelName, "provider" | "model">,
  listPrices?: TokenPrices,
): TokenPrices | undefined {
  const usages = entries.flatMap((entry) => findReply(entry, model)?.usage ?? []);
  const findPrice = (kind: keyof TokenPrices): number | undefined =>
    usages.map((usage) => unitPrice(usage, kind)).findLast((price) => price !== undefined) ??
    (listPrices?.[kind] || undefined);
  const input = findPrice("input") ?? findPrice("cacheWrite");
  if (input === undefined) return undefined;
  return {
    input,
    cacheRead: findPrice("cacheRead") ?? input * USUAL_PRICES.cacheRead,
    cacheWrite: findPrice("cacheWrite") ?? input,
    output: findPrice("output") ?? input * USUAL_PRICES.output,
  };
}

/** In relation to the price of input. */
const USUAL_PRICES = { cacheRead: 0.1, output: 5 };

// The usage comes from a file, so a count may be any value.
function unitPrice({ cost, ...usage }: Usage, kind: keyof TokenPrices): number | undefined {
  const price = (cost?.[kind] ?? 0) / usage[kind];
  return Number.isFinite(price) && price > 0 ? price : undefined;
}

/** Returns the reply in an entry, if this model wrote it. */
export function findReply(
  entry: Entry,
  { provider, model }: Pick<ModelName, "provider" | "model">,
): AssistantMessage | null {
  const reply = assistantReply(entry);
  return reply?.provider === provider && reply.model === model ? reply : null;
}
