/** One line made sound, if code can: unknown ids go, an unknown name becomes a blank, a citation is attached. Else the line goes. */

import { lineFlaws } from "../checks/line-flaws.ts";
import { unknownNames } from "../checks/names.ts";
import { EARLIER, isMarked } from "../evidence/earlier.ts";
import type { Evidence } from "../evidence.ts";
import type { Flaw } from "../flaw.ts";
import { bare, NAME_NOT_FOUND, withoutMarker } from "../story/bare.ts";
import { withCitation, withKnownIds } from "../story/citations.ts";
import { claimOf } from "../story/claim.ts";
import { CONTEXT } from "../story/headings.ts";
import { beforeAll, lineAt, type Place, type StoryLine } from "../story/place-lines.ts";
import { wordsIn } from "../wording/comparing/words-in.ts";

export type MendedLine =
  | { readonly type: "kept"; readonly text: string }
  /** It rests on an earlier summary alone, and goes where that may be said. */
  | { readonly type: "moved"; readonly text: string }
  | { readonly type: "removed" };

export interface Mending {
  readonly flaws: readonly Flaw[];
  /** Where it stands. */
  readonly place: Place;
  readonly evidence: Evidence;
}

export function mendLine({ text, number }: StoryLine, { flaws, place, evidence }: Mending): MendedLine {
  const has = (code: Flaw["code"]): boolean => flaws.some((flaw) => flaw.code === code);
  const isSound = (line: StoryLine): boolean => line.text.trim() !== "" && lineFlaws(line, evidence).length === 0;
  const known = has("unknown-id") ? withKnownIds(text, (id) => evidence.knownId(id) !== null) : text;
  const named = has("unknown-name") ? withoutNames(known, evidence) : known;
  const founded = has("unfounded") ? withFooting(lineAt(place, { text: named, number }), evidence) : named;
  if (isSound(lineAt(place, { text: founded, number }))) return { type: "kept", text: founded };

  const earlier = `- ${isMarked(named) ? "" : `${EARLIER} `}${withoutMarker(named).trim()}`;
  const isEarlier = (has("unfounded") || has("false-quote")) && evidence.isEarlier(earlier);
  const moved = lineAt({ ...beforeAll, section: CONTEXT }, { text: earlier, number });
  return isEarlier && isSound(moved) ? { type: "moved", text: earlier } : { type: "removed" };
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
