/** One line made sound, if code can: unknown ids go, an unknown name becomes a blank, a citation is attached. Else the line goes, or makes room for the words it cites. */

import { lineFlaws } from "../checks/line-flaws.ts";
import { unknownNames } from "../checks/names.ts";
import { EARLIER, isMarked } from "../evidence/earlier.ts";
import type { Evidence } from "../evidence.ts";
import type { Flaw } from "../flaw.ts";
import { bare, NAME_NOT_FOUND, withoutMarker } from "../story/bare.ts";
import { citedIds, withCitation, withKnownBlobs, withKnownIds } from "../story/citations.ts";
import { claimOf } from "../story/claim.ts";
import { CONTEXT } from "../story/headings.ts";
import { beforeAll, lineAt, type StoryLine } from "../story/place-lines.ts";
import { wordsIn } from "../wording/comparing/words-in.ts";

export type MendedLine =
  | { readonly type: "kept"; readonly text: string }
  /** It rests on an earlier summary alone, and goes where that may be said. */
  | { readonly type: "moved"; readonly text: string }
  | { readonly type: "removed" };

export interface Mending {
  readonly flaws: readonly Flaw[];
  /** A text as it would stand in its place. */
  readonly lineOf: (text: string) => StoryLine;
  readonly evidence: Evidence;
}

export function mendLine(text: string, { flaws, lineOf, evidence }: Mending): MendedLine {
  if (lineOf(text).isForged) return { type: "removed" };
  const has = (code: Flaw["code"]): boolean => flaws.some((flaw) => flaw.code === code);
  const isSound = (line: StoryLine): boolean => line.text.trim() !== "" && lineFlaws(line, evidence).length === 0;
  const known = has("unknown-id") ? withKnown(text, evidence) : text;
  const named = has("unknown-name") ? withoutNames(known, evidence) : known;
  const founded = has("unfounded") ? withFooting(lineOf(named), evidence) : named;
  if (isSound(lineOf(founded))) return { type: "kept", text: founded };

  const earlier = `- ${isMarked(named) ? "" : `${EARLIER} `}${withoutMarker(named).trim()}`;
  const isEarlier = (has("unfounded") || has("false-quote")) && evidence.isEarlier(earlier);
  const moved = lineAt({ ...beforeAll, section: CONTEXT }, { text: earlier, number: lineOf(text).number });
  if (isEarlier && isSound(moved)) return { type: "moved", text: earlier };

  const quoting = lineOf(text).passes === "by-section" ? openingOf(known, evidence) : null;
  return quoting !== null && isSound(lineOf(quoting)) ? { type: "kept", text: quoting } : { type: "removed" };
}

// Who goes too far, but says where the user spoke, has lost the words and not the wish.
function openingOf(text: string, { knownId, openingOf }: Evidence): string | null {
  const openings = citedIds(text).map((id) => openingOf(knownId(id) ?? ""));
  return openings.find((opening) => opening !== null) ?? null;
}

function withKnown(text: string, { knownId, isBlob }: Evidence): string {
  return withKnownBlobs(
    withKnownIds(text, (id) => knownId(id) !== null),
    isBlob,
  );
}

/** The line with a blank for each, where enough is left to read; else empty. */
function withoutNames(text: string, evidence: Evidence): string {
  const names = unknownNames(text, evidence);
  let end = 0;
  const kept = names.map(({ start, end: next }) => {
    const before = text.slice(end, start);
    end = next;
    return before;
  });
  const words = wordsIn(bare([...kept, text.slice(end)].join(" "))).length;
  return words < LEAST ? "" : [...kept, text.slice(end)].join(NAME_NOT_FOUND);
}

const LEAST = 6;

function withFooting(line: StoryLine, evidence: Evidence): string {
  const claim = claimOf(line);
  const id = claim === null ? null : evidence.footing(claim);
  return id === null ? line.text : withCitation(line.text, id);
}
