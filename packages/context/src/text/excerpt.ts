/** Shortens a long text to its beginning, its end and its most informative parts, in the order of the text. */

import { textTokens } from "../tokens/estimate-tokens.ts";
import { alignToCodePoint, scoreUnits, splitUnits, type TextRange } from "./score-units.ts";
import type { TruncateOptions } from "./truncate.ts";

export interface UnitWithTokens extends UnitWithScore {
  readonly tokens: number;
}

interface UnitWithScore extends TextRange {
  readonly score: number;
  /** What it tells, for its length. */
  readonly density: number;
}

export interface ExcerptCandidates {
  /** From the beginning on. */
  readonly head: readonly UnitWithTokens[];
  /** From the end back. */
  readonly tail: readonly UnitWithTokens[];
  /** From the most telling down, for their length. */
  readonly best: readonly UnitWithTokens[];
}

export const EXCERPT_SCORING = {
  /** What tells less has been said: it is not kept for its own sake. */
  least: 0.05,
  /** How much more a long unit must tell: nothing more for 0, twice as much for twice the length with 1. */
  length: 0.3,
  /** Letters below which a unit is as good as no shorter. */
  shortest: 24,
  /** Letters that are ranked against each other: what is rare in its neighbourhood tells something there. */
  stretch: 250_000,
} as const;

/** Of each no more than fills the room. Time is linear in the length of the text. */
export function collectCandidates(text: string, tokens: number): ExcerptCandidates {
  let [head, tail]: readonly (readonly UnitWithTokens[])[] = [];
  const best: UnitWithTokens[] = [];
  for (const section of splitSections(text)) {
    const units = scoreSectionUnits(text, section);
    if (units.length === 0) continue;
    head ??= takeUnits(text, units, tokens);
    tail = takeUnits(text, units.toReversed(), tokens);
    const informativeUnits = units.filter(({ score }) => score >= EXCERPT_SCORING.least).sort(compareDensity);
    for (const unit of takeUnits(text, informativeUnits, tokens)) best.push(unit);
  }
  return { head: head ?? [], tail: tail ?? [], best: best.sort(compareDensity) };
}

const compareDensity = (one: UnitWithScore, other: UnitWithScore): number => other.density - one.density;

/** Whole lines where there are any. */
function* splitSections(text: string): Generator<TextRange> {
  for (let from = 0; from < text.length; ) {
    const minEnd = Math.min(text.length, from + EXCERPT_SCORING.stretch);
    const lineEnd = text.slice(minEnd, minEnd + EXCERPT_SCORING.stretch).search(/[\r\n]|$/);
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
      density: score / Math.max(to - from, EXCERPT_SCORING.shortest) ** EXCERPT_SCORING.length,
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

export const EXCERPT_BUDGET = {
  /** Of the room: what the beginning has, and what the end has. */
  edge: 0.1,
  /** What the very first and the very last unit may have. */
  end: 0.3,
  /** What tells less than this has this share of the room at most, even where more is left. */
  little: 0.2,
  roomForLittle: 0.5,
  /** Tokens of the mark beside a unit, more or less. */
  mark: 3,
  /** What marks need is known only when they are written: more is tried than can fit, then less and less. */
  firstTry: 1.1,
  nextTry: 0.95,
} as const;

/** The text itself where it is short enough; else what is left out is marked, and one mark names what opens it all. */
export function createExcerpt(text: string, { tokens, handle }: TruncateOptions): string {
  if (isWithinTokens(text, tokens)) return text;
  const candidates = collectCandidates(text, tokens);
  for (let budget = tokens * EXCERPT_BUDGET.firstTry; budget >= 1; budget *= EXCERPT_BUDGET.nextTry) {
    const shortText = renderExcerpt(text, chooseUnits(candidates, budget), handle);
    if (isWithinTokens(shortText, tokens)) return shortText;
  }
  return formatOmissionMark("", handle);
}

// No text has more tokens than UTF-8 bytes: a very short one need not be counted.
function isWithinTokens(text: string, tokens: number): boolean {
  return text.length * 3 <= tokens || textTokens(text) <= tokens;
}

function chooseUnits({ head, tail, best }: ExcerptCandidates, budget: number): readonly TextRange[] {
  const informativeUnits = best.filter(({ score }) => score >= EXCERPT_BUDGET.little);
  const otherUnits = best.filter(({ score }) => score < EXCERPT_BUDGET.little);
  const chosenUnits = new Map<number, UnitWithTokens>();
  let remainingTokens = budget;
  const addUnits = (units: readonly UnitWithTokens[], maxTokens: number): void => {
    const minRemaining = remainingTokens - maxTokens;
    for (const unit of units) {
      if (chosenUnits.has(unit.from)) continue;
      const rest = remainingTokens - unit.tokens - EXCERPT_BUDGET.mark;
      if (rest < minRemaining) return;
      chosenUnits.set(unit.from, unit);
      remainingTokens = rest;
    }
  };
  // However small the room: with what it begins, and with what it ends.
  addUnits(head.slice(0, 1), budget * EXCERPT_BUDGET.end);
  addUnits(tail.slice(0, 1), budget * EXCERPT_BUDGET.end);
  addUnits(head, budget * EXCERPT_BUDGET.edge);
  addUnits(tail, budget * EXCERPT_BUDGET.edge);
  addUnits(informativeUnits, remainingTokens);
  addUnits(otherUnits, remainingTokens - budget * (1 - EXCERPT_BUDGET.roomForLittle));
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

/** Letters for which a mark would be as long. */
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

/** Lines that are worth counting; fewer may be anything. */
const MIN_COUNTED_LINES = 10;

/** The first names what opens the whole. */
function formatOmissionMark(description: string, handle: string): string {
  const notes = [description, handle && `${handle} opens all of it`].filter((part) => part !== "");
  return notes.length === 0 ? "[…]" : `[… ${notes.join("; ")} …]`;
}

function countLineEnds(text: string): number {
  let count = 0;
  for (let index = text.indexOf("\n"); index >= 0; index = text.indexOf("\n", index + 1)) count++;
  return count;
}
