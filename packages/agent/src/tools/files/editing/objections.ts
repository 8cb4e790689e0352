/** What is answered when a text is not there once: enough to get it right the next time. */

import type { Redaction } from "@pith/context";
import type { Replacement } from "../arguments.ts";
import { type How, LARGEST_LOOSE, MOST_PLACES } from "./finding/find-spot.ts";
import { nearest } from "./finding/nearest.ts";
import type { SearchedText } from "./finding/searched-text.ts";
import { linesAt } from "./lines-at.ts";

export interface Several {
  readonly name: string;
  readonly text: string;
  readonly places: readonly number[];
  readonly how: How;
}

export function severalTimes({ name, text, places, how }: Several): string {
  const lines = linesAt(text, places.slice(0, LINES_NAMED));
  const more = places.length > lines.length ? " …" : "";
  const count = places.length >= MOST_PLACES ? `${MOST_PLACES} times or more` : `${places.length} times`;
  const apart = how === "exact" ? "" : ` (apart from ${how})`;
  return `${name} is there ${count}${apart}, in lines ${lines.join(", ")}${more}; add lines around it until it is there once`;
}

const LINES_NAMED = 10;

export interface Missed {
  readonly name: string;
  readonly there: SearchedText;
  readonly edit: Replacement;
  /** Lines are shown as they come out of it; it leaves as many as there were. */
  readonly redaction?: Redaction | undefined;
}

export function missed({ name, there, edit, redaction }: Missed): string {
  const { text } = there;
  if (text === "") return `${name} is not there: the file is empty`;
  if (text.length > LARGEST_LOOSE) return `${name} is not there; a file as large as this must have it exactly`;
  const near = nearest(there, edit.oldText.split("\n"));
  const already = alreadyThere(text, edit);
  if (near === null) return `${name} is not there, and nothing like it${already}`;
  const shown = redaction
    ? redaction
        .redacted(text)
        .split("\n")
        .slice(near.first - 1)
        .slice(0, near.lines.length)
    : near.lines;
  const numbered = shown.map((line, at) => `${near.first + at}: ${cut(line)}`);
  return `${name} is not there${already}. The nearest lines are:\n${numbered.join("\n")}`;
}

/** Who makes an edit a second time, after a crash or by mistake, need not search. */
function alreadyThere(text: string, { newText }: Replacement): string {
  const place = newText.trim() === "" ? -1 : text.indexOf(newText);
  return place < 0 ? "" : ` (newText is, in line ${linesAt(text, [place])[0]})`;
}

function cut(line: string): string {
  return line.length > LONGEST ? `${line.slice(0, LONGEST)} […]` : line;
}

const LONGEST = 300;
