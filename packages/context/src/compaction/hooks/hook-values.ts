/** What hooks say of details and of costs, read with care. */

import { formatLimits } from "../../limits.ts";
import type { Cost, Usage } from "../../message.ts";
import { nestsDeeperThan } from "../../session/codec/line/json-text.ts";
import { isObject, type JsonObject } from "../../session/codec/line/read-line.ts";

/** As they will be in the log; null where there are none. */
export function jsonDetails(details: unknown): JsonObject | null {
  if (!isObject(details)) return null;
  const text = asText(details);
  if (text === null || text.length > DETAILS_LETTERS || nestsDeeperThan(text, DETAILS_DEPTH))
    throw new Error(`its details are no JSON of at most ${DETAILS_LETTERS} letters`);
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : null;
}

function asText(details: JsonObject): string | null {
  try {
    return JSON.stringify(details) ?? "null";
  } catch {
    // A ring, a BigInt, a getter that throws: none of them has a place in a log.
    return null;
  }
}

const DETAILS_LETTERS = 256 * 1024;
/** They stand in an entry, below its own fields. */
const DETAILS_DEPTH = formatLimits.depth / 2;

/** Null where a number is missing or none that anything can cost. */
export function usageIn(usage: unknown): Usage | null {
  const { input, output, cacheRead, cacheWrite, totalTokens, cost } = Object(usage) as Usage;
  const tokens = { input, output, cacheRead, cacheWrite, totalTokens };
  const spent = costIn(cost);
  return spent && Object.values(tokens).every(isAmount) ? { ...tokens, cost: spent } : null;
}

function costIn(cost: unknown): Cost | null {
  const { input, output, cacheRead, cacheWrite, total } = Object(cost) as Cost;
  const spent = { input, output, cacheRead, cacheWrite, total };
  return Object.values(spent).every(isAmount) ? spent : null;
}

function isAmount(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
