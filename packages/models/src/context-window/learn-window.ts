/** Learns the context window of an endpoint from refusals and token counts. A learnt window expires, so no mistake is permanent. */

/** What is known of one model at one endpoint. */
export interface LearnedWindow {
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
  readonly cut?: TokenCounts;
  /** How many replies in a row were cut to about as much as that one. */
  readonly cuts?: number;
  /** What the server said it serves when this was learnt; when that changes, what was learnt is out of date. */
  readonly served?: number;
}

/** Our estimate of a request, and the input tokens the provider reported for it, cached ones included. */
export interface TokenCounts {
  readonly estimate: number;
  readonly reported: number;
}

export const NOTHING_LEARNED: LearnedWindow = { ratio: 1 };

/** Without the window and what hinted at it: what is known of the tokenizer stays. */
export function removeWindow({ ratio, most, served }: LearnedWindow): LearnedWindow {
  return { ratio, ...(most === undefined ? {} : { most }), ...(served === undefined ? {} : { served }) };
}

export interface LearnContext {
  /** The time, in milliseconds; without it nothing grows old. */
  readonly now?: number | undefined;
  /** The catalogue's figure, where it has more than a default. */
  readonly catalogueWindow?: number | undefined;
}

const HOUR_MS = 3_600_000;
/** After it, one request that is too long for a true limit is refused and teaches it anew. */
const WINDOW_LIFETIME_MS = 7 * 24 * HOUR_MS;
/** A misread or passing limit of 4,000 tokens must not cripple a session of a whole day. */
const DOUBTFUL_LIFETIME_MS = HOUR_MS;

/**
 * What a new session begins with. A single reply that looked cut may have been a mistake of ours, and a limit far below
 * what the model is known for one of the server's: neither outlives its session before it was seen again.
 */
export function carryToNextSession(learned: LearnedWindow, context: LearnContext = {}): LearnedWindow {
  const isUnconfirmed = learned.from === "truncation" && (learned.cuts ?? 1) < 2;
  return isUnconfirmed || isDoubtful(learned, context) ? doubtWindow(learned) : dropExpiredWindow(learned, context);
}

/** The same without its window, when that has grown too old. */
export function dropExpiredWindow(learned: LearnedWindow, context: LearnContext): LearnedWindow {
  const { now } = context;
  if (learned.window === undefined || now === undefined) return learned;
  const lifetime = isDoubtful(learned, context) ? DOUBTFUL_LIFETIME_MS : WINDOW_LIFETIME_MS;
  return age(learned, now) < lifetime ? learned : doubtWindow(learned);
}

/** Refusals that follow each other closely have one cause and are one witness. */
export function isIndependentRefusal(learned: LearnedWindow, now: number | undefined): boolean {
  return now === undefined || age(learned, now) >= HOUR_MS;
}

function isDoubtful({ from, window = 0, named = 1 }: LearnedWindow, { catalogueWindow }: LearnContext): boolean {
  return from === "overflow" && catalogueWindow !== undefined && named < 2 && window < catalogueWindow / 4;
}

// A clock that was set back is no reason to believe for ever; what bears no time is old.
function age({ at = 0 }: LearnedWindow, now: number): number {
  return Math.abs(now - at);
}

function doubtWindow({ window, from, ...rest }: LearnedWindow): LearnedWindow {
  return from === "overflow" && window !== undefined ? { ...rest, doubted: window } : rest;
}

/** Below this estimate a short count proves nothing: no window is so small. */
export const MIN_SUSPECT_ESTIMATE = 2_000;
/** A count this small is no window but a count of something else, such as what the cache did not hold. */
export const MIN_WINDOW = 1_024;
/** Less than this share of what was expected looks cut. */
const TRUNCATED_SHARE = 0.6;
/** A suspicion is withdrawn when the count is at least this share of what is expected now: clearly more than SHORT. */
const EXPLAINED_SHARE = 0.8;

/** Whether so low a count means that the server dropped a part of the request, so far as is known. */
export function looksTruncated({ ratio, most = 0 }: LearnedWindow, { estimate, reported }: TokenCounts): boolean {
  if (estimate < MIN_SUSPECT_ESTIMATE || reported < MIN_WINDOW) return false;
  // A server that has read twice as much is not cutting here; its count leaves something out.
  return reported < TRUNCATED_SHARE * estimate * ratio && reported >= most / 2;
}

/** Whether a tokenizer of this ratio makes that count an honest one. */
export function isExplainedByRatio({ estimate, reported }: TokenCounts, ratio: number): boolean {
  return reported >= EXPLAINED_SHARE * estimate * ratio;
}

/** Odd counts must not bend the ratio out of all proportion. */
export function computeRatio({ estimate, reported }: TokenCounts): number {
  return Math.min(2, Math.max(0.25, reported / estimate));
}

export type Observation = (ReplyObservation | RefusalObservation) &
  LearnContext & { readonly served?: number | undefined };

/** With the provider's count, null or zero where it gave none. Not of requests with images: each counts those its own way. */
interface ReplyObservation {
  readonly type: "reply";
  readonly estimate: number;
  readonly reported: number | null;
}

/** As too long, with the limit it named. */
interface RefusalObservation {
  readonly type: "overflow";
  readonly limit?: number | undefined;
}

export interface LearnResult {
  readonly learned: LearnedWindow;
  /** `cut`: a part of the request was dropped in silence, treat it as overflow. `withdrawn`: it was not so after all. */
  readonly verdict: "cut" | "withdrawn" | "healthy" | "nothing";
}

/** For servers that may cut: one's own, and of the openai-compatible kind. The large providers refuse what is too long. */
export function learnWindow(previous: LearnedWindow | undefined, observation: Observation): LearnResult {
  const learned = dropExpiredWindow(applyServedWindow(previous ?? NOTHING_LEARNED, observation.served), observation);
  if (observation.type === "overflow") return { learned: learnFromRefusal(learned, observation), verdict: "nothing" };
  const { estimate, reported, now } = observation;
  if (!(estimate > 0) || !reported || !(reported > 0)) return { learned, verdict: "nothing" };
  const counts = { estimate, reported };
  if (isTooSmallToTruncate(learned, counts)) return recheckTruncation(learned, counts);
  if (looksTruncated(learned, counts))
    return { learned: learnFromTruncation(learned, { ...counts, now }), verdict: "cut" };
  if (exceedsServedWindow(counts, learned)) return { learned, verdict: "cut" };
  return isInconclusive(learned, counts)
    ? { learned, verdict: "nothing" }
    : { learned: learnFromFullReply(learned, counts), verdict: "healthy" };
}

// Whoever gives the server a larger window must not be held to the smaller one.
function applyServedWindow(learned: LearnedWindow, served: number | undefined): LearnedWindow {
  if (served === undefined || served === learned.served) return learned;
  if (learned.served === undefined) return { ...learned, served };
  return { ratio: learned.ratio, served };
}

function learnFromRefusal(learned: LearnedWindow, { limit, now }: RefusalObservation & LearnContext): LearnedWindow {
  if (limit === undefined || !(limit >= MIN_WINDOW)) return learned;
  if (learned.from === "overflow" && isNear(learned.window, limit)) return learned;
  const isRepeated = isNear(learned.doubted, limit);
  const isIndependent = isRepeated && isIndependentRefusal(learned, now);
  const named = (isRepeated ? (learned.named ?? 1) : 1) + (isIndependent ? 1 : 0);
  // One that is doubted keeps the hour of its first witness, so that the next can be told from an echo.
  const at = isRepeated && !isIndependent ? learned.at : now;
  const window = { window: Math.floor(limit), from: "overflow" } as const;
  return { ...removeWindow(learned), ...window, ...(named > 1 ? { named } : {}), ...(at === undefined ? {} : { at }) };
}

/**
 * A request smaller than the window a truncation seemed to show cannot have been cut itself: its count is honest. Smaller
 * in the server's tokens: where those are more than ours, ours say too little.
 */
function isTooSmallToTruncate({ from, window = 0, ratio }: LearnedWindow, { estimate }: TokenCounts): boolean {
  return from === "truncation" && estimate * Math.max(1, ratio) < window && estimate >= 500;
}

function recheckTruncation(learned: LearnedWindow, counts: TokenCounts): LearnResult {
  const ratio = computeRatio(counts);
  if (!learned.cut || !isExplainedByRatio(learned.cut, ratio)) return { learned, verdict: "healthy" };
  const most = Math.max(learned.most ?? 0, learned.cut.reported);
  return { learned: { ...removeWindow(learned), ratio, most }, verdict: "withdrawn" };
}

// Servers drop whole messages, so the count may lie below the window: of several cuts the largest count comes nearest.
function learnFromTruncation(learned: LearnedWindow, { now, ...cut }: TokenCounts & LearnContext): LearnedWindow {
  const previousWindow = learned.from === "truncation" ? (learned.window ?? 0) : 0;
  const cuts = isNear(learned.cut?.reported, cut.reported) ? (learned.cuts ?? 1) + 1 : 1;
  const window = { window: Math.max(previousWindow, cut.reported), from: "truncation", cut, cuts } as const;
  return { ...removeWindow(learned), ...window, ...(now === undefined ? {} : { at: now }) };
}

function isNear(one: number | undefined, other: number): boolean {
  return one !== undefined && Math.abs(one - other) <= 0.1 * other;
}

/** More was sent than the server says it serves, and its count would fit: the difference was dropped. */
function exceedsServedWindow({ estimate, reported }: TokenCounts, { ratio, served }: LearnedWindow): boolean {
  return served !== undefined && estimate * ratio > served * 1.1 && reported <= served;
}

function isInconclusive(learned: LearnedWindow, { estimate, reported }: TokenCounts): boolean {
  return estimate < MIN_SUSPECT_ESTIMATE || reported < TRUNCATED_SHARE * estimate * learned.ratio;
}

function learnFromFullReply(learned: LearnedWindow, counts: TokenCounts): LearnedWindow {
  const { reported } = counts;
  const { window, doubted, cut, most = 0 } = learned;
  // It has just read more than it was thought to be able to.
  const base = reported > 1.02 * (window ?? doubted ?? cut?.reported ?? reported) ? removeWindow(learned) : learned;
  return { ...base, ratio: updateRatio(learned, counts), most: Math.max(most, reported) };
}

// Cutting lowers counts. So a lower ratio is believed only from a count the server has already surpassed: otherwise a
// context that grows step by step past the window would teach a smaller ratio at each step, and never look cut.
function updateRatio({ ratio, most = 0 }: LearnedWindow, counts: TokenCounts): number {
  const observedRatio = computeRatio(counts);
  return observedRatio >= ratio || counts.reported < 0.9 * most ? (ratio + observedRatio) / 2 : ratio;
}

export interface TruncationDetails extends TokenCounts {
  /** What the window is taken for from now on. */
  readonly window: number;
  /** Where the server is, as its user wrote it. */
  readonly endpointLabel: string;
}

/** Tells the user that the server silently drops a part of the conversation, and what to change. */
export function formatTruncation({ estimate, reported, window, endpointLabel }: TruncationDetails): string {
  return [
    `${endpointLabel} counted ${formatTokens(reported)} of about ${formatTokens(estimate)} tokens: it seems to drop what does not fit, silently.`,
    `Its window is taken for ${formatTokens(window)} tokens from now on.`,
    "Serve a larger one (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx; llama.cpp: -c; LM Studio: context length) to keep more.",
  ].join(" ");
}

function formatTokens(tokens: number): string {
  return Math.round(tokens).toLocaleString("en-US");
}
