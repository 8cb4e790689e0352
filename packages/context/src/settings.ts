/** Defines the limits and defaults of the file format and of compaction, and the timeouts. */

export interface FormatLimits {
  /** Longest line that is read or written, in bytes. */
  readonly lineBytes: number;
  /** Deepest nesting of objects and lists in one line. */
  readonly depth: number;
}

/** What a line of a session file may be at most. */
export const formatLimits: FormatLimits = { lineBytes: 32 * 1024 * 1024, depth: 200 };

/** When a context is too much, and what a compaction keeps of it. */
export interface CompactionLimits {
  /** False stops every automatic compaction; asking for one still works. */
  readonly enabled: boolean;
  /** Of those that apply to the model and the agent at hand, the lowest wins. */
  readonly thresholds: readonly Threshold[];
  /** A reserve never takes more than this share of the window, so that small windows have room to work in. */
  readonly largestReserve: number;
  /** Of the limit: from this share on whoever listens is told that it will soon be too much. */
  readonly soft: number;
  /** What stays as it was said, at the end of the context. */
  readonly tail: TokenShare;
  /** What the user wrote before the tail, word for word. */
  readonly words: TokenShare;
  /** The narrative and the ledger together. */
  readonly checkpoint: TokenShare;
  /** What is told of a branch that was left, its ledger included. */
  readonly branch: TokenShare;
  /** What stays free of the window when a left branch is summarised; of a longer branch the newest part is. */
  readonly branchReserve: TokensOrShare;
  /** What is left of one result or paste that is too big for the tail. */
  readonly reduced: TokenShare;
  /** What one request may weigh on the wire, and the share of it that is used. */
  readonly wire: { readonly bytes: number; readonly share: number };
  /** A compaction that frees less than this share of the context counts as none. */
  readonly progress: number;
  /** Compactions in a row that free too little before the breaker opens. */
  readonly rounds: number;
  /** After an undo nothing happens by itself until the context has grown by this share of the window. */
  readonly quietAfterUndo: number;
  /** What compactions may cost within an hour. */
  readonly hourly: { readonly cost: number; readonly calls: number };
  /** How long models may take for one summary. */
  readonly summaryTime: SummaryTimeouts;
}

/** How long models may take for one summary, in milliseconds; `Infinity` sets no limit. */
export interface SummaryTimeouts {
  /** Until the first token: a local model may read a long prompt for minutes. */
  readonly firstToken: number;
  /** From one token to the next. */
  readonly nextToken: number;
  /** For one attempt, from the request to the last token. */
  readonly attempt: number;
  /** For all of it: every request, every retry and every summariser. When it is over, code writes the summary. */
  readonly total: number;
}

/** More tokens than this are too much: a number, a percentage of the window, or all but a reserve. */
export interface Threshold {
  readonly tokens?: number;
  readonly percent?: number;
  readonly reserve?: TokensOrShare;
  /** Only for this model, as `provider/model`. */
  readonly model?: string;
  /** Only for this agent. */
  readonly agent?: string;
}

/** So many tokens, but no more than a share of the window. */
export interface TokenShare {
  readonly tokens: TokensOrShare;
  readonly share: number;
}

/** The usual limits; a longer wait for the first token leaves five minutes for the rest of the attempt, and time for a retry. */
export function createSummaryTimeouts(firstToken: number = 10 * MINUTE_MS): SummaryTimeouts {
  const attempt = Math.max(15 * MINUTE_MS, firstToken + 5 * MINUTE_MS);
  return { firstToken, nextToken: 1.5 * MINUTE_MS, attempt, total: 2 * attempt };
}

const MINUTE_MS = 60_000;

/** A number of tokens; above 0 and below 1 a share of the window, so that 0.1 is a tenth of it and 1 is one token. */
export type TokensOrShare = number;

/** DUE8: the tokens that such a number means in a window. */
export function resolveTokens(value: TokensOrShare, contextWindow: number): number {
  // A tenth of 8,190 is 819, and not more because 0.1 has no end in binary.
  return value > 0 && value < 1 ? Number((contextWindow * value).toPrecision(12)) : value;
}

/** What holds where nothing else is set. */
export const compactionLimits: CompactionLimits = {
  enabled: true,
  thresholds: [{ reserve: 16_384 }],
  largestReserve: 0.25,
  soft: 0.8,
  tail: { tokens: 20_000, share: 0.2 },
  words: { tokens: 20_000, share: 0.1 },
  checkpoint: { tokens: 8_000, share: 0.08 },
  branch: { tokens: 4_000, share: 0.05 },
  branchReserve: 16_384,
  reduced: { tokens: 4_000, share: 0.05 },
  wire: { bytes: 32 * 1024 * 1024, share: 0.8 },
  progress: 0.1,
  rounds: 2,
  quietAfterUndo: 0.1,
  hourly: { cost: 5, calls: 30 },
  summaryTime: createSummaryTimeouts(),
};

/** How long we wait for others, in milliseconds. */
export interface Timeouts {
  /** For the answer of a hook. */
  readonly hook: number;
  /** For a provider that says when to come again; one that asks for more is not waited for. */
  readonly busy: number;
}

/** How long others are waited for, in milliseconds. */
export const timeouts: Timeouts = { hook: 30_000, busy: 10_000 };
