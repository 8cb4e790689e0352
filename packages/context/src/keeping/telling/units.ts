/** A text taken apart into what can be left out by itself: lines, and of lines their sentences, members or clauses. */

/** A stretch of a text. */
export interface Unit {
  readonly from: number;
  readonly to: number;
}

/** Letters of a unit: at most, as it should be where there is a choice, and at least. */
export const UNIT = { most: 300, good: 120, least: 12 } as const;

/** In the order of the text, none of them blank. Time is linear, whatever the text is like. */
export function unitsOf(text: string, { from, to }: Unit): readonly Unit[] {
  const units: Unit[] = [];
  let begin = from;
  for (let at = from; at <= to; at++) {
    if (at < to && !isLineEnd(text.charCodeAt(at))) continue;
    if (at > begin) for (const unit of partsOfLine(text, { from: begin, to: at })) units.push(unit);
    begin = at + 1;
  }
  return units;
}

function isLineEnd(code: number): boolean {
  return code === 10 || code === 13;
}

function partsOfLine(text: string, line: Unit): readonly Unit[] {
  let parts = withoutEndBlanks(text, line);
  if (line.to - line.from <= UNIT.most && !SENTENCE_END.test(text.slice(line.from, line.to))) return parts;
  for (const seam of SEAMS)
    if (parts.some((part) => isLong(part, seam))) parts = parts.flatMap((part) => apart(text, part, seam));
  return parts.some(({ from, to }) => to - from > UNIT.most) ? parts.flatMap((part) => slices(text, part)) : parts;
}

/** Most lines have none, and need not be looked at any closer. */
const SENTENCE_END = /[.!?…。！？；｡]./;

// What stands before the first word says how deep a line stands, and belongs to it.
function withoutEndBlanks(text: string, { from, to }: Unit): readonly Unit[] {
  let end = to;
  while (end > from && BLANK.test(text[end - 1] ?? "")) end--;
  return end > from ? [{ from, to: end }] : [];
}

const BLANK = /\s/;

/** Where a unit that is longer than `over` may end. What comes out shorter than `pack` goes with what follows. */
interface Seam {
  readonly end: RegExp;
  readonly over: number;
  readonly pack: number;
}

/** The strongest first: sentences, records, members, clauses, words. */
const SEAMS: readonly Seam[] = [
  { end: /[.!?…]["'”’)»]?\s+(?=[^\s\p{Ll}])|[。！？；｡]["”’」』）]?/gu, over: 0, pack: UNIT.least },
  { end: /[}\]],?(?=\s?[{[])/g, over: UNIT.most, pack: UNIT.good },
  { end: /,(?=\s?["'{[])/g, over: UNIT.most, pack: UNIT.good },
  { end: /[;:|]\s|[，、：]/g, over: UNIT.most, pack: UNIT.good },
  { end: /,\s/g, over: UNIT.most, pack: UNIT.good },
  { end: /[\s,;&|>)](?=\S)/g, over: UNIT.most, pack: UNIT.good },
];

function isLong({ from, to }: Unit, { over }: Seam): boolean {
  return to - from > over;
}

function apart(text: string, unit: Unit, seam: Seam): readonly Unit[] {
  if (!isLong(unit, seam)) return [unit];
  const parts: Unit[] = [];
  let begin = unit.from;
  for (const { 0: end, index } of text.slice(unit.from, unit.to).matchAll(seam.end)) {
    const at = unit.from + index + end.length;
    if (at - begin < seam.pack) continue;
    parts.push(...withoutEndBlanks(text, { from: begin, to: at }));
    begin = at;
  }
  parts.push(...withoutEndBlanks(text, { from: begin, to: unit.to }));
  return parts;
}

/** Where nothing else parts it, at every so many letters. */
function slices(text: string, { from, to }: Unit): readonly Unit[] {
  if (to - from <= UNIT.most) return [{ from, to }];
  const parts: Unit[] = [];
  for (let at = from; at < to; ) {
    const end = wholeLetters(text, Math.min(to, at + UNIT.good));
    parts.push({ from: at, to: end });
    at = end;
  }
  return parts;
}

/** The same place, or the next where this one is in the middle of a letter that takes two. */
export function wholeLetters(text: string, at: number): number {
  const isInside = isHalf(text, at, 0xdc00) && isHalf(text, at - 1, 0xd800);
  return isInside ? at + 1 : at;
}

function isHalf(text: string, at: number, which: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === which;
}
