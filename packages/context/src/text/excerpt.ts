/** Shortens a long text to its beginning, its end and its most informative lines and sentences, in their original order. */

import { textTokens } from "../tokens/estimate-tokens.ts";
import { scoreUnits } from "./score-novelty.ts";
import { fitsTokenBudget, type TruncateOptions } from "./truncate.ts";

const EXCERPT_BUDGET = {
  /** The share of the budget for the beginning, and for the end. */
  edgeShare: 0.1,
  /** The share that the very first unit may take, and the very last. */
  endUnitShare: 0.3,
  /** Units that score less than this get at most `lowScoreShare` of the budget, even if tokens are left. */
  lowScore: 0.2,
  lowScoreShare: 0.5,
  /** The estimated tokens of the omission mark beside a unit. */
  markTokens: 3,
  /** The size of the marks is known only after rendering: the first attempt may be too large, later ones are smaller. */
  firstAttempt: 1.1,
  attemptFactor: 0.95,
} as const;

/** Returns a short text as it is. In a longer one, marks show what is left out, and the first mark names the handle that opens the full text. */
export function createExcerpt(text: string, { tokens, handle }: TruncateOptions): string {
  if (fitsTokenBudget(text, tokens)) return text;
  const candidates = collectCandidates(text, tokens);
  for (let budget = tokens * EXCERPT_BUDGET.firstAttempt; budget >= 1; budget *= EXCERPT_BUDGET.attemptFactor) {
    const excerpt = renderExcerpt(text, chooseUnits(candidates, budget), handle);
    if (fitsTokenBudget(excerpt, tokens)) return excerpt;
  }
  return formatOmissionMark("", handle);
}

function chooseUnits({ head, tail, best }: ExcerptCandidates, budget: number): readonly TextRange[] {
  const informativeUnits = best.filter(({ score }) => score >= EXCERPT_BUDGET.lowScore);
  const otherUnits = best.filter(({ score }) => score < EXCERPT_BUDGET.lowScore);
  const chosenUnits = new Map<number, UnitWithTokens>();
  let remainingTokens = budget;
  const addUnits = (units: readonly UnitWithTokens[], maxTokens: number): void => {
    const minRemaining = remainingTokens - maxTokens;
    for (const unit of units) {
      if (chosenUnits.has(unit.from)) continue;
      const rest = remainingTokens - unit.tokens - EXCERPT_BUDGET.markTokens;
      if (rest < minRemaining) return;
      chosenUnits.set(unit.from, unit);
      remainingTokens = rest;
    }
  };
  // The first and the last unit come first, however small the budget is.
  addUnits(head.slice(0, 1), budget * EXCERPT_BUDGET.endUnitShare);
  addUnits(tail.slice(0, 1), budget * EXCERPT_BUDGET.endUnitShare);
  addUnits(head, budget * EXCERPT_BUDGET.edgeShare);
  addUnits(tail, budget * EXCERPT_BUDGET.edgeShare);
  addUnits(informativeUnits, remainingTokens);
  addUnits(otherUnits, remainingTokens - budget * (1 - EXCERPT_BUDGET.lowScoreShare));
  return [...chosenUnits.values()].sort((one, other) => one.from - other.from);
}

function renderExcerpt(text: string, units: readonly TextRange[], handle: string): string {
  const parts: string[] = [];
  let [position, pendingHandle] = [0, handle];
  for (const { from, to } of [...units, { from: text.length, to: text.length }]) {
    const gap = text.slice(position, from);
    const isShortGap = gap.length <= MAX_UNMARKED_GAP_CHARS || !/\S/.test(gap);
    parts.push(isShortGap ? collapseGap(gap) : renderGapMark(gap, pendingHandle), text.slice(from, to));
    if (!isShortGap) pendingHandle = "";
    position = to;
  }
  return parts.join("").trim();
}

/** A shorter gap is copied, because a mark would be as long. */
const MAX_UNMARKED_GAP_CHARS = 12;

function collapseGap(gap: string): string {
  if (/\S/.test(gap) || gap.length <= 2) return gap;
  return gap.includes("\n") ? "\n\n" : " ";
}

function renderGapMark(gap: string, handle: string): string {
  if (!gap.includes("\n")) return ` ${formatOmissionMark("", handle)} `;
  const lines = countLineEnds(gap) - 1;
  return `\n${formatOmissionMark(lines < MIN_COUNTED_LINES ? "" : `${lines.toLocaleString("en-US")} lines`, handle)}\n`;
}

/** The number of omitted lines is shown from here on. */
const MIN_COUNTED_LINES = 10;

function formatOmissionMark(description: string, handle: string): string {
  const notes = [description, handle && `${handle} opens all of it`].filter((note) => note !== "");
  return notes.length === 0 ? "[…]" : `[… ${notes.join("; ")} …]`;
}

function countLineEnds(text: string): number {
  let count = 0;
  for (let index = text.indexOf("\n"); index >= 0; index = text.indexOf("\n", index + 1)) count++;
  return count;
}

export interface UnitWithTokens extends UnitWithScore {
  readonly tokens: number;
}

interface UnitWithScore extends TextRange {
  readonly score: number;
  /** The score in proportion to the length. */
  readonly density: number;
}

export interface ExcerptCandidates {
  /** The first units, from the beginning. */
  readonly head: readonly UnitWithTokens[];
  /** The last units, from the end backwards. */
  readonly tail: readonly UnitWithTokens[];
  /** The most informative units, by descending density. */
  readonly best: readonly UnitWithTokens[];
}

const EXCERPT_SCORING = {
  /** Units below this score are not chosen for their content. */
  minScore: 0.05,
  /** How much a longer unit must score to rank equally: 0 for no more, 1 for twice the score at twice the length. */
  lengthExponent: 0.3,
  /** Units shorter than this rank as if they had this length. */
  minChars: 24,
  /** Units are ranked within sections of this length: what is rare in its section is informative there. */
  sectionChars: 250_000,
} as const;

/** Collects candidate units, of each kind as many as fill the budget. Time is linear in the length of the text. */
function collectCandidates(text: string, tokens: number): ExcerptCandidates {
  let [head, tail]: readonly (readonly UnitWithTokens[])[] = [];
  const best: UnitWithTokens[] = [];
  for (const section of splitSections(text)) {
    const units = scoreSectionUnits(text, section);
    if (units.length === 0) continue;
    head ??= takeUnits(text, units, tokens);
    tail = takeUnits(text, units.toReversed(), tokens);
    const informativeUnits = units.filter(({ score }) => score >= EXCERPT_SCORING.minScore).sort(compareDensity);
    for (const unit of takeUnits(text, informativeUnits, tokens)) best.push(unit);
  }
  return { head: head ?? [], tail: tail ?? [], best: best.sort(compareDensity) };
}

const compareDensity = (one: UnitWithScore, other: UnitWithScore): number => other.density - one.density;

/** Sections end at line ends where possible. */
function* splitSections(text: string): Generator<TextRange> {
  for (let from = 0; from < text.length; ) {
    const minEnd = Math.min(text.length, from + EXCERPT_SCORING.sectionChars);
    const lineEnd = text.slice(minEnd, minEnd + EXCERPT_SCORING.sectionChars).search(/[\r\n]|$/);
    const to = alignToCodePoint(text, minEnd + lineEnd);
    yield { from, to };
    from = to;
  }
}

function scoreSectionUnits(text: string, section: TextRange): readonly UnitWithScore[] {
  const units = splitUnits(text, section);
  const scores = scoreUnits(units.map(({ from, to }) => text.slice(from, to)));
  return units.map(({ from, to }, index) => {
    const score = scores[index]?.score ?? 0;
    return {
      from,
      to,
      score,
      density: score / Math.max(to - from, EXCERPT_SCORING.minChars) ** EXCERPT_SCORING.lengthExponent,
    };
  });
}

function takeUnits(text: string, units: readonly UnitWithScore[], tokens: number): readonly UnitWithTokens[] {
  const taken: UnitWithTokens[] = [];
  let remainingTokens = tokens;
  for (const unit of units) {
    if (remainingTokens < 0) break;
    const size = textTokens(text.slice(unit.from, unit.to));
    taken.push({ ...unit, tokens: size });
    remainingTokens -= size;
  }
  return taken;
}

/** A range of a text, in UTF-16 units. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** The length of a unit: the maximum, the target where a long line is divided, and the minimum of a sentence. */
const UNIT_CHARS = { max: 300, target: 120, min: 12 } as const;

/** Splits a range of a text into units, in order and without blank ones. Time is linear in the length. */
export function splitUnits(text: string, { from, to }: TextRange): readonly TextRange[] {
  const units: TextRange[] = [];
  let lineStart = from;
  for (let index = from; index <= to; index++) {
    if (index < to && !isLineEnd(text.charCodeAt(index))) continue;
    if (index > lineStart) for (const unit of splitLineUnits(text, { from: lineStart, to: index })) units.push(unit);
    lineStart = index + 1;
  }
  return units;
}

function isLineEnd(code: number): boolean {
  return code === 10 || code === 13;
}

function splitLineUnits(text: string, line: TextRange): readonly TextRange[] {
  let parts = trimRangeEnd(text, line);
  if (line.to - line.from <= UNIT_CHARS.max && !SENTENCE_END.test(text.slice(line.from, line.to))) return parts;
  for (const rule of SPLIT_RULES)
    if (parts.some((part) => isLongForRule(part, rule))) parts = parts.flatMap((part) => splitRange(text, part, rule));
  return parts.some(({ from, to }) => to - from > UNIT_CHARS.max)
    ? parts.flatMap((part) => sliceRange(text, part))
    : parts;
}

/** Most lines have at most one sentence and skip the split rules. */
const SENTENCE_END = /[.!?…。！？；｡]./;

// Indentation stays: it is part of the line.
function trimRangeEnd(text: string, { from, to }: TextRange): readonly TextRange[] {
  let end = to;
  while (end > from && WHITESPACE_CHAR.test(text[end - 1] ?? "")) end--;
  return end > from ? [{ from, to: end }] : [];
}

const WHITESPACE_CHAR = /\s/;

/** A rule that splits a unit longer than `minChars` after each match of `end`. A part shorter than `minPartChars` is joined to the next one. */
interface SplitRule {
  readonly end: RegExp;
  readonly minChars: number;
  readonly minPartChars: number;
}

/** Applied in this order: sentences, records, members, clauses, words. */
const SPLIT_RULES: readonly SplitRule[] = [
  { end: /[.!?…]["'”’)»]?\s+(?=[^\s\p{Ll}])|[。！？；｡]["”’」』）]?/gu, minChars: 0, minPartChars: UNIT_CHARS.min },
  { end: /[}\]],?(?=\s?[{[])/g, minChars: UNIT_CHARS.max, minPartChars: UNIT_CHARS.target },
  { end: /,(?=\s?["'{[])/g, minChars: UNIT_CHARS.max, minPartChars: UNIT_CHARS.target },
  { end: /[;:|]\s|[，、：]/g, minChars: UNIT_CHARS.max, minPartChars: UNIT_CHARS.target },
  { end: /,\s/g, minChars: UNIT_CHARS.max, minPartChars: UNIT_CHARS.target },
  { end: /[\s,;&|>)](?=\S)/g, minChars: UNIT_CHARS.max, minPartChars: UNIT_CHARS.target },
];

function isLongForRule({ from, to }: TextRange, { minChars }: SplitRule): boolean {
  return to - from > minChars;
}

function splitRange(text: string, unit: TextRange, rule: SplitRule): readonly TextRange[] {
  if (!isLongForRule(unit, rule)) return [unit];
  const parts: TextRange[] = [];
  let partStart = unit.from;
  for (const { 0: end, index } of text.slice(unit.from, unit.to).matchAll(rule.end)) {
    const partEnd = unit.from + index + end.length;
    if (partEnd - partStart < rule.minPartChars) continue;
    parts.push(...trimRangeEnd(text, { from: partStart, to: partEnd }));
    partStart = partEnd;
  }
  parts.push(...trimRangeEnd(text, { from: partStart, to: unit.to }));
  return parts;
}

/** Splits a range without any boundary into parts of equal length. */
function sliceRange(text: string, { from, to }: TextRange): readonly TextRange[] {
  if (to - from <= UNIT_CHARS.max) return [{ from, to }];
  const parts: TextRange[] = [];
  for (let start = from; start < to; ) {
    const end = alignToCodePoint(text, Math.min(to, start + UNIT_CHARS.target));
    parts.push({ from: start, to: end });
    start = end;
  }
  return parts;
}

/** Returns the index, or the next one if the index is between the two halves of a surrogate pair. */
function alignToCodePoint(text: string, index: number): number {
  const isInside = isSurrogateHalf(text, index, 0xdc00) && isSurrogateHalf(text, index - 1, 0xd800);
  return isInside ? index + 1 : index;
}

function isSurrogateHalf(text: string, index: number, prefixBits: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === prefixBits;
}
