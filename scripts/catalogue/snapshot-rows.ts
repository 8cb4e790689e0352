/** Models as the snapshot holds them: one short row each, sorted, of the providers people come with. */

import type { ListedModel } from "./fetch-model-data.ts";

/** id, window, longest answer, 1 for images + 2 for reasoning, then prices where there are any. */
export type SnapshotRow = readonly [string, number, number, number, ...number[]];

/** Not here: one provider's regional doubles and token plans, whose models others list already. */
const CHOSEN: readonly string[] = [
  ["amazon-bedrock", "anthropic", "azure-openai-responses", "baseten", "cerebras", "cloudflare-workers-ai", "deepseek"],
  ["fireworks", "github-copilot", "google", "google-vertex", "groq", "huggingface", "kimi-coding", "meta", "minimax"],
  ["mistral", "moonshotai", "nvidia", "openai", "openai-codex", "opencode", "openrouter", "together"],
  ["vercel-ai-gateway", "xai", "xiaomi", "zai"],
].flat();

export function snapshotRows(
  providers: Readonly<Record<string, readonly ListedModel[]>>,
): Readonly<Record<string, readonly SnapshotRow[]>> {
  return Object.fromEntries(CHOSEN.map((name) => [name, rows(name, providers[name])]));
}

function rows(provider: string, models: readonly ListedModel[] | undefined): readonly SnapshotRow[] {
  if (!models)
    throw new Error(`the data has no provider "${provider}"; take it out of scripts/catalogue/snapshot-rows.ts`);
  const byId = new Map(models.map((model) => [model.id, row(model)]));
  return [...byId.values()].sort(([one], [other]) => (one < other ? -1 : 1));
}

function row({ id, contextWindow, maxTokens, reasoning, input, cost }: ListedModel): SnapshotRow {
  const kinds = (input.includes("image") ? 1 : 0) + (reasoning ? 2 : 0);
  const prices = [cost.input, cost.output, cost.cacheRead, cost.cacheWrite];
  const answer = Math.min(maxTokens, contextWindow);
  // Four zeros stand for "not known" (a subscription, mostly), unless the name says that it costs nothing.
  const priced = prices.some((price) => price > 0) || /[:-]free$/.test(id);
  return priced ? [id, contextWindow, answer, kinds, ...prices.map(tidy)] : [id, contextWindow, answer, kinds];
}

/** 0.09999999999999999 was meant to be 0.1. */
function tidy(price: number): number {
  return Number(price.toFixed(6));
}
