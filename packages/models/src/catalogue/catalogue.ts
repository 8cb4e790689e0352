/** Looks up the facts of a model: the user's file, the snapshot, a related model, or a conservative default. */

import {
  finalName,
  isTuned,
  type ModelFacts,
  plainName,
  providerName,
  UNKNOWN_FACTS,
  UNKNOWN_LOCAL_FACTS,
  undatedName,
} from "./facts.ts";
import { type Snapshot, snapshot as shipped } from "./snapshot.ts";
import { corrected, matchingEntry, type UserEntries } from "./user-models.ts";

export interface Relative {
  readonly facts: ModelFacts;
  /** Whether the provider that was asked for sells it, at its price. */
  readonly isOwn: boolean;
}

export type Relatives = (provider: string, model: string) => Relative | null;

type Naming = (model: string) => string;

/** How the name that was asked for is spelled, and the names it is looked for among. */
const spellings: readonly (readonly [asked: Naming, listed: Naming])[] = [
  [plainName, plainName],
  [finalName, finalName],
  [undatedName, finalName],
];

/** Finds a model under its other names: the closest spelling first, the provider's own list before the others'. */
export function relatives(snapshot: Snapshot): Relatives {
  const indexes = new Map<Naming, FamilyIndex>();
  return (provider, model) => {
    for (const [asked, listed] of spellings) {
      const name = asked(model);
      const own = [...snapshot.ids(providerName(provider))].find((id) => listed(id) === name);
      if (own !== undefined) return found(snapshot, [providerName(provider), own], { isOwn: true });
      const index = indexes.get(listed) ?? familyIndex(snapshot, listed);
      indexes.set(listed, index);
      const place = index.get(name);
      if (place) return found(snapshot, place, { isOwn: false });
    }
    return null;
  };
}

type Place = readonly [provider: string, id: string];
type FamilyIndex = ReadonlyMap<string, Place>;

function found(snapshot: Snapshot, place: Place, whose: { readonly isOwn: boolean }): Relative | null {
  const facts = snapshot.facts(...place);
  return facts ? { facts, ...whose } : null;
}

/** Models of all providers, gathered at the first question that no provider's own list answers. */
function familyIndex(snapshot: Snapshot, naming: Naming): FamilyIndex {
  const places = inOrder(snapshot).flatMap((provider) =>
    [...snapshot.ids(provider)].map((id) => [provider, id] as const),
  );
  return new Map(places.filter(([, id]) => isFamily(id)).map((place) => [naming(place[1]), place]));
}

// `auto`, `free`, `glm-latest`: a name without a number is whatever one seller puts behind it.
function isFamily(id: string): boolean {
  return /\d/.test(plainName(id)) && !id.includes("/routers/");
}

// Later ones win: the makers of models over those who sell the models of others, who often serve less of the window.
function inOrder({ providers }: Snapshot): readonly string[] {
  const makers = ["deepseek", "minimax", "moonshotai", "zai", "mistral", "xai", "google", "openai", "anthropic"];
  return [...providers.filter((name) => !makers.includes(name)), ...makers.filter((name) => providers.includes(name))];
}

export interface Catalogue {
  /** What is known of a model; `local` when it is served on one's own machine, whatever its name promises. */
  facts(provider: string, model: string, place?: { readonly local?: boolean }): Found;
  /** The models that a provider is known to sell; there may be others. */
  sold(provider: string): readonly string[];
}

export interface Found {
  readonly facts: ModelFacts;
  /** `family`: facts of a model that is spelled otherwise, or that another provider sells. */
  readonly source: "user" | "snapshot" | "family" | "default";
}

export interface CatalogueParts {
  readonly snapshot?: Snapshot;
  /** Entries of the user's file, see `userEntries`. */
  readonly user?: UserEntries;
  /** For models that nobody knows. */
  readonly unknown?: ModelFacts;
  readonly unknownLocal?: ModelFacts;
}

/**
 * @example
 * const { facts, source } = catalogue().facts("anthropic", "claude-sonnet-4-5");
 */
export function catalogue(parts: CatalogueParts = {}): Catalogue {
  const { snapshot = shipped, user = {}, unknown = UNKNOWN_FACTS, unknownLocal = UNKNOWN_LOCAL_FACTS } = parts;
  const relative = relatives(snapshot);
  return {
    sold: (provider) => [...snapshot.ids(providerName(provider))],
    facts(provider, model, place = {}) {
      const found = place.local
        ? local({ relative: relative(provider, model), unknownLocal })
        : (listed(snapshot.facts(providerName(provider), model)) ??
          related(relative(provider, model), model) ??
          byDefault(unknown));
      const facts = corrected(found.facts, matchingEntry(user, `${provider}/${model}`));
      return facts ? { facts, source: "user" } : found;
    },
  };
}

function listed(facts: ModelFacts | undefined): Found | null {
  return facts ? { facts, source: "snapshot" } : null;
}

// A price is what one provider asks: another's is no more than a rumour, and is left out. Nor has what is sold for nothing
// its sibling's price, or what was trained further that of its origin.
function related(relative: Relative | null, model: string): Found | null {
  if (!relative) return null;
  const { prices, ...facts } = relative.facts;
  const isItsPrice = relative.isOwn && !model.endsWith(":free") && !isTuned(model);
  return { facts: prices && isItsPrice ? { ...facts, prices } : facts, source: "family" };
}

function byDefault(facts: ModelFacts): Found {
  return { facts, source: "default" };
}

// The name says what the model can read and how it thinks; how much of its window is served, only the server knows.
function local(parts: { readonly relative: Relative | null; readonly unknownLocal: ModelFacts }): Found {
  const { relative, unknownLocal } = parts;
  if (!relative) return byDefault(unknownLocal);
  const { contextWindow: most, input, reasoning } = relative.facts;
  return byDefault({ ...unknownLocal, contextWindow: Math.min(most, unknownLocal.contextWindow), input, reasoning });
}
