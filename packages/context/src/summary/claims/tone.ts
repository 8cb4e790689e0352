/** Classifies how a clause speaks and which harmful actions it asks for. */

import { foldAccents } from "../../text/sanitize.ts";
import { lexicon, type Piece } from "./lexicon.ts";
import { graveWords, toneWords } from "./word-lists.ts";

export type Grave = keyof typeof graveWords;

export interface Tone {
  /** What it tells to do that harms unasked. */
  readonly grave: ReadonlySet<Grave>;
  /** What is left without that: whom or what it is done to. */
  readonly rest: string;
  readonly isNegated: boolean;
  /** It may say what must not be, and not only what is not so. */
  readonly isForbidding: boolean;
  /** It says what must not be. */
  readonly isProhibition: boolean;
  /** A no in the shape of a yes: `leave`, `without`. */
  readonly isSoft: boolean;
  /** Something fails, or is not all: `missing`, `only`. */
  readonly isLacking: boolean;
  readonly isHedged: boolean;
  /** A person agrees. */
  readonly agrees: boolean;
  /** It says that somebody agreed. */
  readonly tellsConsent: boolean;
  /** What stands beside it holds only under it. */
  readonly isCondition: boolean;
  /** It is a statement of its own. */
  readonly hasSubject: boolean;
}

/** What a file is called is not done: names of files must have been taken out. */
export function toneOf(text: string): Tone {
  const pieces = piecesOf(withoutElision(foldAccents(text)));
  const tags = new Set(pieces.flatMap((piece) => piece.tags));
  const first = new Set(pieces.find((piece) => !piece.tags.includes("filler"))?.tags);
  const isPlea = (tags.has("declining") || first.has("openingNo")) && !tags.has("stating");
  const isProhibition = tags.has("prohibiting") || isPlea;
  const isForbidding = isProhibition || (tags.has("refusing") && !tags.has("stating"));
  return {
    grave: new Set(graveNames.filter((name) => tags.has(name))),
    rest: restOf(pieces),
    isNegated: isForbidding || NEGATING.some((tag) => tags.has(tag)),
    isForbidding,
    isProhibition,
    isSoft: tags.has("soft"),
    isLacking: tags.has("lacking"),
    isHedged: tags.has("hedging"),
    agrees: tags.has("agreeing") || first.has("assenting") || isPraise(pieces),
    tellsConsent: tags.has("consenting"),
    isCondition: first.has("condition"),
    hasSubject: first.has("subject"),
  };
}

// "Good" consents, "good morning" does not.
function isPraise(pieces: readonly Piece<Tag>[]): boolean {
  const said = pieces.filter(({ tags }) => !tags.includes("filler"));
  return said.length > 0 && said.every(({ tags }) => tags.includes("praising"));
}

// French writes small words into the next one.
function withoutElision(text: string): string {
  return text.replace(/(?<![\p{L}'])(?:n|[cdjlmst]|qu)'(?=\p{L})/gu, (word) => (word === "n'" ? "ne " : " "));
}

type Tag = Grave | keyof typeof toneWords;

const NEGATING: readonly Tag[] = ["denying", "refusing", "declining", "openingNo"];
const piecesOf = lexicon({ ...toneWords, ...graveWords });
const graveNames = Object.keys(graveWords) as readonly Grave[];
const graveTags: ReadonlySet<Tag> = new Set(graveNames);

function restOf(pieces: readonly Piece<Tag>[]): string {
  return pieces.flatMap(({ text, tags }) => (tags.some((tag) => graveTags.has(tag)) ? [] : [text])).join(" ");
}
