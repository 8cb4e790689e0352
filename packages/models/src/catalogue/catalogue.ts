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

export interface RelatedModel {
  readonly facts: ModelFacts;
  /** Whether the provider that was asked for sells it, at its price. */
  readonly isSameProvider: boolean;
}

export type FindRelatedModel = (provider: string, model: string) => RelatedModel | null;

type NormalizeName = (model: string) => string;

/** How the name that was asked for is spelled, and the names it is looked for among. */
const nameComparisons: readonly (readonly [asked: NormalizeName, listed: NormalizeName])[] = [
  [normalizeModelName, normalizeModelName],
  [removePreviewSuffix, removePreviewSuffix],
  [removeDateSuffix, removePreviewSuffix],
];

/** Finds a model under its other names: the closest spelling first, the provider's own list before the others'. */
export function createRelatedModelFinder(snapshot: Snapshot): FindRelatedModel {
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

/** Models of all providers, gathered at the first question that no provider's own list answers. */
function buildModelIndex(snapshot: Snapshot, normalize: NormalizeName): ModelIndex {
  const keys = orderProviders(snapshot).flatMap((provider) =>
    [...snapshot.ids(provider)].map((id) => [provider, id] as const),
  );
  return new Map(keys.filter(([, id]) => isVersionedName(id)).map((key) => [normalize(key[1]), key]));
}

// `auto`, `free`, `glm-latest`: a name without a number is whatever one seller puts behind it.
function isVersionedName(id: string): boolean {
  return /\d/.test(normalizeModelName(id)) && !id.includes("/routers/");
}

// Later ones win: the makers of models over those who sell the models of others, who often serve less of the window.
function orderProviders({ providers }: Snapshot): readonly string[] {
  const makers = ["deepseek", "minimax", "moonshotai", "zai", "mistral", "xai", "google", "openai", "anthropic"];
  return [...providers.filter((name) => !makers.includes(name)), ...makers.filter((name) => providers.includes(name))];
}

export interface Catalogue {
  /** What is known of a model; `local` when it is served on one's own machine, whatever its name promises. */
  facts(provider: string, model: string, place?: { readonly local?: boolean }): FactsResult;
  /** The models that a provider is known to sell; there may be others. */
  listModels(provider: string): readonly string[];
}

export interface FactsResult {
  readonly facts: ModelFacts;
  /** `family`: facts of a model that is spelled otherwise, or that another provider sells. */
  readonly source: "user" | "snapshot" | "family" | "default";
}

export interface CatalogueOptions {
  readonly snapshot?: Snapshot;
  /** Entries of the user's file, see `parseUserModels`. */
  readonly userModels?: UserModels;
  /** For models that nobody knows. */
  readonly unknownFacts?: ModelFacts;
  readonly unknownLocalFacts?: ModelFacts;
}

/**
 * @example
 * const { facts, source } = catalogue().facts("anthropic", "claude-sonnet-4-5");
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
    listModels: (provider) => [...snapshot.ids(normalizeProviderName(provider))],
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

function fromSnapshot(facts: ModelFacts | undefined): FactsResult | null {
  return facts ? { facts, source: "snapshot" } : null;
}

// A price is what one provider asks: another's is no more than a rumour, and is left out. Nor has what is sold for nothing
// its sibling's price, or what was trained further that of its origin.
function fromRelatedModel(relatedModel: RelatedModel | null, model: string): FactsResult | null {
  if (!relatedModel) return null;
  const { prices, ...facts } = relatedModel.facts;
  const hasSamePrice = relatedModel.isSameProvider && !model.endsWith(":free") && !isFineTuned(model);
  return { facts: prices && hasSamePrice ? { ...facts, prices } : facts, source: "family" };
}

function fromDefault(facts: ModelFacts): FactsResult {
  return { facts, source: "default" };
}

// The name says what the model can read and how it thinks; how much of its window is served, only the server knows.
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
