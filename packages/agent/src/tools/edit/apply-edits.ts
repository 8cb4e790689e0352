/** Finds all replacements of an edit in the original text and applies them together, or explains why none was applied. */

import type { Redaction } from "@pith/context";
import type { Replacement } from "../file-access.ts";
import {
  type EditMatch,
  findMatch,
  MAX_LOOSE_CHARS,
  MAX_MATCHES,
  type MatchKind,
  normalizeCharacters,
  SearchedText,
} from "./find-match.ts";
import { lineNumbersAt, narrowSplice, normalizeLineEnds, type Splice } from "./text-file.ts";

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
  const overlapProblems = sortedSplices.flatMap((splice, index) => {
    const previous = sortedSplices[index - 1];
    if (!previous || previous.end <= splice.start) return [];
    const [line] = lineNumbersAt(text, [splice.start]);
    return [`${previous.name} and ${splice.name} overlap in line ${line}; combine them into one replacement`];
  });
  if (overlapProblems.length > 0) return { type: "refused", problems: overlapProblems };
  const splices = sortedSplices.map((splice) => narrowSplice(text, splice)).filter(isChange);
  if (splices.length === 0)
    return { type: "refused", problems: ["the file already contains newText, apart from whitespace"] };
  return {
    type: "replaced",
    splices,
    matchKinds: matches.flatMap((one) => (one.type === "found" ? one.matchKind : [])),
  };
}

/** Finds the place of each edit, and stops after `MAX_PROBLEMS` problems. */
async function findMatches(
  text: string,
  edits: readonly Replacement[],
  { signal, redaction }: ApplyEditsOptions,
): Promise<{ readonly matches: readonly EditMatch[]; readonly problems: readonly string[] }> {
  const searched = new SearchedText(text);
  const matches: EditMatch[] = [];
  const problems: string[] = [];
  for (const [index, { oldText, newText }] of edits.entries()) {
    if (problems.length === MAX_PROBLEMS) {
      problems.push(`edits[${index}] and later edits were not checked`);
      break;
    }
    // Searching a long text takes time; let other work run in between.
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

/** Removes a byte order mark, because the model does not see the one in the file. */
function normalizeText(text: string): string {
  return normalizeLineEnds(text).replace(/^\ufeff/, "");
}

function editName(index: number, edits: readonly Replacement[]): string {
  return edits.length === 1 ? "oldText" : `edits[${index}].oldText`;
}

/** Why an edit is invalid before any search. */
function findEditProblem({ oldText, newText }: Replacement): string | null {
  // A match could split a character of the file.
  if (!oldText.isWellFormed() || !newText.isWellFormed())
    return "or newText contains half a character (a lone surrogate)";
  if (oldText === "") return "is empty; give the text to replace, or use write";
  return oldText === newText ? "and newText are identical" : null;
}

function describeProblem({ match, ...attempt }: MissingMatch & { readonly match: EditMatch }): string[] {
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

export interface MultipleMatches {
  readonly name: string;
  readonly text: string;
  readonly offsets: readonly number[];
  readonly matchKind: MatchKind;
}

function describeMultipleMatches({ name, text, offsets, matchKind }: MultipleMatches): string {
  const lines = lineNumbersAt(text, offsets.slice(0, MAX_LISTED_LINES));
  const more = offsets.length > lines.length ? " …" : "";
  const count = offsets.length >= MAX_MATCHES ? `${MAX_MATCHES} times or more` : `${offsets.length} times`;
  const matchNote = matchKind === "exact" ? "" : ` (ignoring ${matchKind})`;
  return `${name} occurs ${count}${matchNote}, in lines ${lines.join(", ")}${more}; add surrounding lines until it occurs once`;
}

const MAX_LISTED_LINES = 10;

export interface MissingMatch {
  readonly name: string;
  readonly searched: SearchedText;
  readonly edit: Replacement;
  /** Applied to the shown lines; it keeps their number. */
  readonly redaction?: Redaction | undefined;
}

function describeMissingMatch({ name, searched, edit, redaction }: MissingMatch): string {
  const { text } = searched;
  if (text === "") return `${name} was not found: the file is empty`;
  if (text.length > MAX_LOOSE_CHARS) return `${name} was not found; in a file this large it must match exactly`;
  const nearestLines = findNearestLines(searched, edit.oldText.split("\n"));
  const newTextNote = describeExistingNewText(text, edit);
  if (nearestLines === null) return `${name} was not found, and no similar lines exist${newTextNote}`;
  const shown = redaction
    ? redaction
        .redact(text)
        .split("\n")
        .slice(nearestLines.firstLine - 1)
        .slice(0, nearestLines.lines.length)
    : nearestLines.lines;
  const numbered = shown.map((line, index) => `${nearestLines.firstLine + index}: ${truncateLine(line)}`);
  return `${name} was not found${newTextNote}. The most similar lines are:\n${numbered.join("\n")}`;
}

/** Notes that newText is already in the file, for an edit that is made a second time. */
function describeExistingNewText(text: string, { newText }: Replacement): string {
  const offset = newText.trim() === "" ? -1 : text.indexOf(newText);
  return offset < 0 ? "" : ` (newText is already in line ${lineNumbersAt(text, [offset])[0]})`;
}

function truncateLine(line: string): string {
  return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)} […]` : line;
}

const MAX_LINE_CHARS = 300;

interface NearestLines {
  /** The number of the first line, starting at 1. */
  readonly firstLine: number;
  readonly lines: readonly string[];
}

function findNearestLines({ lines, compactLines }: SearchedText, wanted: readonly string[]): NearestLines | null {
  const keys = wanted.map((line) => normalizeCharacters(line).replace(/\s+/g, ""));
  const start = findByEqualLines(compactLines, keys) ?? findBySimilarLine(compactLines, keys);
  if (start === null) return null;
  const first = Math.min(Math.max(0, start), lines.length - 1);
  return { firstLine: first + 1, lines: lines.slice(first, first + Math.min(wanted.length, MAX_NEAREST_LINES)) };
}

const MAX_NEAREST_LINES = 12;

/** Each line that occurs, ignoring whitespace, votes for where the block would start. Rare lines count more. */
function findByEqualLines(keys: readonly string[], wanted: readonly string[]): number | null {
  const positions = linePositions(wanted);
  const counts = new Map<string, number>();
  for (const key of keys) if (positions.has(key)) counts.set(key, (counts.get(key) ?? 0) + 1);
  const votes = new Map<number, number>();
  for (const [index, key] of keys.entries()) {
    const starts = (positions.get(key) ?? []).map((position) => index - position);
    const weight = 1 / (starts.length * (counts.get(key) ?? 1));
    for (const start of starts) votes.set(start, (votes.get(start) ?? 0) + weight);
  }
  return highestScore([...votes])?.[0] ?? null;
}

function linePositions(wanted: readonly string[]): ReadonlyMap<string, readonly number[]> {
  // A lone bracket occurs everywhere.
  const distinctive = [...wanted.entries()].filter(([, key]) => /[\p{L}\p{N}]/u.test(key));
  const byKey = Map.groupBy(distinctive, ([, key]) => key);
  return new Map([...byKey].map(([key, entries]) => [key, entries.slice(0, MAX_POSITIONS).map(([index]) => index)]));
}

/** Limits the comparisons for a line that is repeated in oldText. */
const MAX_POSITIONS = 5;

/** If no line occurs: the line that is most similar to the longest wanted line. */
function findBySimilarLine(keys: readonly string[], wanted: readonly string[]): number | null {
  const [longest] = [...wanted.entries()].sort(([, one], [, other]) => other.length - one.length);
  if (!longest) return null;
  const [position, key] = longest;
  const wantedLine = { pairs: new Set(characterPairs(key)), size: characterPairs(key).length };
  const bestMatch = highestScore(keys.map((line, index) => [index - position, similarity(wantedLine, line)] as const));
  return bestMatch && bestMatch[1] >= MIN_SIMILARITY ? bestMatch[0] : null;
}

const MIN_SIMILARITY = 0.4;
/** Only this many characters of a line are compared. */
const MAX_COMPARED_CHARS = 200;

function characterPairs(key: string): readonly string[] {
  const characters = key.slice(0, MAX_COMPARED_CHARS).toLowerCase();
  return Array.from({ length: Math.max(0, characters.length - 1) }, (_, index) => characters.slice(index, index + 2));
}

interface WantedLine {
  readonly pairs: ReadonlySet<string>;
  readonly size: number;
}

/** The share of character pairs that both lines have, from 0 to 1. It runs for every line, so it allocates nothing. */
function similarity({ pairs, size }: WantedLine, key: string): number {
  const characters = key.slice(0, MAX_COMPARED_CHARS).toLowerCase();
  let common = 0;
  for (let index = 0; index + 1 < characters.length; index++)
    if (pairs.has(characters.slice(index, index + 2))) common++;
  return (2 * Math.min(common, size)) / (characters.length - 1 + size || 1);
}

function highestScore(scores: readonly (readonly [number, number])[]): readonly [number, number] | null {
  return scores.reduce<readonly [number, number] | null>(
    (highest, score) => (highest && highest[1] >= score[1] ? highest : score),
    null,
  );
}

function isChange({ start, end, text }: Splice): boolean {
  return start < end || text !== "";
}
