/** Facts of any model, known or not: from the user's file, the snapshot, a relative, or a careful default. */

import { type ModelFacts, UNKNOWN_FACTS, UNKNOWN_LOCAL_FACTS } from "./facts.ts";
import { isTuned, providerName } from "./names.ts";
import { type Relative, relatives } from "./relatives.ts";
import { type Snapshot, snapshot as shipped } from "./snapshot.ts";
import { corrected, matchingEntry, type UserEntries } from "./user-entry.ts";

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
