/** Models a provider's prompt cache: counts the tokens that each request reads from it and writes to it. */

import { createHash } from "node:crypto";
import type { CacheRules, Prompt } from "./protocols/protocol.ts";
import { bytesToTokens } from "./tokens.ts";

/** The cache of one server: prefixes by hash, each with its expiry time. */
export class PromptCache {
  readonly #now: () => number;
  readonly #prefixes = new Map<string, { readonly until: number; readonly seconds: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts the tokens that a request reads and writes. Requests with different model keys share no prefixes. */
  countUsage(
    prompt: Prompt,
    { modelKey, rules }: { readonly modelKey: string; readonly rules: CacheRules },
  ): CacheUsage {
    if (rules.cachedBy === "marks") return this.#countByMarks(listBlockPoints(prompt, modelKey), rules.minTokens);
    return this.#countByPrefixes(listStepPoints(prompt, { modelKey, step: rules.stepTokens }), rules);
  }

  #countByMarks(points: readonly CachePoint[], minTokens: number): CacheUsage {
    const markedIndexes = points.flatMap((point, index) =>
      point.ttlSeconds === null || point.tokens < minTokens ? [] : [index],
    );
    const cachedPoints = markedIndexes.flatMap((index) => this.#findLongest(pointsInReach(points, index)) ?? []);
    const readTokens = Math.max(0, ...cachedPoints.map(({ tokens }) => tokens));
    for (const { hash } of cachedPoints) this.#store(hash, 0);
    const markedPoints = markedIndexes.map((index) => points[index]).filter((point) => point !== undefined);
    for (const { hash, ttlSeconds } of markedPoints) this.#store(hash, ttlSeconds ?? 0);
    return { read: readTokens, written: Math.max(0, (markedPoints.at(-1)?.tokens ?? 0) - readTokens) };
  }

  #countByPrefixes(points: readonly CachePoint[], { minTokens, ttlSeconds }: CacheRules): CacheUsage {
    const readTokens = this.#findLongest(points)?.tokens ?? 0;
    for (const { hash } of points) this.#store(hash, ttlSeconds);
    return { read: readTokens >= minTokens ? readTokens : 0, written: 0 };
  }

  #findLongest(points: readonly CachePoint[]): CachePoint | undefined {
    return points.findLast(({ hash }) => (this.#prefixes.get(hash)?.until ?? 0) > this.#now());
  }

  /** A prefix that has not expired keeps its longer time to live. */
  #store(hash: string, seconds: number): void {
    const existing = this.#prefixes.get(hash);
    const ttlSeconds = existing && existing.until > this.#now() ? Math.max(seconds, existing.seconds) : seconds;
    this.#prefixes.set(hash, { until: this.#now() + ttlSeconds * 1000, seconds: ttlSeconds });
  }
}

export interface CacheUsage {
  readonly read: number;
  readonly written: number;
}

/** A position where a cached prefix can end: after a block, or after a fixed number of tokens. */
export interface CachePoint {
  /** The hash of the prompt up to this position. */
  readonly hash: string;
  readonly tokens: number;
  readonly ttlSeconds: number | null;
  /** The block number for the look-back limit. Blocks with the same run key share one number. */
  readonly position: number;
}

/** The settings are hashed with the first message, so that they do not change the prefixes of tools and system. */
function listBlockPoints({ blocks, settings }: Prompt, modelKey: string): readonly CachePoint[] {
  let hash = modelKey;
  let bytes = 0;
  let position = 0;
  return blocks.map(({ level, text, ttlSeconds, runKey }, index) => {
    if (runKey === undefined || blocks[index - 1]?.runKey !== runKey) position += 1;
    const isFirstMessage = level === "messages" && blocks[index - 1]?.level !== "messages";
    hash = hashPrefix(hash, isFirstMessage ? settings : "", text);
    bytes += Buffer.byteLength(text);
    return { hash, tokens: bytesToTokens(bytes), ttlSeconds, position };
  });
}

function hashPrefix(previousHash: string, settings: string, text: string | Uint8Array): string {
  return createHash("sha256").update(`${previousHash}\n${settings}\n`).update(text).digest("base64");
}

function listStepPoints(
  prompt: Prompt,
  { modelKey, step }: { readonly modelKey: string; readonly step: number },
): readonly CachePoint[] {
  // Joined without separators: the steps must not count more bytes than the prompt has.
  const bytes = Buffer.from(prompt.blocks.map(({ text }) => text).join(""));
  let hash = hashPrefix(modelKey, prompt.settings, "");
  return Array.from({ length: Math.floor(bytes.length / (step * 4)) }, (_, index) => {
    hash = hashPrefix(hash, "", bytes.subarray(index * step * 4, (index + 1) * step * 4));
    return { hash, tokens: (index + 1) * step, ttlSeconds: null, position: index };
  });
}

function pointsInReach(points: readonly CachePoint[], markIndex: number): readonly CachePoint[] {
  const first = (points[markIndex]?.position ?? 0) - LOOK_BACK_BLOCKS + 1;
  return points.slice(0, markIndex + 1).filter(({ position }) => position >= first);
}

/** The number of blocks that a provider searches backwards from a mark, including the marked block. */
const LOOK_BACK_BLOCKS = 20;
