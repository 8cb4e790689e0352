/** What a person typed, by the entry it stands in: covered entries, words kept earlier, and what an audited story says they said. */

import type { ContextEditEntry, Entry } from "../../../entry.ts";
import { entryWords } from "../../../keeping/entry-text.ts";
import { provenance } from "../../../keeping/provenance.ts";
import { bare } from "../story/bare.ts";
import { citedIds } from "../story/citations.ts";
import { linesOf } from "../story/lines-of.ts";
import { placeLines } from "../story/place-lines.ts";

export interface TypedParts {
  readonly covered: readonly Entry[];
  readonly edits: readonly ContextEditEntry[];
  /** The story carried on; empty for none. */
  readonly previous: string;
  /** Whether that one was written and audited by us. */
  readonly isOurs: boolean;
  /** Blocks of the user's words kept earlier: `[entry:ID]`, and below it the words. */
  readonly words: string;
  /** The user's latest request, where the kept part of the context does not say it. */
  readonly request: { readonly id: string; readonly text: string } | null;
}

/** Oldest first; an entry may have said something in several of these places. */
export function typedTexts(parts: TypedParts): ReadonlyMap<string, readonly string[]> {
  const said = [
    ...(parts.isOurs ? storySaid(parts) : []),
    ...blocksSaid(parts.words),
    ...coveredSaid(parts),
    ...(parts.request ? [parts.request] : []),
  ];
  const byId = Map.groupBy(
    said.filter(({ text }) => /\S/.test(text)),
    ({ id }) => id,
  );
  return new Map([...byId].map(([id, same]) => [id, same.map(({ text }) => text)]));
}

interface Said {
  readonly id: string;
  readonly text: string;
}

/** Goal and Constraints of a story that was audited: each line rests on the entries it cites. */
function storySaid({ previous, covered }: TypedParts): readonly Said[] {
  const others = new Set(covered.filter((entry) => provenance(entry) !== "person").map(({ id }) => id));
  return placeLines(linesOf(previous))
    .filter(({ passes }) => passes === "by-section")
    .flatMap(({ text }) => citedIds(text).map((id) => ({ id, text: bare(text) })))
    .filter(({ id }) => !others.has(id));
}

function blocksSaid(words: string): readonly Said[] {
  const [, ...parts] = words.split(/(?:^|\n)\[entry:([^\]\n]+)\]\n/);
  return parts.flatMap((id, at) => (at % 2 === 0 ? [{ id, text: parts[at + 1] ?? "" }] : []));
}

function coveredSaid({ covered, edits }: TypedParts): readonly Said[] {
  return covered
    .filter((entry) => provenance(entry) === "person")
    .map((entry) => ({ id: entry.id, text: entryWords(entry, edits) }));
}
