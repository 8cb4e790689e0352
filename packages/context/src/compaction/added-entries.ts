/** Validates and bounds the entries, details and usage that hooks add. Loaded in every run, so it imports no compaction code. */

import { contextSize } from "../context/context-size.ts";
import type { Draft } from "../entry.ts";
import { nestsDeeperThan } from "../format/edit-json.ts";
import { isObject, type JsonObject } from "../format/read-line.ts";
import { type HookHost, reportTo } from "../hooks.ts";
import type { Cost, Usage } from "../message.ts";
import type { Session } from "../session/session.ts";
import { formatLimits } from "../settings.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import type { Budget } from "./budget.ts";

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

export type Added =
  | Extract<Draft, { type: "custom" }>
  | (Extract<Draft, { type: "custom_message" }> & { readonly content: string });

/** Null where there is nothing; throws where it is nonsense or too much. What is Pith's own, nobody else writes. */
export function addedIn(result: unknown, { tokens }: { readonly tokens: number }): readonly Added[] | null {
  const { entries } = Object(result) as { readonly entries?: unknown };
  if (entries === undefined || entries === null) return null;
  if (!Array.isArray(entries)) throw new Error("its entries are no list");
  const added = entries.map(entryIn);
  const size = sizeOf(added);
  if (size > tokens) throw new Error(`its entries have ${size} tokens, ${tokens} are allowed`);
  return added;
}

function entryIn(value: unknown): Added {
  const { type, customType, content, display, details, data } = Object(value) as Readonly<Record<string, unknown>>;
  if (typeof customType !== "string" || customType === "" || customType.startsWith("pith."))
    throw new Error("its entry has no type of its own");
  if (type === "custom") return { type, customType, ...(isObject(data) && { data: jsonDetails(data) }) };
  if (type !== "custom_message" || typeof content !== "string")
    throw new Error("its entry is neither state nor a message");
  return {
    type,
    customType,
    content,
    display: display !== false,
    ...(isObject(details) && { details: jsonDetails(details) }),
  };
}

/** What all hooks of one act may add together: each has what the ones before it left. */
export function addingUpTo(tokens: number): (result: unknown) => readonly Added[] | null {
  let left = tokens;
  return (result) => {
    const added = addedIn(result, { tokens: left });
    left -= sizeOf(added ?? []);
    return added;
  };
}

function sizeOf(added: readonly Added[]): number {
  return added.reduce((sum, entry) => sum + textTokens(JSON.stringify(entry)), 0);
}

export interface Adding {
  readonly session: Session;
  /** The entry they are to stand behind. */
  readonly behind: string | null;
  readonly host: HookHost;
  readonly event: string;
}

/** Where the session has gone elsewhere meanwhile, nothing is written, and the host hears why. */
export async function appendAdded(added: readonly Added[], { session, behind, host, event }: Adding): Promise<void> {
  if (added.length === 0) return;
  const isHere = behind === session.leaf || session.window.entries.some(({ id }) => id === behind);
  if (isHere) await session.append(...added);
  else reportTo(host, { event, why: "the session has gone elsewhere meanwhile" });
}

/** Tokens that hooks may add: they leave room to work in, so that what they add is no reason for the next compaction (GUARD1). */
export function roomForHooks({ window }: Session, budget: Budget): number {
  const free = budget.limit - contextSize(window, budget).tokens;
  return Math.floor(Math.max(0, Math.min(budget.checkpoint, free / 4)));
}
