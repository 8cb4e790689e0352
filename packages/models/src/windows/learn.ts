/** Learns the context window of an endpoint from refusals and token counts. A learnt window expires, so no mistake is permanent. */

/** What is known of one model at one endpoint. */
export interface Learnt {
  /** Tokens it counts for one of our estimate, as seen on replies that were not cut. */
  readonly ratio: number;
  /** The most it has counted in a reply that was not cut. */
  readonly most?: number;
  readonly window?: number;
  readonly from?: "overflow" | "truncation";
  /** When the window was learnt, in milliseconds. */
  readonly at?: number;
  /** How often refusals have named about the same limit, at least an hour apart. */
  readonly named?: number;
  /** A limit that was named and is not believed any more; the next refusal that names it is its next witness. */
  readonly doubted?: number;
  /** The reply that looked cut, to be judged again when the tokenizer is known better. */
  readonly cut?: Counted;
  /** How many replies in a row were cut to about as much as that one. */
  readonly cuts?: number;
  /** What the server said it serves when this was learnt; when that changes, what was learnt is out of date. */
  readonly served?: number;
}

/** Our estimate of a request, and the input tokens the provider reported for it, cached ones included. */
export interface Counted {
  readonly estimate: number;
  readonly reported: number;
}

export const NOTHING_LEARNT: Learnt = { ratio: 1 };

/** Without the window and what hinted at it: what is known of the tokenizer stays. */
export function withoutWindow({ ratio, most, served }: Learnt): Learnt {
  return { ratio, ...(most === undefined ? {} : { most }), ...(served === undefined ? {} : { served }) };
}

export interface Circumstances {
  /** The time, in milliseconds; without it nothing grows old. */
  readonly now?: number | undefined;
  /** The catalogue's figure, where it has more than a default. */
  readonly known?: number | undefined;
}

const HOUR = 3_600_000;
/** After it, one request that is too long for a true limit is refused and teaches it anew. */
const BELIEVED_FOR = 7 * 24 * HOUR;
/** A misread or passing limit of 4,000 tokens must not cripple a session of a whole day. */
const DOUBTED_FOR = HOUR;

/**
 * What a new session begins with. A single reply that looked cut may have been a mistake of ours, and a limit far below
 * what the model is known for one of the server's: neither outlives its session before it was seen again.
 */
export function carriedOver(learnt: Learnt, circumstances: Circumstances = {}): Learnt {
  const once = learnt.from === "truncation" && (learnt.cuts ?? 1) < 2;
  return once || isDoubtful(learnt, circumstances) ? shelved(learnt) : stillBelieved(learnt, circumstances);
}

/** The same without its window, when that has grown too old. */
export function stillBelieved(learnt: Learnt, circumstances: Circumstances): Learnt {
  const { now } = circumstances;
  if (learnt.window === undefined || now === undefined) return learnt;
  const term = isDoubtful(learnt, circumstances) ? DOUBTED_FOR : BELIEVED_FOR;
  return age(learnt, now) < term ? learnt : shelved(learnt);
}

/** Refusals that follow each other closely have one cause and are one witness. */
export function isLater(learnt: Learnt, now: number | undefined): boolean {
  return now === undefined || age(learnt, now) >= HOUR;
}

function isDoubtful({ from, window = 0, named = 1 }: Learnt, { known }: Circumstances): boolean {
  return from === "overflow" && known !== undefined && named < 2 && window < known / 4;
}

// A clock that was set back is no reason to believe for ever; what bears no time is old.
function age({ at = 0 }: Learnt, now: number): number {
  return Math.abs(now - at);
}

function shelved({ window, from, ...rest }: Learnt): Learnt {
  return from === "overflow" && window !== undefined ? { ...rest, doubted: window } : rest;
}

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
  return estimate < LEAST_SUSPECT || reported < SHORT * estimate * learnt.ratio;
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

export interface Cut extends Counted {
  /** What the window is taken for from now on. */
  readonly window: number;
  /** Where the server is, as its user wrote it. */
  readonly place: string;
}

/** Tells the user that the server silently drops a part of the conversation, and what to change. */
export function cutSentence({ estimate, reported, window, place }: Cut): string {
  return [
    `${place} counted ${figure(reported)} of about ${figure(estimate)} tokens: it seems to drop what does not fit, silently.`,
    `Its window is taken for ${figure(window)} tokens from now on.`,
    "Serve a larger one (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx; llama.cpp: -c; LM Studio: context length) to keep more.",
  ].join(" ");
}

function figure(tokens: number): string {
  return Math.round(tokens).toLocaleString("en-US");
}
