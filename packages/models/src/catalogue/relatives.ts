/** Models by the names they go under elsewhere: the closest spelling first, a provider's own list before the others'. */

import type { ModelFacts } from "./facts.ts";
import { finalName, plainName, providerName, undatedName } from "./names.ts";
import type { Snapshot } from "./snapshot.ts";

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
