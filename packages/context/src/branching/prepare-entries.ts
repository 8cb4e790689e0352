/** As much of a left branch as a summariser has room for: the newest of it, and what older summaries tell of the rest. */

import type { ContextEditEntry, Entry } from "../entry.ts";
import { latestEdit } from "../reading/latest-edit.ts";
import { entrySize } from "../reading/tokens/entry-size.ts";
import type { LeftBranch } from "./collect-entries.ts";

export interface PreparedBranch {
  /** In the order they had. */
  readonly entries: readonly Entry[];
  /** The ids of what the model saw and there is no room for, oldest first. */
  readonly left: readonly string[];
}

/** The newest of a left branch that fit, and the summaries among the rest (BR2); `tokens: Infinity` takes all. */
export function prepareBranchEntries(
  { entries, edits }: Pick<LeftBranch, "entries" | "edits">,
  { tokens }: { readonly tokens: number },
): PreparedBranch {
  const sized = entries.map((entry) => ({ entry, tokens: seenTokens(entry, edits) }));
  const { from, used } = newest(sized, tokens);
  const squeezed = summariesIn(sized.slice(0, from), { tokens, used });
  const isTaken = (each: Sized, at: number): boolean => at >= from || squeezed.has(each);
  return {
    entries: sized.filter(isTaken).map(({ entry }) => entry),
    left: sized.filter((each, at) => isSeen(each) && !isTaken(each, at)).map(({ entry }) => entry.id),
  };
}

interface Sized {
  readonly entry: Entry;
  /** 0 for what the model did not see. */
  readonly tokens: number;
}

// Nobody summarises the system's words, however many they are.
function seenTokens(entry: Entry, edits: readonly ContextEditEntry[]): number {
  const { tokens, system } = entrySize(entry, latestEdit(edits, entry));
  return tokens - system;
}

/** Where the newest that fit begin. A call and its results are one; what stands between them goes with them. */
function newest(sized: readonly Sized[], room: number): { readonly from: number; readonly used: number } {
  let found = { from: sized.length, used: 0 };
  let used = 0;
  // Whether results were met whose call lies further back.
  let isOpen = false;
  for (const [at, each] of [...sized.entries()].reverse()) {
    used += each.tokens;
    if (used > room) break;
    if (isSeen(each)) isOpen = isResult(each) || (isOpen && !isReply(each));
    if (!isOpen || at === 0) found = { from: at, used };
  }
  return found;
}

// A summary says much in few words, so it may take what little room a long message did not fit into.
function summariesIn(
  before: readonly Sized[],
  { tokens, used }: { readonly tokens: number; readonly used: number },
): ReadonlySet<Sized> {
  const squeezed = new Set<Sized>();
  let all = used;
  for (const each of before.toReversed()) {
    if (!isSummary(each) || all >= tokens * NEARLY_ALL || all + each.tokens > tokens) continue;
    squeezed.add(each);
    all += each.tokens;
  }
  return squeezed;
}

const NEARLY_ALL = 0.9;

const isSeen = ({ tokens }: Sized): boolean => tokens > 0;

function isResult({ entry }: Sized): boolean {
  return entry.type === "message" && entry.message.role === "toolResult";
}

function isReply({ entry }: Sized): boolean {
  return entry.type === "message" && entry.message.role === "assistant";
}

function isSummary({ entry }: Sized): boolean {
  return entry.type === "compaction" || entry.type === "branch_summary";
}
