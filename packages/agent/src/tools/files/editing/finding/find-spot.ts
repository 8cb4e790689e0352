/** Where a replacement belongs: the one place that has its old text, exactly, or else apart from typographic signs, or white space. */

import type { Replacement } from "../../arguments.ts";
import { alike } from "../alike.ts";
import type { Splice } from "../text-file.ts";
import { looseLines } from "./loose-lines.ts";
import { plainSigns } from "./plain-signs.ts";
import type { SearchedText } from "./searched-text.ts";

export type How = "exact" | "typographic signs" | "white space";

export type Found =
  | { readonly type: "found"; readonly splice: Splice; readonly how: How }
  | { readonly type: "several"; readonly places: readonly number[]; readonly how: How }
  | { readonly type: "none" };

/** Tries each way in turn; the first that finds anything decides, so that a loose match never competes with an exact one. */
export function findSpot(there: SearchedText, edit: Replacement): Found {
  for (const [how, way] of there.text.length > LARGEST_LOOSE ? ways.slice(0, 1) : ways) {
    const splices = way(there, edit);
    const [splice] = splices;
    if (splice && splices.length === 1) return { type: "found", splice, how };
    if (splice) return { type: "several", places: splices.map(({ start }) => start), how };
  }
  return { type: "none" };
}

/** In longer texts only what is exactly there is found: looking loosely would hold up everything else for seconds. */
export const LARGEST_LOOSE: number = 2 * 1024 * 1024;

type Way = (there: SearchedText, edit: Replacement) => readonly Splice[];

const ways: readonly (readonly [How, Way])[] = [
  [
    "exact",
    ({ text }, { oldText, newText }) => placesOf(text, oldText).map((start) => spliceAt(start, oldText, newText)),
  ],
  ["typographic signs", apartFromSigns],
  ["white space", looseLines],
];

function apartFromSigns({ text, plain }: SearchedText, { oldText, newText }: Replacement): readonly Splice[] {
  return placesOf(plain, plainSigns(oldText)).map((start) => {
    const there = text.slice(start, start + oldText.length);
    return spliceAt(start, oldText, carriedOver(there, { oldText, newText }));
  });
}

/** What old and new text begin and end with alike keeps the signs that the file has there. */
function carriedOver(there: string, { oldText, newText }: Replacement): string {
  const { head, tail } = alike(oldText, newText);
  return there.slice(0, head) + newText.slice(head, newText.length - tail) + there.slice(there.length - tail);
}

function spliceAt(start: number, oldText: string, text: string): Splice {
  return { start, end: start + oldText.length, text };
}

/** All places, overlapping ones too; no more than anybody wants to know. */
function placesOf(text: string, wanted: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0 && places.length < MOST_PLACES; at = text.indexOf(wanted, at + 1)) {
    places.push(at);
  }
  return places;
}

/** So many places are enough to say that there are too many. */
export const MOST_PLACES = 1_000;
