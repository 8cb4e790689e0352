/** Orders, filters and replaces matches of secrets in a text, and defines the placeholders that stand for them. */

export interface Kind {
  readonly id: string;
  readonly name: string;
  /** What it stands for, where it is seen in another form. */
  readonly value?: string;
}

export interface Stretch {
  readonly start: number;
  readonly end: number;
}

export interface Spot extends Stretch {
  readonly kind: Kind;
}

/** In order, and none within another: what overlaps becomes one, of the kind of the first. */
export function inOrder(spots: readonly Spot[]): readonly Spot[] {
  const ordered: Spot[] = [];
  for (const spot of spots.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    const last = ordered.at(-1);
    if (!last || spot.start >= last.end) ordered.push(spot);
    else if (spot.end > last.end) ordered[ordered.length - 1] = joined(last, spot);
  }
  return ordered;
}

/** As it is seen: what one of them stands for is not what both of them do. */
function joined({ start, kind: { id, name } }: Spot, { end }: Spot): Spot {
  return { start, end, kind: { id, name } };
}

/** Those that touch none of these places. */
export function outside(places: readonly Stretch[], spots: readonly Spot[]): readonly Spot[] {
  if (places.length === 0) return spots;
  return spots.filter(({ start, end }) => {
    // The first place that is not wholly before it decides; they stand in order.
    const next = firstEndingBehind(places, start);
    return next === undefined || next.start >= end;
  });
}

function firstEndingBehind(places: readonly Stretch[], start: number): Stretch | undefined {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[middle]?.end ?? 0) <= start) low = middle + 1;
    else high = middle;
  }
  return places[low];
}

export function replaced(text: string, spots: readonly Spot[], by: (spot: Spot) => string): string {
  let made = "";
  let at = 0;
  for (const spot of spots) {
    made += text.slice(at, spot.start) + by(spot);
    at = spot.end;
  }
  return made + text.slice(at);
}

/** Whether something new begins here: behind a letter it does not, unless that letter ends an escape. */
export function beginsAt(text: string, at: number): boolean {
  if (at === 0) return true;
  if (!isWordSign(text.charCodeAt(at - 1))) return true;
  return ESCAPED.test(text.slice(Math.max(0, at - LONGEST_ESCAPE), at));
}

/** Of JSON, of addresses, and of colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape begins with one.
const ESCAPED = /\\[nrtbf]$|%[0-9A-Fa-f]{2}$|\\u[0-9A-Fa-f]{4}$|(?:\x1b|\\x1b|\\u001b|\\033|\\e)\[[\d;]*[A-Za-z]$/;
const LONGEST_ESCAPE = 24;

function isWordSign(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a) ||
    code === 0x5f ||
    code === 0x2d
  );
}

/** A placeholder is one word that JSON, XML and shells leave as it is, the same for the same secret. */
export const PREFIX = "PITH_SECRET_";

/** The digest decides what it stands for; the family is for people. */
export function placeholderFor(family: string, digest: string): string {
  return `${PREFIX}${family}_${digest.slice(0, DIGITS)}`;
}

/** Each with its digits. */
export const PLACEHOLDER: RegExp = /PITH_SECRET_[a-z0-9]{1,24}_([0-9a-f]{12})/g;

/** What is left of one, or looks like it, where whole ones are taken out: nobody can tell what it stood for. */
export const BROKEN: RegExp = /PITH_SECRET_[a-z0-9]\w*/g;

const DIGITS = 12;

/** Where placeholders stand already: nothing within one is looked at again. */
export function placeholdersIn(text: string): readonly Stretch[] {
  if (!text.includes(PREFIX)) return [];
  return Array.from(text.matchAll(PLACEHOLDER), ({ 0: { length }, index }) => ({ start: index, end: index + length }));
}
