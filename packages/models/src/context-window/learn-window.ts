/** Learns the context window of an endpoint from refusals and token counts. A learned window expires, so no mistake is permanent. */

/** What was learned about one model at one endpoint. */
export interface LearnedWindow {
  /** The server's tokens per token of our estimate, measured on complete requests. */
  readonly ratio: number;
  /** The largest count of a complete request. */
  readonly most?: number;
  readonly window?: number;
  readonly from?: "overflow" | "truncation";
  /** When the window was learned, in milliseconds. */
  readonly at?: number;
  /** How many refusals, at least an hour apart, have named about the same limit. */
  readonly named?: number;
  /** A named limit that is no longer used; the next refusal that names it confirms it. */
  readonly doubted?: number;
  /** The counts of the request that looked truncated, checked again when the ratio is better known. */
  readonly cut?: TokenCounts;
  /** How many requests in a row were truncated to about the same count. */
  readonly cuts?: number;
  /** The served window when this was learned; if it changes, the learned window is outdated. */
  readonly served?: number;
}

/** Our estimate of a request, and the reported input tokens, cached ones included. */
export interface TokenCounts {
  readonly estimate: number;
  readonly reported: number;
}

/** For servers that may truncate: local and OpenAI-compatible ones. The large providers refuse a request that is too long. */
export function learnWindow(previous: LearnedWindow | undefined, observation: Observation): LearnResult {
  const learned = dropExpiredWindow(applyServedWindow(previous ?? NOTHING_LEARNED, observation.served), observation);
  if (observation.type === "overflow") return { learned: learnFromRefusal(learned, observation), verdict: "unknown" };
  const { estimate, reported, now } = observation;
  if (!(estimate > 0) || !reported || !(reported > 0)) return { learned, verdict: "unknown" };
  const counts = { estimate, reported };
  if (isTooSmallToTruncate(learned, counts)) return recheckTruncation(learned, counts);
  if (looksTruncated(learned, counts))
    return { learned: learnFromTruncation(learned, { ...counts, now }), verdict: "truncated" };
  if (exceedsServedWindow(counts, learned)) return { learned, verdict: "truncated" };
  return isInconclusive(learned, counts)
    ? { learned, verdict: "unknown" }
    : { learned: learnFromFullReply(learned, counts), verdict: "complete" };
}

export type Observation = (ReplyObservation | RefusalObservation) &
  LearnContext & { readonly served?: number | undefined };

/** `reported` is null or zero without a count. Not for requests with images, whose tokens differ between providers. */
interface ReplyObservation {
  readonly type: "reply";
  readonly estimate: number;
  readonly reported: number | null;
}

/** A request was refused as too long, with the limit that the error named. */
interface RefusalObservation {
  readonly type: "overflow";
  readonly limit?: number | undefined;
}

export interface LearnResult {
  readonly learned: LearnedWindow;
  /**
   * `truncated`: the server silently dropped a part of the request, treat it as overflow. `withdrawn`: an earlier
   * truncation was a mistake. `complete`: the whole request was read. `unknown`: nothing was learned.
   */
  readonly verdict: "truncated" | "withdrawn" | "complete" | "unknown";
}

export interface LearnContext {
  /** The time in milliseconds; without it nothing expires. */
  readonly now?: number | undefined;
  /** The catalogue's figure, unless it is a default. */
  readonly catalogueWindow?: number | undefined;
}

// A server that was restarted with another window invalidates the learned one.
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
  // A doubted limit keeps the time of its first refusal, so that an independent refusal can be recognised.
  const at = isRepeated && !isIndependent ? learned.at : now;
  const window = { window: Math.floor(limit), from: "overflow" } as const;
  return { ...removeWindow(learned), ...window, ...(named > 1 ? { named } : {}), ...(at === undefined ? {} : { at }) };
}

/** Refusals in quick succession have one cause, so that they confirm nothing. */
function isIndependentRefusal(learned: LearnedWindow, now: number | undefined): boolean {
  return now === undefined || age(learned, now) >= HOUR_MS;
}

/** Whether the count is so low that the server seems to have dropped a part of the request. */
function looksTruncated({ ratio, most = 0 }: LearnedWindow, { estimate, reported }: TokenCounts): boolean {
  if (estimate < MIN_SUSPECT_ESTIMATE || reported < MIN_WINDOW) return false;
  // A server that has counted twice as much before does not truncate here; its count is incomplete.
  return reported < TRUNCATED_SHARE * estimate * ratio && reported >= most / 2;
}

/** Below this estimate a low count proves nothing: no window is so small. */
const MIN_SUSPECT_ESTIMATE = 2_000;
/** A smaller count is not a window but another count, such as the uncached tokens. */
const MIN_WINDOW = 1_024;
/** A count below this share of the expected count looks truncated. */
const TRUNCATED_SHARE = 0.6;
/** A truncation is withdrawn if its count is at least this share of the count expected now: clearly above TRUNCATED_SHARE. */
const EXPLAINED_SHARE = 0.8;

/**
 * A request that is smaller than the truncated count cannot have been truncated: its count is complete. The size is compared
 * in the server's tokens if those are more than ours.
 */
function isTooSmallToTruncate({ from, window = 0, ratio }: LearnedWindow, { estimate }: TokenCounts): boolean {
  return from === "truncation" && estimate * Math.max(1, ratio) < window && estimate >= 500;
}

function recheckTruncation(learned: LearnedWindow, counts: TokenCounts): LearnResult {
  const ratio = computeRatio(counts);
  if (!learned.cut || !isExplainedByRatio(learned.cut, ratio)) return { learned, verdict: "complete" };
  const most = Math.max(learned.most ?? 0, learned.cut.reported);
  return { learned: { ...removeWindow(learned), ratio, most }, verdict: "withdrawn" };
}

/** Whether a tokenizer with this ratio explains the count. */
function isExplainedByRatio({ estimate, reported }: TokenCounts, ratio: number): boolean {
  return reported >= EXPLAINED_SHARE * estimate * ratio;
}

/** Bounded, so that odd counts do not distort the ratio. */
function computeRatio({ estimate, reported }: TokenCounts): number {
  return Math.min(2, Math.max(0.25, reported / estimate));
}

// Servers drop whole messages, so the count may be below the window. Of several truncations the largest count is nearest.
function learnFromTruncation(learned: LearnedWindow, { now, ...cut }: TokenCounts & LearnContext): LearnedWindow {
  const previousWindow = learned.from === "truncation" ? (learned.window ?? 0) : 0;
  const cuts = isNear(learned.cut?.reported, cut.reported) ? (learned.cuts ?? 1) + 1 : 1;
  const window = { window: Math.max(previousWindow, cut.reported), from: "truncation", cut, cuts } as const;
  return { ...removeWindow(learned), ...window, ...(now === undefined ? {} : { at: now }) };
}

function isNear(one: number | undefined, other: number): boolean {
  return one !== undefined && Math.abs(one - other) <= 0.1 * other;
}

/** The request exceeds the served window and its count does not: the difference was dropped. */
function exceedsServedWindow({ estimate, reported }: TokenCounts, { ratio, served }: LearnedWindow): boolean {
  return served !== undefined && estimate * ratio > served * 1.1 && reported <= served;
}

function isInconclusive(learned: LearnedWindow, { estimate, reported }: TokenCounts): boolean {
  return estimate < MIN_SUSPECT_ESTIMATE || reported < TRUNCATED_SHARE * estimate * learned.ratio;
}

function learnFromFullReply(learned: LearnedWindow, counts: TokenCounts): LearnedWindow {
  const { reported } = counts;
  const { window, doubted, cut, most = 0 } = learned;
  // The server has just read more than the learned window.
  const base = reported > 1.02 * (window ?? doubted ?? cut?.reported ?? reported) ? removeWindow(learned) : learned;
  return { ...base, ratio: updateRatio(learned, counts), most: Math.max(most, reported) };
}

// Truncation lowers counts. So a lower ratio is accepted only from a count that the server has already exceeded: otherwise a
// context that grows step by step past the window would lower the ratio at each step, and never look truncated.
function updateRatio({ ratio, most = 0 }: LearnedWindow, counts: TokenCounts): number {
  const observedRatio = computeRatio(counts);
  return observedRatio >= ratio || counts.reported < 0.9 * most ? (ratio + observedRatio) / 2 : ratio;
}

const NOTHING_LEARNED: LearnedWindow = { ratio: 1 };

/** Removes the window and its evidence; the ratio stays. */
function removeWindow({ ratio, most, served }: LearnedWindow): LearnedWindow {
  return { ratio, ...(most === undefined ? {} : { most }), ...(served === undefined ? {} : { served }) };
}

/**
 * What a new session starts with. A single truncation may be our mistake, and a limit far below the catalogue's figure may be
 * the server's: neither outlives its session until it is confirmed.
 */
export function carryToNextSession(learned: LearnedWindow, context: LearnContext = {}): LearnedWindow {
  const isUnconfirmed = learned.from === "truncation" && (learned.cuts ?? 1) < 2;
  return isUnconfirmed || isDoubtful(learned, context) ? doubtWindow(learned) : dropExpiredWindow(learned, context);
}

const HOUR_MS = 3_600_000;
/** After this time, one request that exceeds a true limit is refused, and the limit is learned again. */
const WINDOW_LIFETIME_MS = 7 * 24 * HOUR_MS;
/** A misread or temporary limit of 4,000 tokens must not cripple a session of a whole day. */
const DOUBTFUL_LIFETIME_MS = HOUR_MS;

/** Removes a window that is too old. */
function dropExpiredWindow(learned: LearnedWindow, context: LearnContext): LearnedWindow {
  const { now } = context;
  if (learned.window === undefined || now === undefined) return learned;
  const lifetime = isDoubtful(learned, context) ? DOUBTFUL_LIFETIME_MS : WINDOW_LIFETIME_MS;
  return age(learned, now) < lifetime ? learned : doubtWindow(learned);
}

function isDoubtful({ from, window = 0, named = 1 }: LearnedWindow, { catalogueWindow }: LearnContext): boolean {
  return from === "overflow" && catalogueWindow !== undefined && named < 2 && window < catalogueWindow / 4;
}

// The absolute value, in case the clock was set back. Without a time the window is old.
function age({ at = 0 }: LearnedWindow, now: number): number {
  return Math.abs(now - at);
}

function doubtWindow({ window, from, ...rest }: LearnedWindow): LearnedWindow {
  return from === "overflow" && window !== undefined ? { ...rest, doubted: window } : rest;
}

export interface TruncationDetails extends TokenCounts {
  /** The window that is assumed from now on. */
  readonly window: number;
  /** The model and address of the server, as the user wrote it. */
  readonly endpointLabel: string;
}

/** The message about a server that silently drops a part of the conversation, and what to change. */
export function formatTruncation({ estimate, reported, window, endpointLabel }: TruncationDetails): string {
  return [
    `${endpointLabel} counted ${formatTokens(reported)} of about ${formatTokens(estimate)} tokens: it seems to silently drop what does not fit.`,
    `Its context window is now assumed to be ${formatTokens(window)} tokens.`,
    "To keep more, configure a larger context window on the server (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx; llama.cpp: -c; LM Studio: context length).",
  ].join(" ");
}

function formatTokens(tokens: number): string {
  return Math.round(tokens).toLocaleString("en-US");
}
