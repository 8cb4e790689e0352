/** Where what was learnt of windows is kept between sessions: a port, and its version in memory. */

import type { Learnt } from "./learnt.ts";

/** By endpoint and model, see `endpointKey`. */
export type LearntWindows = Readonly<Record<string, Learnt>>;

export interface WindowMemory {
  read(): Promise<Remembered>;
  /** Keeps one entry and leaves the others as they are; null forgets it. */
  write(key: string, learnt: Learnt | null): Promise<void>;
}

export interface Remembered {
  readonly windows: LearntWindows;
  /** What is wrong with the place they were kept in, when something is. */
  readonly fault: string | null;
}

/** As many endpoints as anyone has; the ones longest untouched are forgotten first. */
const MOST_ENTRIES = 500;

export function windowsInMemory(windows: LearntWindows = {}): WindowMemory {
  let kept = windows;
  return {
    read: async () => ({ windows: kept, fault: null }),
    async write(key, learnt) {
      kept = withEntry(kept, { key, learnt });
    },
  };
}

export function withEntry(
  windows: LearntWindows,
  { key, learnt }: { readonly key: string; readonly learnt: Learnt | null },
): LearntWindows {
  const others = Object.entries(windows).filter(([own]) => own !== key);
  const entries = learnt ? [...others, [key, learnt] as const] : others;
  return Object.fromEntries(entries.slice(-MOST_ENTRIES));
}
