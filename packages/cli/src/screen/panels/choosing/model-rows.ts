/** The models one can choose from, as rows: who sells it, how much it sees, what it costs. Pure. */

import type { ModelFacts } from "@pith/models";
import { amount } from "../../../printing/amounts.ts";

export interface ModelRow {
  /** As `provider/model`. */
  readonly name: string;
  /** Null where nobody knows. */
  readonly facts: ModelFacts | null;
  /** On this machine, so that it costs nothing. */
  readonly isLocal: boolean;
}

/** Those in whose name every word stands; who speaks now is first. */
export function rowsFor(rows: readonly ModelRow[], wanted: string, speaking: string): readonly ModelRow[] {
  const words = wanted.toLowerCase().split(/\s+/);
  const fitting = rows.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  return fitting.toSorted((one, other) => Number(other.name === speaking) - Number(one.name === speaking));
}

/** Without doubles: the first of each name counts. Those there are keep their places, so that nobody takes another than they see. */
export function joined(rows: readonly ModelRow[], more: readonly ModelRow[]): readonly ModelRow[] {
  const names = new Set(rows.map(({ name }) => name));
  return [...rows, ...more.filter(({ name }) => !names.has(name))];
}

/** Tokens it sees at once. */
export function windowTold({ facts }: ModelRow): string {
  return facts ? amount(facts.contextWindow) : "?";
}

/** For a million tokens, in and out. */
export function priceTold({ facts, isLocal }: ModelRow): string {
  if (isLocal) return "free, here";
  const prices = facts?.prices;
  return prices ? `$${dollars(prices.input)} / $${dollars(prices.output)}` : "?";
}

function dollars(price: number): string {
  return price >= 100 ? price.toFixed(0) : String(Number(price.toFixed(2)));
}
