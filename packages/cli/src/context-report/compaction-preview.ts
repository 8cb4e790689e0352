/** Previews a compaction as text and as figures. Nothing is changed and no model is called. */

import type { Budget, CompactionPreview, Entry, LoadedBranch, Usage } from "@pith/context";
import { authorOf } from "@pith/context/host";
import { entryWeights } from "./meter.ts";

export interface PreviewFacts {
  readonly tokens: { readonly before: number; readonly after: number };
  readonly dropped: Share;
  readonly kept: Share;
  /** Messages of the user's own among what is dropped, and the tokens there are for them. */
  readonly words: Share;
  readonly pins: number;
  /** Who tells it. */
  readonly by: string;
  /** In dollars; null where nobody knows. */
  readonly price: number | null;
}

export interface Share {
  readonly count: number;
  readonly tokens: number;
}

type Planned = Extract<CompactionPreview, { type: "planned" }>;

export interface Teller {
  readonly by: string;
  /** Whether that is who speaks: what its last reply has cost tells more than a list. */
  readonly isSpeaking: boolean;
  /** Dollars for a million tokens, where they are known. */
  readonly prices: { readonly input: number; readonly output: number } | undefined;
}

export function previewFacts({ plan, receipt }: Planned, { by, isSpeaking, prices }: Teller): PreviewFacts {
  const { branch: window, budget, covered, kept, checkpoint } = plan;
  const ids = new Set(covered.map(({ id }) => id));
  const weights = entryWeights(window, budget);
  const share = (entries: readonly Entry[], isCovered: boolean): Share => ({
    count: entries.length,
    tokens: weights.filter(({ entry }) => ids.has(entry.id) === isCovered).reduce((sum, { tokens }) => sum + tokens, 0),
  });
  const dropped = share(covered, true);
  const amounts = { budget, read: dropped.tokens, written: checkpoint };
  return {
    tokens: receipt.tokens,
    dropped,
    kept: share(kept, false),
    words: { count: covered.filter(isTyped).length, tokens: budget.userMessages },
    pins: window.state.pins.length,
    by,
    price: (isSpeaking ? priceOf(window, amounts) : null) ?? listPrice(prices, amounts),
  };
}

function isTyped(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role === "user" && authorOf(entry) === "person";
}

interface Amounts {
  readonly budget: Pick<Budget, "model">;
  readonly read: number;
  readonly written: number;
}

/** By what the last reply of who speaks has cost; null where it does not say. */
function priceOf({ entries }: LoadedBranch, { budget: { model: to }, read, written }: Amounts): number | null {
  const reply = entries.findLast((entry) => usageIn(entry, to?.model) !== null);
  const usage = reply && usageIn(reply, to?.model);
  if (!usage) return null;
  const { input, output, cost } = usage;
  return (cost.input / input) * read + (cost.output / output) * written;
}

function listPrice(prices: Teller["prices"], { read, written }: Amounts): number | null {
  return prices ? (prices.input * read + prices.output * written) / MILLION : null;
}

const MILLION = 1_000_000;

function usageIn(entry: Entry, model: string | undefined): Usage | null {
  if (entry.type !== "message" || entry.message.role !== "assistant") return null;
  const { usage, model: by } = entry.message;
  const isTold = usage?.input > 0 && usage.output > 0 && usage.cost?.input > 0 && usage.cost.output > 0;
  return isTold && by === model ? usage : null;
}
