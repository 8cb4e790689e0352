/** One more thing seen of an endpoint, and what follows from it: so that no mistake stays for good. */

import {
  type Circumstances,
  type Counted,
  isLater,
  type Learnt,
  NOTHING_LEARNT,
  stillBelieved,
  withoutWindow,
} from "./learnt.ts";
import { isExplained, LEAST_SUSPECT, LEAST_WINDOW, looksCut, ratioOf } from "./suspicion.ts";

export type Seen = (Reply | Refusal) & Circumstances & { readonly served?: number | undefined };

/** With the provider's count, null or zero where it gave none. Not of requests with images: each counts those its own way. */
interface Reply {
  readonly type: "reply";
  readonly estimate: number;
  readonly reported: number | null;
}

/** As too long, with the limit it named. */
interface Refusal {
  readonly type: "overflow";
  readonly limit?: number | undefined;
}

export interface Lesson {
  readonly learnt: Learnt;
  /** `cut`: a part of the request was dropped in silence, treat it as overflow. `withdrawn`: it was not so after all. */
  readonly verdict: "cut" | "withdrawn" | "healthy" | "nothing";
}

/** For servers that may cut: one's own, and of the openai-compatible kind. The large providers refuse what is too long. */
export function learn(before: Learnt | undefined, seen: Seen): Lesson {
  const learnt = stillBelieved(upToDate(before ?? NOTHING_LEARNT, seen.served), seen);
  if (seen.type === "overflow") return { learnt: refused(learnt, seen), verdict: "nothing" };
  const { estimate, reported, now } = seen;
  if (!(estimate > 0) || !reported || !(reported > 0)) return { learnt, verdict: "nothing" };
  const counted = { estimate, reported };
  if (isBelowSuspicion(learnt, counted)) return judgedAgain(learnt, counted);
  if (looksCut(learnt, counted)) return { learnt: truncated(learnt, { ...counted, now }), verdict: "cut" };
  if (exceeds(counted, learnt)) return { learnt, verdict: "cut" };
  return isShort(learnt, counted)
    ? { learnt, verdict: "nothing" }
    : { learnt: healthy(learnt, counted), verdict: "healthy" };
}

// Whoever gives the server a larger window must not be held to the smaller one.
function upToDate(learnt: Learnt, served: number | undefined): Learnt {
  if (served === undefined || served === learnt.served) return learnt;
  if (learnt.served === undefined) return { ...learnt, served };
  return { ratio: learnt.ratio, served };
}

function refused(learnt: Learnt, { limit, now }: Refusal & Circumstances): Learnt {
  if (limit === undefined || !(limit >= LEAST_WINDOW)) return learnt;
  if (learnt.from === "overflow" && isNear(learnt.window, limit)) return learnt;
  const again = isNear(learnt.doubted, limit);
  const isWitness = again && isLater(learnt, now);
  const named = (again ? (learnt.named ?? 1) : 1) + (isWitness ? 1 : 0);
  // One that is doubted keeps the hour of its first witness, so that the next can be told from an echo.
  const at = again && !isWitness ? learnt.at : now;
  const window = { window: Math.floor(limit), from: "overflow" } as const;
  return { ...withoutWindow(learnt), ...window, ...(named > 1 ? { named } : {}), ...(at === undefined ? {} : { at }) };
}

/**
 * A request smaller than the window a truncation seemed to show cannot have been cut itself: its count is honest. Smaller
 * in the server's tokens: where those are more than ours, ours say too little.
 */
function isBelowSuspicion({ from, window = 0, ratio }: Learnt, { estimate }: Counted): boolean {
  return from === "truncation" && estimate * Math.max(1, ratio) < window && estimate >= 500;
}

function judgedAgain(learnt: Learnt, counted: Counted): Lesson {
  const ratio = ratioOf(counted);
  if (!learnt.cut || !isExplained(learnt.cut, ratio)) return { learnt, verdict: "healthy" };
  const most = Math.max(learnt.most ?? 0, learnt.cut.reported);
  return { learnt: { ...withoutWindow(learnt), ratio, most }, verdict: "withdrawn" };
}

// Servers drop whole messages, so the count may lie below the window: of several cuts the largest count comes nearest.
function truncated(learnt: Learnt, { now, ...cut }: Counted & Circumstances): Learnt {
  const shown = learnt.from === "truncation" ? (learnt.window ?? 0) : 0;
  const cuts = isNear(learnt.cut?.reported, cut.reported) ? (learnt.cuts ?? 1) + 1 : 1;
  const window = { window: Math.max(shown, cut.reported), from: "truncation", cut, cuts } as const;
  return { ...withoutWindow(learnt), ...window, ...(now === undefined ? {} : { at: now }) };
}

function isNear(one: number | undefined, other: number): boolean {
  return one !== undefined && Math.abs(one - other) <= 0.1 * other;
}

/** More was sent than the server says it serves, and its count would fit: the difference was dropped. */
function exceeds({ estimate, reported }: Counted, { ratio, served }: Learnt): boolean {
  return served !== undefined && estimate * ratio > served * 1.1 && reported <= served;
}

function isShort(learnt: Learnt, { estimate, reported }: Counted): boolean {
  return estimate < LEAST_SUSPECT || reported < 0.6 * estimate * learnt.ratio;
}

function healthy(learnt: Learnt, counted: Counted): Learnt {
  const { reported } = counted;
  const { window, doubted, cut, most = 0 } = learnt;
  // It has just read more than it was thought to be able to.
  const kept = reported > 1.02 * (window ?? doubted ?? cut?.reported ?? reported) ? withoutWindow(learnt) : learnt;
  return { ...kept, ratio: nextRatio(learnt, counted), most: Math.max(most, reported) };
}

// Cutting lowers counts. So a lower ratio is believed only from a count the server has already surpassed: otherwise a
// context that grows step by step past the window would teach a smaller ratio at each step, and never look cut.
function nextRatio({ ratio, most = 0 }: Learnt, counted: Counted): number {
  const seen = ratioOf(counted);
  return seen >= ratio || counted.reported < 0.9 * most ? (ratio + seen) / 2 : ratio;
}
