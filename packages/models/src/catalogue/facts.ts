/** What is known of a model before it is asked anything: its limits, what it reads, what it costs. */

import type { Prices } from "../convert/telling/cost-of.ts";

export type { Prices };

export interface ModelFacts {
  /** Tokens it can see at once, its answer included. */
  readonly contextWindow: number;
  /** Tokens of one answer at most. */
  readonly maxTokens: number;
  readonly prices?: Prices;
  readonly input: readonly InputKind[];
  readonly reasoning: boolean;
}

export type InputKind = "text" | "image";

/**
 * For a model nobody has heard of. Nineteen of twenty models in the snapshot see 128,000 tokens or more; too much is put
 * right by the first overflow, which is learnt from.
 */
export const UNKNOWN_FACTS: ModelFacts = {
  contextWindow: 128_000,
  maxTokens: 8_192,
  input: ["text"],
  reasoning: false,
};

/**
 * For a model on one's own machine whose server does not say what it serves. There too much is cut off in silence, so this
 * is the smallest window a session works in; a setting or the server's word makes it larger.
 */
export const UNKNOWN_LOCAL_FACTS: ModelFacts = { ...UNKNOWN_FACTS, contextWindow: 8_192, maxTokens: 2_048 };
