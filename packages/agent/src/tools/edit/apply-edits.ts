/** Looks up all replacements of an edit in the original text and makes them together, or explains why none was made. */

import type { Redaction } from "@pith/context";
import type { Replacement } from "../files.ts";
import { alike, type Found, findSpot, type How, LARGEST_LOOSE, MOST_PLACES, SearchedText } from "./find-match.ts";
import { nearest } from "./nearest-lines.ts";
import { type Splice, withPlainEnds } from "./text-file.ts";

/** Counted from 1; the places are in order. */
export function linesAt(text: string, places: readonly number[]): readonly number[] {
  let line = 1;
  let next = text.indexOf("\n");
  return places.map((place) => {
    while (next >= 0 && next < place) {
      line++;
      next = text.indexOf("\n", next + 1);
    }
    return line;
  });
}

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
        .redact(text)
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

export type Replaced =
  | { readonly type: "replaced"; readonly splices: readonly Splice[]; readonly hows: readonly How[] }
  | { readonly type: "refused"; readonly objections: readonly string[] };

export interface ReplaceAct extends Pick<Missed, "redaction"> {
  readonly signal: AbortSignal;
}

export async function replace(text: string, edits: readonly Replacement[], act: ReplaceAct): Promise<Replaced> {
  const { found, objections } = await lookedUp(text, edits, act);
  if (objections.length > 0) return { type: "refused", objections };
  const spots = found.flatMap((one, at) => (one.type === "found" ? [{ ...one.splice, name: nameOf(at, edits) }] : []));
  const inOrder = spots.sort((one, other) => one.start - other.start || one.end - other.end);
  const clashes = overlaps(inOrder, text);
  if (clashes.length > 0) return { type: "refused", objections: clashes };
  const splices = inOrder.map((splice) => narrowed(text, splice)).filter(changesAnything);
  if (splices.length === 0)
    return { type: "refused", objections: ["newText is there already, apart from white space"] };
  return { type: "replaced", splices, hows: found.flatMap((one) => (one.type === "found" ? one.how : [])) };
}

interface LookedUp {
  readonly found: readonly Found[];
  readonly objections: readonly string[];
}

/** Each where it belongs, until so many do not that the rest can wait. */
async function lookedUp(
  text: string,
  edits: readonly Replacement[],
  { signal, redaction }: ReplaceAct,
): Promise<LookedUp> {
  const there = new SearchedText(text);
  const found: Found[] = [];
  const objections: string[] = [];
  for (const [at, { oldText, newText }] of edits.entries()) {
    if (objections.length === MOST_OBJECTIONS) {
      objections.push(`edits[${at}] and those after it were not looked up`);
      break;
    }
    // Looking through a long text takes a moment, and others wait.
    await new Promise(setImmediate);
    signal.throwIfAborted();
    const edit = { oldText: plainOf(oldText), newText: plainOf(newText) };
    const one = idle(edit) === null ? findSpot(there, edit) : NONE;
    found.push(one);
    objections.push(...objectionTo({ edit, found: one, name: nameOf(at, edits), there, redaction }));
  }
  return { found, objections };
}

const MOST_OBJECTIONS = 5;
const NONE: Found = { type: "none" };

/** A byte order mark is not shown, so it is not looked for either. */
function plainOf(text: string): string {
  return withPlainEnds(text).replace(/^\ufeff/, "");
}

function nameOf(at: number, edits: readonly Replacement[]): string {
  return edits.length === 1 ? "oldText" : `edits[${at}].oldText`;
}

/** Why it is not even looked for. */
function idle({ oldText, newText }: Replacement): string | null {
  // A match would cut a character of the file in two.
  if (!oldText.isWellFormed() || !newText.isWellFormed()) return "or newText has half a character (a lone surrogate)";
  if (oldText === "") return "is empty; say which text to replace, or use write";
  return oldText === newText ? "and newText are the same, so there is nothing to change" : null;
}

interface Tried extends Missed {
  readonly found: Found;
}

function objectionTo({ found, ...tried }: Tried): string[] {
  const { edit, name, there } = tried;
  const why = idle(edit);
  if (why !== null) return [`${name} ${why}`];
  switch (found.type) {
    case "found":
      return [];
    case "several":
      return [severalTimes({ name, text: there.text, places: found.places, how: found.how })];
    case "none":
      return [missed(tried)];
  }
}

interface Named extends Splice {
  readonly name: string;
}

function overlaps(spots: readonly Named[], text: string): string[] {
  return spots.flatMap((spot, at) => {
    const before = spots[at - 1];
    if (!before || before.end <= spot.start) return [];
    const [line] = linesAt(text, [spot.start]);
    return [`${before.name} and ${spot.name} overlap in line ${line}; make one replacement of both`];
  });
}

/** What stays the same is not touched, so that it keeps its own line ends. */
function narrowed(text: string, { start, end, text: instead }: Splice): Splice {
  const { head, tail } = alike(text.slice(start, end), instead);
  return { start: start + head, end: end - tail, text: instead.slice(head, instead.length - tail) };
}

function changesAnything({ start, end, text }: Splice): boolean {
  return start < end || text !== "";
}
