/** The newest of many things, each once. Looked for from the end, no more is looked at than fills the list. */

import { lineTemplate } from "../line-template.ts";
import { type LedgerImage, type LedgerLine, type LedgerReference, MOST } from "./ledger.ts";

export interface Wanted<Item> {
  /** Items with one text are the same; the newest of them counts. */
  readonly by: (item: Item) => string;
  readonly most: number;
}

/** The newest last, as they come. */
export function newest<Item>(items: readonly Item[], wanted: Wanted<Item>): readonly Item[] {
  return newestFound(items, { ...wanted, find: (item) => [item] });
}

/** The same of what is found in each of the sources, oldest first. */
export function newestFound<Source, Item>(
  sources: readonly Source[],
  { find, by, most }: Wanted<Item> & { readonly find: (source: Source) => readonly Item[] },
): readonly Item[] {
  const known = new Map<string, Item>();
  for (let at = sources.length - 1; at >= 0 && known.size < most; at--)
    for (const item of find(sources[at] as Source).toReversed()) {
      const text = by(item);
      if (!known.has(text)) known.set(text, item);
    }
  return [...known.values()].slice(0, most).reverse();
}

const itsText = ({ text }: LedgerLine | LedgerReference): string => text;

/** What each list of a ledger holds. */
export const wanted: WantedLists = {
  errors: { by: ({ text }) => lineTemplate(text), most: MOST.errors },
  lines: { by: itsText, most: MOST.lines },
  references: { by: itsText, most: MOST.references },
  // Several images may stand in one entry and have one handle.
  images: { by: ({ handle, size, path, caption }) => JSON.stringify([handle, size, path, caption]), most: MOST.images },
};

interface WantedLists {
  readonly errors: Wanted<LedgerLine>;
  readonly lines: Wanted<LedgerLine>;
  readonly references: Wanted<LedgerReference>;
  readonly images: Wanted<LedgerImage>;
}
