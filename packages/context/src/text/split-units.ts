/** Splits a text into units: lines, sentences, or parts of a very long line. */

/** A range of a text, in UTF-16 units. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** The length of a unit: the maximum, the target where a long line is divided, and the minimum of a sentence. */
export const UNIT_CHARS = { max: 300, target: 120, min: 12 } as const;

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
export function alignToCodePoint(text: string, index: number): number {
  const isInside = isSurrogateHalf(text, index, 0xdc00) && isSurrogateHalf(text, index - 1, 0xd800);
  return isInside ? index + 1 : index;
}

function isSurrogateHalf(text: string, index: number, prefixBits: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === prefixBits;
}
