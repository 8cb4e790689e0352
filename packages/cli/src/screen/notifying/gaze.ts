/** Whether somebody looks at the terminal, as far as it can be told: by what the terminal says of its focus, else by the keys. */

export interface Gaze {
  /** Null: the terminal has never said. */
  readonly hasFocus: boolean | null;
  /** In milliseconds. */
  readonly lastKeyAt: number;
}

export const neverSeen: Gaze = { hasFocus: null, lastKeyAt: Number.NEGATIVE_INFINITY };

/** What came from the terminal: word of its focus, or a key. Pure. */
export function gazeAfter(gaze: Gaze, data: string, now: number): Gaze {
  if (isFocusWord(data)) return { ...gaze, hasFocus: data === FOCUS_GAINED };
  // Who types is there, whatever was said before.
  return { hasFocus: gaze.hasFocus === null ? null : true, lastKeyAt: now };
}

export function isFocusWord(data: string): boolean {
  return data === FOCUS_GAINED || data === FOCUS_LOST;
}

/** Milliseconds until nobody is taken to look any more; null: as long as the terminal says somebody does. */
export function looksFor({ hasFocus, lastKeyAt }: Gaze, now: number): number | null {
  if (hasFocus !== null) return hasFocus ? null : 0;
  return Math.max(0, lastKeyAt + AWAY_MS - now);
}

/** Whoever has not touched a key for so long may be elsewhere. */
const AWAY_MS = 10_000;

const FOCUS_GAINED = "\x1b[I";
const FOCUS_LOST = "\x1b[O";
