/** Overflow that no error tells of: the reply ended, but its stop reason or its usage says that the context was too much. */

import { isOverflowCode, joined } from "./codes.ts";

/** What a provider reported of a reply that did end. Usage that is not reported is left out, or zero. */
export interface EndedReply {
  /** The provider's own word, as it came: translations lose the one that matters. */
  readonly stopReason: string;
  /** Tokens read, those from the cache not included. */
  readonly input?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly output?: number;
  /** Tokens the model can see at once. */
  readonly window: number;
  /** Tokens of output that were asked for. */
  readonly maxOutput?: number;
  /** Our own estimate of the request in tokens. */
  readonly estimate?: number;
}

export interface ReplyOverflow {
  /**
   * `named`: the stop reason says so. `no-room`: the window was full before a word was said. `over-window`: more went
   * in than fits. `truncated`: much less was read than was sent. `squeezed`: cut off before the output limit.
   */
  readonly kind: "named" | "no-room" | "over-window" | "truncated" | "squeezed";
  /** True: the reply counts, compact before the next request. False: compact and ask again, once. */
  readonly keep: boolean;
  /** The most tokens it seems to take. */
  readonly limit?: number;
}

const FULL = 0.99;
const READ_AT_LEAST = 0.6;
/** Below this our estimate is too rough to suspect anybody. */
const SMALLEST_ESTIMATE = 2_000;

/**
 * Null: nothing to see.
 *
 * @example
 * overflowInReply({ stopReason: "stop", input: 130_000, output: 400, window: 128_000 });
 * // { kind: "over-window", keep: true }
 */
export function overflowInReply(reply: EndedReply): ReplyOverflow | null {
  const { window, output = 0, maxOutput = 0 } = reply;
  const reason = joined(reply.stopReason);
  const cutOff = outputLimits.has(reason);
  const read = (reply.input ?? 0) + (reply.cacheRead ?? 0) + (reply.cacheWrite ?? 0);

  if (reason === "modellength" || isOverflowCode(reason)) return { kind: "named", keep: reply.output !== 0 };
  if (!(read > 0)) return null;
  if (cutOff && output === 0 && window > 0 && read >= FULL * window) return { kind: "no-room", keep: false };
  if (window > 0 && read > window) return { kind: "over-window", keep: true };
  if (isTruncated(read, reply.estimate)) return { kind: "truncated", keep: !cutOff, limit: read };
  // Only the OpenAI-compatible word is used for both limits; the others mean the output limit and nothing else.
  if (reason === "length" && output > 0 && output < maxOutput) return { kind: "squeezed", keep: false };
  return null;
}

const outputLimits: ReadonlySet<string> = new Set(["length", "maxtokens", "maxoutputtokens"]);

function isTruncated(read: number, estimate = 0): boolean {
  return estimate >= SMALLEST_ESTIMATE && read < READ_AT_LEAST * estimate;
}
