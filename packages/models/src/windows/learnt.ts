/** What one model at one endpoint has taught, and for how long it is believed: nobody is held to a mistake for ever. */

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
