/** Scans a text for every secret that is known by its shape, in one pass from prefix to prefix. */

import { outsideHandles } from "./handles.ts";
import { beginsAt, inOrder, type Kind, outside, PREFIX, placeholdersIn, type Spot } from "./matches.ts";
import { type Family, isVaried } from "./pattern.ts";
import { type Hit, KEY_BEGINS, KEY_ENDS, needles, type Ready } from "./prefix-index.ts";
import { type KeyState, keyBefore, keyFrom, keyRest, MARK } from "./private-keys.ts";

export interface Scanned {
  readonly spots: readonly Spot[];
  /** Where the text ends. */
  readonly key: KeyState;
}

/** `key`: where the text before this one ended. */
export function scan(text: string, { key: before = "outside" }: { readonly key?: KeyState } = {}): Scanned {
  const rest = keyRest(text, before);
  const spots: Spot[] = [...rest.spots];
  let key = rest.state;
  let floor = 0;
  for (const hit of hitsIn(text, () => floor)) {
    const found = foundAt(text, hit, floor);
    spots.push(...found.spots);
    key = found.state ?? key;
    floor = Math.max(hit.index + 1, found.end ?? 0);
  }
  return { spots: inOrder(outsideHandles(text, outside(placeholdersIn(text), spots), false)), key };
}

/** The kind of a text that is one secret and nothing else. */
export function kindOfAll(text: string): Kind | null {
  const [spot] = scan(text).spots;
  return spot?.start === 0 && spot.end === text.length ? spot.kind : null;
}

/** Needles, each not before the place that is asked for; what a placeholder holds is passed by. */
function* hitsIn(text: string, from: () => number): Generator<Hit> {
  const { all } = needles();
  const placeholders = placeholdersIn(text);
  let passed = 0;
  let at = 0;
  for (let hit = all.next(text, at); hit; hit = all.next(text, at)) {
    while ((placeholders[passed]?.end ?? Number.POSITIVE_INFINITY) <= hit.index) passed += 1;
    const inside = placeholders[passed];
    if (inside && inside.start <= hit.index) {
      at = inside.end;
      continue;
    }
    yield hit;
    at = from();
  }
}

interface Found {
  readonly spots: readonly Spot[];
  /** Where to look on, if not right behind. */
  readonly end?: number;
  readonly state?: KeyState;
}

function foundAt(text: string, { literal: needle, index }: Hit, floor: number): Found {
  // What a key holds is looked through all the same: something else may only look like one.
  if (needle === KEY_BEGINS) return keyFrom(text, index) ?? { spots: [] };
  if (needle === KEY_ENDS) return { spots: keyBefore(text, index, floor) };
  const spot = spotAt(text, needle, index);
  return spot ? { spots: [spot], end: spot.end } : { spots: [] };
}

function spotAt(text: string, needle: string, at: number): Spot | null {
  for (const ready of needles().readyFor(needle)) {
    const spot = spotOf(text, ready, at);
    if (spot) return spot;
  }
  return null;
}

function spotOf(text: string, { family, pattern }: Ready, at: number): Spot | null {
  const from = backFrom(text, family, at);
  if (!family.isWithinWords && !beginsAt(text, from)) return null;
  const expression = pattern();
  expression.lastIndex = from;
  const hit = expression.exec(text) ?? cutAt(text, family, from);
  const [start, stop] = hit?.indices?.[1] ?? hit?.indices?.[0] ?? [0, 0];
  if (stop === 0) return null;
  // The mark of a key behind it is no part of it, though it is made of letters that it may have.
  const [secret = ""] = text.slice(start, stop).split(MARK, 1);
  const end = start + secret.length;
  const { isLikely = isVaried } = family;
  if (secret.includes(PREFIX) || !isLikely(secret) || (family.isWeak && isKnownBetter(secret))) return null;
  return { start, end, kind: family };
}

/** What a tool has cut off, with a mark where it did, is no less of a secret. */
function cutAt(text: string, { needles: own, isWithinWords, back }: Family, at: number): RegExpExecArray | null {
  if (isWithinWords || back || !own.some((needle) => needle.length >= LEAST_NEEDLE && text.startsWith(needle, at)))
    return null;
  CUT_OFF.lastIndex = at;
  return CUT_OFF.exec(text);
}

const LEAST_NEEDLE = 4;
const CUT_OFF = /[\w.-]{12,600}(?= ?(?:\[…|…))/dy;

function backFrom(text: string, { back }: Family, at: number): number {
  if (!back) return at;
  let from = at;
  while (from > 0 && at - from < back.most && back.letters.test(text.charAt(from - 1))) from -= 1;
  return from;
}

function isKnownBetter(secret: string): boolean {
  const { all, readyFor } = needles();
  for (let hit = all.next(secret, 0); hit; hit = all.next(secret, hit.index + 1)) {
    const { literal, index } = hit;
    const strong = readyFor(literal).filter(({ family }) => !family.isWeak);
    if (strong.some((ready) => spotOf(secret, ready, index))) return true;
  }
  return false;
}
