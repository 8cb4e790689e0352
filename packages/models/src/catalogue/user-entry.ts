/** What a user says of models: entries by `provider/model`, or by the beginning of that with a star behind it. */

import type { ModelFacts, Prices } from "./facts.ts";
import { checkedField } from "./user-field.ts";

/** A user corrects what is wrong and leaves out the rest. */
export interface UserEntry extends Partial<Omit<ModelFacts, "prices">> {
  readonly prices?: UserPrices;
}

/** Cached tokens without a price of their own cost what input costs. */
export type UserPrices = Pick<Prices, "input" | "output"> & Partial<Prices>;

export type UserEntries = Readonly<Record<string, UserEntry>>;

/** The entry for a name: its own, else the longest of those with a star that fit. */
export function matchingEntry(entries: UserEntries, name: string): UserEntry | null {
  if (Object.hasOwn(entries, name)) return entries[name] ?? null;
  const fitting = Object.keys(entries).filter((key) => key.endsWith("*") && name.startsWith(key.slice(0, -1)));
  const [longest] = fitting.sort((one, other) => other.length - one.length);
  return longest === undefined ? null : (entries[longest] ?? null);
}

/** The facts as the user corrects them, or null where there is nothing to correct. Nonsense in an entry is left out. */
export function corrected(facts: ModelFacts, entry: UserEntry | null): ModelFacts | null {
  const { prices, ...own } = sound(entry ?? {});
  if (!prices && Object.keys(own).length === 0) return null;
  const both = { ...facts, ...own, ...(prices ? { prices: whole(prices) } : {}) };
  return { ...both, maxTokens: Math.min(both.maxTokens, both.contextWindow) };
}

// Programs hand in entries, too, that no file was checked for.
function sound(entry: UserEntry): UserEntry {
  return Object.fromEntries(Object.entries(entry).filter(([name, value]) => checkedField(name, value) === null));
}

function whole({ input, output, cacheRead = input, cacheWrite = input }: UserPrices): Prices {
  return { input, output, cacheRead, cacheWrite };
}
