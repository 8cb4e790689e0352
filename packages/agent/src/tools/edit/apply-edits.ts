/** Looks up all replacements of an edit in the original text and makes them together, or explains why none was made. */

import type { Redaction } from "@pith/context";
import type { Replacement } from "../files.ts";
import {
  type EditMatch,
  findCommonEnds,
  findMatch,
  MAX_LOOSE_CHARS,
  MAX_MATCHES,
  type MatchKind,
  SearchedText,
} from "./find-match.ts";
import { findNearestLines } from "./nearest-lines.ts";
import { normalizeLineEnds, type Splice } from "./text-file.ts";

/** Counted from 1; the places are in order. */
export function lineNumbersAt(text: string, offsets: readonly number[]): readonly number[] {
  let line = 1;
  let next = text.indexOf("\n");
  return offsets.map((offset) => {
    while (next >= 0 && next < offset) {
      line++;
      next = text.indexOf("\n", next + 1);
    }
    return line;
  });
}

export interface MultipleMatches {
  readonly name: string;
  readonly text: string;
  readonly offsets: readonly number[];
  readonly matchKind: MatchKind;
}

export function describeMultipleMatches({ name, text, offsets, matchKind }: MultipleMatches): string {
  const lines = lineNumbersAt(text, offsets.slice(0, MAX_LISTED_LINES));
  const more = offsets.length > lines.length ? " …" : "";
  const count = offsets.length >= MAX_MATCHES ? `${MAX_MATCHES} times or more` : `${offsets.length} times`;
  const matchNote = matchKind === "exact" ? "" : ` (apart from ${matchKind})`;
  return `${name} is there ${count}${matchNote}, in lines ${lines.join(", ")}${more}; add lines around it until it is there once`;
}

const MAX_LISTED_LINES = 10;

export interface MissingMatch {
  readonly name: string;
  readonly searched: SearchedText;
  readonly edit: Replacement;
  /** Lines are shown as they come out of it; it leaves as many as there were. */
  readonly redaction?: Redaction | undefined;
}

export function describeMissingMatch({ name, searched, edit, redaction }: MissingMatch): string {
  const { text } = searched;
  if (text === "") return `${name} is not there: the file is empty`;
  if (text.length > MAX_LOOSE_CHARS) return `${name} is not there; a file as large as this must have it exactly`;
  const nearestLines = findNearestLines(searched, edit.oldText.split("\n"));
  const newTextNote = describeExistingNewText(text, edit);
  if (nearestLines === null) return `${name} is not there, and nothing like it${newTextNote}`;
  const shown = redaction
    ? redaction
        .redact(text)
        .split("\n")
        .slice(nearestLines.firstLine - 1)
        .slice(0, nearestLines.lines.length)
    : nearestLines.lines;
  const numbered = shown.map((line, index) => `${nearestLines.firstLine + index}: ${truncateLine(line)}`);
  return `${name} is not there${newTextNote}. The nearest lines are:\n${numbered.join("\n")}`;
}

/** Who makes an edit a second time, after a crash or by mistake, need not search. */
function describeExistingNewText(text: string, { newText }: Replacement): string {
  const offset = newText.trim() === "" ? -1 : text.indexOf(newText);
  return offset < 0 ? "" : ` (newText is, in line ${lineNumbersAt(text, [offset])[0]})`;
}

function truncateLine(line: string): string {
  return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)} […]` : line;
}

const MAX_LINE_CHARS = 300;

export type ApplyEditsResult =
  | { readonly type: "replaced"; readonly splices: readonly Splice[]; readonly matchKinds: readonly MatchKind[] }
  | { readonly type: "refused"; readonly problems: readonly string[] };

export interface ApplyEditsOptions extends Pick<MissingMatch, "redaction"> {
  readonly signal: AbortSignal;
}

export async function applyEdits(
  text: string,
  edits: readonly Replacement[],
  options: ApplyEditsOptions,
): Promise<ApplyEditsResult> {
  const { matches, problems } = await findMatches(text, edits, options);
  if (problems.length > 0) return { type: "refused", problems };
  const namedSplices = matches.flatMap((one, index) =>
    one.type === "found" ? [{ ...one.splice, name: editName(index, edits) }] : [],
  );
  const sortedSplices = namedSplices.sort((one, other) => one.start - other.start || one.end - other.end);
  const overlapProblems = describeOverlaps(sortedSplices, text);
  if (overlapProblems.length > 0) return { type: "refused", problems: overlapProblems };
  const splices = sortedSplices.map((splice) => narrowSplice(text, splice)).filter(isChange);
  if (splices.length === 0) return { type: "refused", problems: ["newText is there already, apart from white space"] };
  return {
    type: "replaced",
    splices,
    matchKinds: matches.flatMap((one) => (one.type === "found" ? one.matchKind : [])),
  };
}

interface FindMatchesResult {
  readonly matches: readonly EditMatch[];
  readonly problems: readonly string[];
}

/** Each where it belongs, until so many do not that the rest can wait. */
async function findMatches(
  text: string,
  edits: readonly Replacement[],
  { signal, redaction }: ApplyEditsOptions,
): Promise<FindMatchesResult> {
  const searched = new SearchedText(text);
  const matches: EditMatch[] = [];
  const problems: string[] = [];
  for (const [index, { oldText, newText }] of edits.entries()) {
    if (problems.length === MAX_PROBLEMS) {
      problems.push(`edits[${index}] and those after it were not looked up`);
      break;
    }
    // Looking through a long text takes a moment, and others wait.
    await new Promise(setImmediate);
    signal.throwIfAborted();
    const edit = { oldText: normalizeText(oldText), newText: normalizeText(newText) };
    const match = findEditProblem(edit) === null ? findMatch(searched, edit) : NO_MATCH;
    matches.push(match);
    problems.push(...describeProblem({ edit, match, name: editName(index, edits), searched, redaction }));
  }
  return { matches, problems };
}

const MAX_PROBLEMS = 5;
const NO_MATCH: EditMatch = { type: "none" };

/** A byte order mark is not shown, so it is not looked for either. */
function normalizeText(text: string): string {
  return normalizeLineEnds(text).replace(/^\ufeff/, "");
}

function editName(index: number, edits: readonly Replacement[]): string {
  return edits.length === 1 ? "oldText" : `edits[${index}].oldText`;
}

/** Why it is not even looked for. */
function findEditProblem({ oldText, newText }: Replacement): string | null {
  // A match would cut a character of the file in two.
  if (!oldText.isWellFormed() || !newText.isWellFormed()) return "or newText has half a character (a lone surrogate)";
  if (oldText === "") return "is empty; say which text to replace, or use write";
  return oldText === newText ? "and newText are the same, so there is nothing to change" : null;
}

interface EditAttempt extends MissingMatch {
  readonly match: EditMatch;
}

function describeProblem({ match, ...attempt }: EditAttempt): string[] {
  const { edit, name, searched } = attempt;
  const why = findEditProblem(edit);
  if (why !== null) return [`${name} ${why}`];
  switch (match.type) {
    case "found":
      return [];
    case "several":
      return [
        describeMultipleMatches({ name, text: searched.text, offsets: match.offsets, matchKind: match.matchKind }),
      ];
    case "none":
      return [describeMissingMatch(attempt)];
  }
}

interface NamedSplice extends Splice {
  readonly name: string;
}

function describeOverlaps(splices: readonly NamedSplice[], text: string): string[] {
  return splices.flatMap((splice, index) => {
    const previous = splices[index - 1];
    if (!previous || previous.end <= splice.start) return [];
    const [line] = lineNumbersAt(text, [splice.start]);
    return [`${previous.name} and ${splice.name} overlap in line ${line}; make one replacement of both`];
  });
}

/** What stays the same is not touched, so that it keeps its own line ends. */
function narrowSplice(text: string, { start, end, text: replacement }: Splice): Splice {
  const { head, tail } = findCommonEnds(text.slice(start, end), replacement);
  return { start: start + head, end: end - tail, text: replacement.slice(head, replacement.length - tail) };
}

function isChange({ start, end, text }: Splice): boolean {
  return start < end || text !== "";
}
