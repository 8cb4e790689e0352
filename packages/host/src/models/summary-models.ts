/** Creates the summarizers for compaction: the models named in the settings, opened on first use, then the session's model. */

import { type Model, modelSummarizer, type Runtime, type Summarizer, type SummarizerResult } from "@pith/context";
import { estimatePlanCost } from "@pith/context/host";
import { type Catalogue, type Prices, providers } from "@pith/models";
import { type ChooseModelResult, NO_MODEL } from "./open-model.ts";

/** Reads `compaction.model`: the models before `none`, and whether the session's model is tried after them. */
export function readSummaryModelNames(setting: string | readonly string[] = []): {
  readonly names: readonly string[];
  readonly isCurrentModelLast: boolean;
} {
  const names = [setting].flat();
  const end = names.indexOf(NO_MODEL);
  return end < 0 ? { names, isCurrentModelLast: true } : { names: names.slice(0, end), isCurrentModelLast: false };
}

/** The limits and the list prices of a model. */
export interface SummaryModelInfo extends Pick<Model, "provider" | "model" | "contextWindow" | "maxTokens"> {
  /** In dollars per token. Undefined if unknown. */
  readonly prices: NonNullable<Parameters<typeof estimatePlanCost>[2]>["prices"];
}

/** Describes a model of the catalogue by its name, as `provider/model`. */
export function describeSummaryModel(name: string, catalogue: Catalogue): SummaryModelInfo {
  const [providerName = "", ...modelParts] = name.split("/");
  const known = providers.find(({ id }) => id === providerName);
  const provider = known?.canonicalId ?? providerName;
  const model = modelParts.join("/");
  const { facts } = catalogue.facts(provider, model, { local: known?.isLocal === true });
  const { contextWindow, maxTokens, prices } = facts;
  return { provider, model, contextWindow, maxTokens, prices: prices && toTokenPrices(prices) };
}

/** The catalogue has dollars per million tokens. */
function toTokenPrices({ input, output, cacheRead, cacheWrite }: Prices): SummaryModelInfo["prices"] {
  return {
    input: input / MILLION,
    output: output / MILLION,
    cacheRead: cacheRead / MILLION,
    cacheWrite: cacheWrite / MILLION,
  };
}

const MILLION = 1_000_000;

export interface SummaryModelOptions {
  /** The setting `compaction.model`. */
  readonly setting?: string | readonly string[] | undefined;
  readonly openModel: (name: string) => Promise<ChooseModelResult>;
  /** Returns the session's current model. */
  readonly currentModel: () => Model;
  readonly runtime: Pick<Runtime, "sleep" | "nonce">;
  /** The limits and prices of the models, to estimate what they cost. */
  readonly catalogue?: Catalogue;
}

/** A model that cannot be opened or that fails is skipped; the receipt states the reason. */
export function createCompactionSummarizers(options: SummaryModelOptions): readonly Summarizer[] {
  const { names, isCurrentModelLast } = readSummaryModelNames(options.setting);
  return [
    ...names.map((name) => createLazySummarizer(name, options)),
    ...(isCurrentModelLast ? [createSessionModelSummarizer(names, options)] : []),
  ];
}

function createLazySummarizer(
  name: string,
  { openModel, currentModel, runtime, catalogue }: SummaryModelOptions,
): Summarizer {
  let summarizer: Summarizer | null = null;
  return {
    name,
    isPaid: true,
    estimate(plan, options) {
      if (formatName(currentModel()) === name)
        return modelSummarizer(currentModel(), { runtime }).estimate?.(plan, options) ?? null;
      if (!catalogue) return null;
      const { prices, ...model } = describeSummaryModel(name, catalogue);
      return estimatePlanCost(plan, model, { prices });
    },
    async summarize(plan, options): Promise<SummarizerResult> {
      if (!summarizer) {
        const result = await openModel(name);
        if (result.type !== "opened") return { type: "failed", why: result.message };
        const prices = catalogue && describeSummaryModel(name, catalogue).prices;
        summarizer = modelSummarizer(result.model, { runtime, prices });
      }
      const summary = await summarizer.summarize(plan, options);
      // The next attempt opens the model again: the user may have entered another key.
      if (summary.type === "failed") summarizer = null;
      return summary;
    },
  };
}

function createSessionModelSummarizer(
  names: readonly string[],
  { currentModel, runtime }: SummaryModelOptions,
): Summarizer {
  const create = (): Summarizer => modelSummarizer(currentModel(), { runtime });
  // If the session's model is also in the settings, it has already been tried.
  const isListed = (): boolean => names.includes(formatName(currentModel()));
  return {
    get name(): string {
      return formatName(currentModel());
    },
    isPaid: true,
    estimate: (plan, options) => (isListed() ? null : (create().estimate?.(plan, options) ?? null)),
    summarize: (plan, options) => (isListed() ? { type: "nothing" } : create().summarize(plan, options)),
  };
}

function formatName({ provider, model }: Pick<Model, "provider" | "model">): string {
  return `${provider}/${model}`;
}
