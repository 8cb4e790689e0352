/** Validates and limits the entries, details and usage that hooks add. It is loaded in every run, so it imports no compaction code. */

import type { Budget } from "../compaction/budget.ts";
import { contextSize } from "../context/context-size.ts";
import type { EntryContent } from "../entry.ts";
import { exceedsDepth } from "../format/edit-json-text.ts";
import { type HookHost, reportHookFailure } from "../hooks.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { Cost, Usage } from "../message.ts";
import type { Session } from "../session/session.ts";
import { formatLimits } from "../settings.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";

/** Returns the details as the log stores them, or null if they are not an object; throws if they are not JSON or too large. */
export function parseDetails(details: unknown): JsonObject | null {
  if (!isObject(details)) return null;
  const text = serializeDetails(details);
  if (text === null || text.length > MAX_DETAILS_CHARS || exceedsDepth(text, MAX_DETAILS_DEPTH))
    throw new Error(`its details are not JSON of at most ${MAX_DETAILS_CHARS} characters`);
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : null;
}

function serializeDetails(details: JsonObject): string | null {
  try {
    return JSON.stringify(details) ?? "null";
  } catch {
    // A cycle, a BigInt or a getter that throws cannot be stored in the log.
    return null;
  }
}

const MAX_DETAILS_CHARS = 256 * 1024;
/** Below the format's limit, because details are nested in an entry. */
const MAX_DETAILS_DEPTH = formatLimits.depth / 2;

/** Returns the usage, or null if a number is missing, negative or not finite. */
export function parseUsage(usage: unknown): Usage | null {
  const { input, output, cacheRead, cacheWrite, totalTokens, cost } = Object(usage) as Usage;
  const tokens = { input, output, cacheRead, cacheWrite, totalTokens };
  const parsedCost = parseCost(cost);
  return parsedCost && Object.values(tokens).every(isNonNegativeNumber) ? { ...tokens, cost: parsedCost } : null;
}

function parseCost(cost: unknown): Cost | null {
  const { input, output, cacheRead, cacheWrite, total } = Object(cost) as Cost;
  const amounts = { input, output, cacheRead, cacheWrite, total };
  return Object.values(amounts).every(isNonNegativeNumber) ? amounts : null;
}

function isNonNegativeNumber(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

export type HookEntry =
  | Extract<EntryContent, { type: "custom" }>
  | (Extract<EntryContent, { type: "custom_message" }> & { readonly content: string });

/** Returns the entries of a hook's result, or null if there are none; throws if they are invalid, too large or use a `pith.` type. */
export function parseHookEntries(
  result: unknown,
  { tokens }: { readonly tokens: number },
): readonly HookEntry[] | null {
  const { entries } = Object(result) as { readonly entries?: unknown };
  if (entries === undefined || entries === null) return null;
  if (!Array.isArray(entries)) throw new Error("its entries are not an array");
  const hookEntries = entries.map(parseHookEntry);
  const entryTokens = hookEntryTokens(hookEntries);
  if (entryTokens > tokens) throw new Error(`its entries have ${entryTokens} tokens; the limit is ${tokens}`);
  return hookEntries;
}

function parseHookEntry(value: unknown): HookEntry {
  const { type, customType, content, display, details, data } = Object(value) as Readonly<Record<string, unknown>>;
  if (typeof customType !== "string" || customType === "" || customType.startsWith("pith."))
    throw new Error('its entry needs a "customType" that does not start with "pith."');
  if (type === "custom") return { type, customType, ...(isObject(data) && { data: parseDetails(data) }) };
  if (type !== "custom_message" || typeof content !== "string")
    throw new Error('its entry is neither "custom" nor a "custom_message" with text');
  return {
    type,
    customType,
    content,
    display: display !== false,
    ...(isObject(details) && { details: parseDetails(details) }),
  };
}

/** Creates a parser that limits the total tokens of the entries that all hooks of one event add. */
export function createHookEntryParser(tokens: number): (result: unknown) => readonly HookEntry[] | null {
  let remainingTokens = tokens;
  return (result) => {
    const hookEntries = parseHookEntries(result, { tokens: remainingTokens });
    remainingTokens -= hookEntryTokens(hookEntries ?? []);
    return hookEntries;
  };
}

function hookEntryTokens(hookEntries: readonly HookEntry[]): number {
  return hookEntries.reduce((sum, entry) => sum + textTokens(JSON.stringify(entry)), 0);
}

export interface AppendHookEntriesOptions {
  readonly session: Session;
  /** The entry that must be on the branch. */
  readonly afterEntryId: string | null;
  readonly host: HookHost;
  readonly event: string;
}

/** Appends entries from hooks; if the session has moved to another branch, it appends nothing and reports the failure to the host. */
export async function appendHookEntries(
  hookEntries: readonly HookEntry[],
  { session, afterEntryId, host, event }: AppendHookEntriesOptions,
): Promise<void> {
  if (hookEntries.length === 0) return;
  const isOnBranch = afterEntryId === session.leaf || session.branch.entries.some(({ id }) => id === afterEntryId);
  if (isOnBranch) await session.append(...hookEntries);
  else reportHookFailure(host, { event, why: "the session has moved to another branch in the meantime" });
}

/** Returns the maximum number of tokens that hooks may add, so that the added entries do not cause the next compaction (GUARD1). */
export function hookTokenAllowance({ branch }: Session, budget: Budget): number {
  const freeTokens = budget.limit - contextSize(branch, budget).tokens;
  return Math.floor(Math.max(0, Math.min(budget.checkpoint, freeTokens / 4)));
}
