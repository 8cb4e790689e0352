/** How much of a line can be passed on though more of it may come: words in which nothing secret can begin, and those around a needle once it is plain what they are. */

import type { Hit } from "../scanning/literals.ts";
import { needles } from "../scanning/needles.ts";

export function settledIn(line: string): number {
  const hit = needles().all.next(line, 0);
  if (!hit) return afterLastSpace(line);
  return settledBehind(line, hit) ?? afterLastSpace(line.slice(0, hit.index));
}

function afterLastSpace(words: string): number {
  return Math.max(words.lastIndexOf(" "), words.lastIndexOf("\t")) + 1;
}

/** So many words behind the last needle that nothing which began with one can still go on; null where they are not there yet. */
function settledBehind(line: string, first: Hit): number | null {
  const { all } = needles();
  for (let hit: Hit = first; ; ) {
    const end = afterSpaces(line, hit.index + hit.literal.length);
    if (end === null) return null;
    const next = all.next(line, hit.index + 1);
    if (!next || next.index >= end) return end;
    hit = next;
  }
}

function afterSpaces(line: string, from: number): number | null {
  SPACES.lastIndex = from;
  return SPACES.exec(line) ? SPACES.lastIndex : null;
}

// Between the name of a secret and its end there are four at most.
const SPACES = /(?:[^ \t]*[ \t]+(?![ \t])){5}/y;

/** Near here where words part, or right here where none do; 0 where that was before what is held. */
export function cutIn(held: string, wanted: number): number {
  for (let at = wanted; at > wanted - LOOK_AHEAD; at -= 1) {
    if (at <= 0) return 0;
    if (APART.test(held.charAt(at))) return at;
  }
  return wanted;
}

/** What must be known of a line before it is cut. */
export const LOOK_AHEAD: number = 4 * 1024;
const APART = /[\s,;(){}[\]<>|]/;
