/** Builds the rows of a snapshot from lists of models, and chooses the default model of each provider. */

import { compareVersions, parseModelVersion } from "./model-version.ts";

/** Name, window, longest reply, flags (1 for images, 2 for reasoning), then four prices or none. */
export type SnapshotRow = readonly [
  id: string,
  contextWindow: number,
  maxTokens: number,
  flags: number,
  ...prices: number[],
];

/** A model as lists of models describe it. */
export interface ListedModel {
  readonly id: string;
  readonly contextWindow: number;
  readonly maxTokens: number;
  readonly hasImages: boolean;
  readonly reasoning: boolean;
  /** Dollars per million tokens: input, output, cache read, cache write. All zero if unknown. */
  readonly prices: readonly number[];
}

/** The data of a snapshot: its date, the default models and the rows of each provider. */
export interface SnapshotData<Rows> {
  /** The day of the data, as `2026-09-22`. */
  readonly date: string;
  /** The default model of each provider. */
  readonly defaults: Readonly<Record<string, string>>;
  /** The rows of each provider. */
  readonly rows: Readonly<Record<string, Rows>>;
}

/** Creates the sorted rows of a provider. The last one of several models with the same id is used. */
export function createSnapshotRows(models: readonly ListedModel[]): readonly SnapshotRow[] {
  const byId = new Map(models.map((model) => [model.id, createRow(model)]));
  return [...byId.values()].sort(([one], [other]) => (one < other ? -1 : 1));
}

function createRow({ id, contextWindow, maxTokens, hasImages, reasoning, prices }: ListedModel): SnapshotRow {
  const flags = (hasImages ? 1 : 0) + (reasoning ? 2 : 0);
  const maxReply = Math.min(maxTokens, contextWindow);
  // Four zeros mean "not known", usually a subscription, unless the id says that the model is free.
  const hasPrices = prices.some((price) => price > 0) || /[:-]free$/.test(id);
  return hasPrices
    ? [id, contextWindow, maxReply, flags, ...prices.map(roundPrice)]
    : [id, contextWindow, maxReply, flags];
}

/** 0.09999999999999999 becomes 0.1. */
function roundPrice(price: number): number {
  return Number(price.toFixed(6));
}

/**
 * The family of each provider's default model: a general model for coding at a medium price. The newest model of the family is
 * the default.
 */
const defaultFamilies: Readonly<Record<string, string>> = {
  anthropic: "claude-sonnet",
  openai: "gpt-sol",
  google: "gemini-flash",
  openrouter: "claude-sonnet",
  xai: "grok",
  groq: "gpt-oss-120b",
  cerebras: "gpt-oss-120b",
  mistral: "mistral-medium",
  deepseek: "deepseek-v-pro",
  together: "glm",
  fireworks: "glm",
  moonshotai: "kimi-k",
  zai: "glm",
};

/** Chooses the newest model of the default family. Null if the provider has no default family, or no model of it. */
export function chooseDefaultModel(provider: string, ids: readonly string[]): string | null {
  const family = Object.hasOwn(defaultFamilies, provider) ? defaultFamilies[provider] : undefined;
  const [newest] = ids
    .map((id) => ({ id, ...parseModelVersion(id) }))
    .filter((model) => model.family === family && !model.isVariant)
    .sort(
      (one, other) =>
        compareVersions(one.version, other.version) ||
        Number(one.isDated) - Number(other.isDated) ||
        one.id.length - other.id.length,
    );
  return newest?.id ?? null;
}

/** Chooses the default model of each provider that has a default family. */
export function chooseDefaultModels(
  rows: Readonly<Record<string, readonly SnapshotRow[]>>,
): Readonly<Record<string, string>> {
  const defaults = Object.keys(defaultFamilies).flatMap((provider) => {
    const model = chooseDefaultModel(
      provider,
      (rows[provider] ?? []).map(([id]) => id),
    );
    return model === null ? [] : [[provider, model] as const];
  });
  return Object.fromEntries(defaults);
}
