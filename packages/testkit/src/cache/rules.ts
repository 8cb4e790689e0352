/** How a provider keeps prompts: when asked to, or by itself; how much at least, and for how long. */

export interface CacheRules {
  /** `marks`: only where the request asks, found again by looking back a few blocks. `prefixes`: by itself, the longest it knows. */
  readonly keeps: "marks" | "prefixes";
  /** Tokens a prefix must have at least. */
  readonly least: number;
  /** Prefixes are kept in steps of so many tokens. */
  readonly step: number;
  /** Seconds without a read after which a prefix is forgotten, where the request does not say. */
  readonly seconds: number;
}

/** By itself, from 1,024 tokens on, in steps of 128. */
export const longestPrefixes: CacheRules = { keeps: "prefixes", least: 1024, step: 128, seconds: 600 };
