/** When a count is so low that a part of the request must have been dropped, and when it is not so after all. */

import type { Counted, Learnt } from "./learnt.ts";

/** Below this estimate a short count proves nothing: no window is so small. */
export const LEAST_SUSPECT = 2_000;
/** A count this small is no window but a count of something else, such as what the cache did not hold. */
export const LEAST_WINDOW = 1_024;
/** Less than this share of what was expected looks cut. */
const SHORT = 0.6;
/** A suspicion is withdrawn when the count is at least this share of what is expected now: clearly more than SHORT. */
const EXPLAINED = 0.8;

/** Whether so low a count means that the server dropped a part of the request, so far as is known. */
export function looksCut({ ratio, most = 0 }: Learnt, { estimate, reported }: Counted): boolean {
  if (estimate < LEAST_SUSPECT || reported < LEAST_WINDOW) return false;
  // A server that has read twice as much is not cutting here; its count leaves something out.
  return reported < SHORT * estimate * ratio && reported >= most / 2;
}

/** Whether a tokenizer of this ratio makes that count an honest one. */
export function isExplained({ estimate, reported }: Counted, ratio: number): boolean {
  return reported >= EXPLAINED * estimate * ratio;
}

/** Odd counts must not bend the ratio out of all proportion. */
export function ratioOf({ estimate, reported }: Counted): number {
  return Math.min(2, Math.max(0.25, reported / estimate));
}
