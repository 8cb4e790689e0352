/** Looks up the facts of a model: the user's file, the snapshot, a related model, or a conservative default. */

import {
  isFineTuned,
  type ModelFacts,
  normalizeModelName,
  normalizeProviderName,
  removeDateSuffix,
  removePreviewSuffix,
  UNKNOWN_FACTS,
  UNKNOWN_LOCAL_FACTS,
} from "./model-facts.ts";
import { type Snapshot, snapshot as shipped } from "./snapshot.ts";
import { applyUserModel, findUserModel, type UserModels } from "./user-models.ts";

/**
 * @example
 * const { facts, source } = createCatalogue().facts("anthropic", "claude-sonnet-4-5");
 */
export function createCatalogue(options: CatalogueOptions = {}): Catalogue {
  const {
    snapshot = shipped,
    userModels = {},
    unknownFacts = UNKNOWN_FACTS,
    unknownLocalFacts = UNKNOWN_LOCAL_FACTS,
  } = options;
  const findRelated = createRelatedModelFinder(snapshot);
  return {
    listModels: (provider) => snapshot.offeredIds(normalizeProviderName(provider)),
    defaultModel: (provider) => snapshot.defaultModel(normalizeProviderName(provider)) ?? null,
    facts(provider, model, location = {}) {
      const result = location.local
        ? fromLocal({ relatedModel: findRelated(provider, model), unknownLocalFacts })
        : (fromSnapshot(snapshot.facts(normalizeProviderName(provider), model)) ??
          fromRelatedModel(findRelated(provider, model), model) ??
          fromDefault(unknownFacts));
      const facts = applyUserModel(result.facts, findUserModel(userModels, `${provider}/${model}`));
      return facts ? { facts, source: "user" } : result;
    },
  };
}

export interface Catalogue {
  /** The facts about a model. `local`: it runs on a local server, so its name does not determine its window. */
  facts(provider: string, model: string, location?: { readonly local?: boolean }): FactsResult;
  /** The known models that a provider offers; there may be others. */
  listModels(provider: string): readonly string[];
  /** The model of a provider to use if the user chose none; null if there is none. */
  defaultModel(provider: string): string | null;
}

export interface FactsResult {
  readonly facts: ModelFacts;
  /** `family`: the facts of the same model under another spelling or at another provider. */
  readonly source: "user" | "snapshot" | "family" | "default";
}

export interface CatalogueOptions {
  readonly snapshot?: Snapshot;
  /** The user's models file, see `parseUserModels`. */
  readonly userModels?: UserModels;
  /** The facts for unknown models. */
  readonly unknownFacts?: ModelFacts;
  readonly unknownLocalFacts?: ModelFacts;
}

function fromSnapshot(facts: ModelFacts | undefined): FactsResult | null {
  return facts ? { facts, source: "snapshot" } : null;
}

// The prices of another provider do not apply, nor do they apply to a free variant or a fine-tuned model.
function fromRelatedModel(relatedModel: RelatedModel | null, model: string): FactsResult | null {
  if (!relatedModel) return null;
  const { prices, ...facts } = relatedModel.facts;
  const hasSamePrice = relatedModel.isSameProvider && !model.endsWith(":free") && !isFineTuned(model);
  return { facts: prices && hasSamePrice ? { ...facts, prices } : facts, source: "family" };
}

function fromDefault(facts: ModelFacts): FactsResult {
  return { facts, source: "default" };
}

// The name determines input kinds and reasoning. Only the server knows how much of the window it serves.
function fromLocal(parts: {
  readonly relatedModel: RelatedModel | null;
  readonly unknownLocalFacts: ModelFacts;
}): FactsResult {
  const { relatedModel, unknownLocalFacts } = parts;
  if (!relatedModel) return fromDefault(unknownLocalFacts);
  const { contextWindow: relatedWindow, input, reasoning } = relatedModel.facts;
  return fromDefault({
    ...unknownLocalFacts,
    contextWindow: Math.min(relatedWindow, unknownLocalFacts.contextWindow),
    input,
    reasoning,
  });
}

/** Finds a model under other spellings of its name: the closest first, the provider's own models before others. */
function createRelatedModelFinder(snapshot: Snapshot): FindRelatedModel {
  const indexes = new Map<NormalizeName, ModelIndex>();
  return (provider, model) => {
    for (const [normalizeRequested, normalizeListed] of nameComparisons) {
      const name = normalizeRequested(model);
      const ownId = [...snapshot.ids(normalizeProviderName(provider))].find((id) => normalizeListed(id) === name);
      if (ownId !== undefined)
        return readRelatedModel(snapshot, [normalizeProviderName(provider), ownId], { isSameProvider: true });
      const index = indexes.get(normalizeListed) ?? buildModelIndex(snapshot, normalizeListed);
      indexes.set(normalizeListed, index);
      const key = index.get(name);
      if (key) return readRelatedModel(snapshot, key, { isSameProvider: false });
    }
    return null;
  };
}

export interface RelatedModel {
  readonly facts: ModelFacts;
  /** Whether the requested provider sells the model. */
  readonly isSameProvider: boolean;
}

export type FindRelatedModel = (provider: string, model: string) => RelatedModel | null;

type NormalizeName = (model: string) => string;

/** How the requested and the listed names are normalised, the strictest comparison first. */
const nameComparisons: readonly (readonly [requested: NormalizeName, listed: NormalizeName])[] = [
  [normalizeModelName, normalizeModelName],
  [removePreviewSuffix, removePreviewSuffix],
  [removeDateSuffix, removePreviewSuffix],
];

type ModelKey = readonly [provider: string, id: string];
type ModelIndex = ReadonlyMap<string, ModelKey>;

function readRelatedModel(
  snapshot: Snapshot,
  key: ModelKey,
  relation: { readonly isSameProvider: boolean },
): RelatedModel | null {
  const facts = snapshot.facts(...key);
  return facts ? { facts, ...relation } : null;
}

/** Indexes the models of all providers, when a model is not in its provider's own list for the first time. */
function buildModelIndex(snapshot: Snapshot, normalize: NormalizeName): ModelIndex {
  const keys = orderProviders(snapshot).flatMap((provider) =>
    [...snapshot.ids(provider)].map((id) => [provider, id] as const),
  );
  return new Map(keys.filter(([, id]) => isVersionedName(id)).map((key) => [normalize(key[1]), key]));
}

// `auto`, `free`, `glm-latest`: a name without a number means another model at each provider.
function isVersionedName(id: string): boolean {
  return /\d/.test(normalizeModelName(id)) && !id.includes("/routers/");
}

// Later providers win: makers of models come after resellers, who often serve a smaller window.
function orderProviders({ providers }: Snapshot): readonly string[] {
  const makers = ["deepseek", "minimax", "moonshotai", "zai", "mistral", "xai", "google", "openai", "anthropic"];
  return [...providers.filter((name) => !makers.includes(name)), ...makers.filter((name) => providers.includes(name))];
}
