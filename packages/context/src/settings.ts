/** Defines the limits and defaults of the file format and of compaction, the timeouts, and the roles of a host's tools. */

/** Limits of a line in a session file. */
export interface FormatLimits {
  /** The maximum length of a line, in bytes. */
  readonly lineBytes: number;
  /** The maximum nesting of objects and arrays in a line. */
  readonly depth: number;
}

/** The limits for a line in a session file. */
export const formatLimits: FormatLimits = { lineBytes: 32 * 1024 * 1024, depth: 200 };

/** When a context is too large, and what a compaction keeps of it. */
export interface CompactionLimits {
  /** False turns automatic compaction off; manual compaction still works. */
  readonly enabled: boolean;
  /** The lowest threshold that applies to the model and the agent is used. */
  readonly thresholds: readonly Threshold[];
  /** The maximum share of the window for a reserve, so that small windows stay usable. */
  readonly largestReserve: number;
  /** The share of the limit at which listeners get a warning. */
  readonly soft: number;
  /**
   * When the summary of the next compaction is prepared in the background, shortly before the limit and after the soft threshold. `between-runs` is
   * for a local server that answers one request at a time.
   */
  readonly prepare: "during-runs" | "between-runs" | "never";
  /** The end of the context that is kept unchanged. */
  readonly tail: TokenLimit;
  /** The user's messages before the tail, kept verbatim. */
  readonly userMessages: TokenLimit;
  /** The narrative and the ledger together. */
  readonly checkpoint: TokenLimit;
  /** The summary of an abandoned branch, including its ledger. */
  readonly branch: TokenLimit;
  /** The part of the window that stays free when an abandoned branch is summarized. Of a longer branch, the newest part is summarized. */
  readonly branchReserve: TokenAmount;
  /** The size to which a result or paste is shortened if it is too large for the tail. */
  readonly shortenedMessage: TokenLimit;
  /** The maximum size of a request in bytes, and the share of it that is used. */
  readonly requestSize: { readonly bytes: number; readonly share: number };
  /** The minimum share of the context that a compaction must free to count as progress. */
  readonly progress: number;
  /** The number of consecutive compactions that free too little before automatic compaction stops. */
  readonly maxWithoutProgress: number;
  /** After an undo, automatic compaction waits until the context has grown by this share of the window. */
  readonly quietAfterUndo: number;
  /** The maximum cost and number of calls of compactions within an hour. */
  readonly hourly: { readonly cost: number; readonly calls: number };
  /** How long models may take for one summary. */
  readonly summaryTime: SummaryTimeouts;
  /** When outdated tool results are removed from the context. */
  readonly outdated: OutdatedLimits;
}

/** When tool results that later ones make outdated are removed. */
export interface OutdatedLimits {
  /** False keeps them. */
  readonly enabled: boolean;
  /** How long the provider caches the beginning of a request after its last use, in milliseconds. */
  readonly cacheLifetime: number;
  /** The least that a removal outside a compaction must free. */
  readonly minimum: TokenLimit;
  /** The share of the window that a removal must free to take the place of a compaction. */
  readonly insteadOfCompaction: number;
}

/** How long models may take for one summary, in milliseconds; `Infinity` sets no limit. */
export interface SummaryTimeouts {
  /** Until the first token: a local model may read a long prompt for minutes. */
  readonly firstToken: number;
  /** From one token to the next. */
  readonly nextToken: number;
  /** For one attempt, from the request to the last token. */
  readonly attempt: number;
  /** For all requests, retries and summarizers together. After that, Pith builds the summary without a model. */
  readonly total: number;
}

/** The context size that triggers a compaction: a number of tokens, a percentage of the window, or the window minus a reserve. */
export interface Threshold {
  readonly tokens?: number;
  readonly percent?: number;
  readonly reserve?: TokenAmount;
  /** Only for this model, as `provider/model`. */
  readonly model?: string;
  /** Only for this agent. */
  readonly agent?: string;
}

/** A number of tokens, and a share of the window that they must not exceed. `tokens: Infinity` sets only the share. */
export interface TokenLimit {
  readonly tokens: number;
  readonly share: number;
}

/** Creates the default time limits. A longer limit for the first token extends the others, to leave time for the rest and for a retry. */
export function createSummaryTimeouts(firstToken: number = 10 * MINUTE_MS): SummaryTimeouts {
  const attempt = Math.max(15 * MINUTE_MS, firstToken + 5 * MINUTE_MS);
  return { firstToken, nextToken: 1.5 * MINUTE_MS, attempt, total: 2 * attempt };
}

const MINUTE_MS = 60_000;

/** An amount of tokens: a number of them, or a share of the context window. */
export type TokenAmount = { readonly tokens: number } | { readonly share: number };

/** Reads the number of a setting: above 0 and below 1 it is a share of the window, otherwise a number of tokens (DUE8). */
export function toTokenAmount(value: number): TokenAmount {
  return value > 0 && value < 1 ? { share: value } : { tokens: value };
}

/** Converts an amount to tokens. */
export function resolveTokens(amount: TokenAmount, contextWindow: number): number {
  return "tokens" in amount ? amount.tokens : shareOfWindow(amount.share, contextWindow);
}

/** Rounds away the binary error of shares such as 0.1: a tenth of 8,190 is exactly 819. */
export function shareOfWindow(share: number, contextWindow: number): number {
  return Number((contextWindow * share).toPrecision(12));
}

/** The default limits. */
export const compactionLimits: CompactionLimits = {
  enabled: true,
  thresholds: [{ reserve: { tokens: 16_384 } }],
  largestReserve: 0.25,
  soft: 0.8,
  prepare: "never",
  tail: { tokens: 20_000, share: 0.2 },
  userMessages: { tokens: 20_000, share: 0.1 },
  checkpoint: { tokens: 8_000, share: 0.08 },
  branch: { tokens: 4_000, share: 0.05 },
  branchReserve: { tokens: 16_384 },
  shortenedMessage: { tokens: 4_000, share: 0.05 },
  requestSize: { bytes: 32 * 1024 * 1024, share: 0.8 },
  progress: 0.1,
  maxWithoutProgress: 2,
  quietAfterUndo: 0.1,
  hourly: { cost: 5, calls: 30 },
  summaryTime: createSummaryTimeouts(),
  outdated: {
    enabled: true,
    cacheLifetime: 60 * MINUTE_MS,
    minimum: { tokens: 4_000, share: 0.05 },
    insteadOfCompaction: 0.3,
  },
};

/** Timeouts in milliseconds. */
export interface Timeouts {
  /** For the answer of a hook. */
  readonly hook: number;
  /** The longest retry delay that is accepted from a provider. */
  readonly busy: number;
}

/** The default timeouts. */
export const timeouts: Timeouts = { hook: 30_000, busy: 10_000 };

/** The name of the tool with which an agent searches its session. */
export const RECALL_TOOL = "recall";

/** Which arguments of a host's tools contain file paths and shell commands, by tool name; a tool with an empty role has neither. */
export type ToolRoles = Readonly<Record<string, ToolRole>>;

/** The names of arguments that contain a string or a list of strings. */
export interface ToolRole {
  readonly reads?: readonly string[];
  readonly modifies?: readonly string[];
  /** Arguments with shell commands. */
  readonly runs?: readonly string[];
}
