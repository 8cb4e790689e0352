/** Parses the arguments of `/compact`, plans what it would do, and compacts everything after an entry. */

import type { Agent, CompactRequest, NavigateResult } from "@pith/agent";
import {
  type CompactionPreview,
  collectEntriesForBranchSummary,
  type Entry,
  type OldBranch,
  previewCompaction,
  type Session,
} from "@pith/context";
import { entryReference, isEditableMessage } from "@pith/context/host";
import { formatCost, formatCount } from "@pith/host/text/format";
import { type UsageError, usageError } from "@pith/host/text/usage-error";
import { findEntry, shortId } from "../sessions/entries.ts";
import { isVisibleEntry } from "../sessions/tree-outline.ts";
import { type CommandResult, describeUnknownFlag, failure, success } from "./command.ts";
import { reportMove } from "./tree.ts";

/** The arguments of `/compact`. Flags come first; only `--preview` may be anywhere. */
export interface CompactArgs extends CompactRequest {
  readonly type: "read";
  readonly instructions: string;
  readonly isPreview: boolean;
  /** The entry after which everything is replaced with a summary. */
  readonly from: Entry | null;
  /** The first entry to keep. */
  readonly upTo: Entry | null;
}

export async function parseCompactArgs(args: string, session: Session): Promise<CompactArgs | UsageError> {
  const entries: Partial<Record<"from" | "up-to", Entry>> = {};
  let fromOriginals = false;
  let text = args.replace(PREVIEW_FLAG, " ").trim();
  for (let flag = FLAG.exec(text); flag; flag = FLAG.exec(text)) {
    const [, name = "", value = ""] = flag;
    text = value;
    if (name === "from-originals") fromOriginals = true;
    else if (name === "from" || name === "up-to") {
      const [, entryName = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(value) ?? [];
      if (entryName === "")
        return usageError(`--${name} needs an entry, e.g. /compact --${name} #12; /tree shows the numbers`);
      const found = await findEntry(entryName, session);
      if (found.type === "mistake") return found;
      entries[name] = found.entry;
      text = rest;
    } else return usageError(describeUnknownFlag(name, FLAG_NAMES));
  }
  const { from = null, "up-to": upTo = null } = entries;
  if (from && (upTo || fromOriginals)) return usageError(FROM_ALONE_MESSAGE);
  return {
    type: "read",
    instructions: text.trim(),
    isPreview: PREVIEW_FLAG.test(args),
    from,
    upTo,
    ...(upTo && { firstKeptEntryId: upTo.id }),
    ...(fromOriginals && { fromOriginals }),
  };
}

const FLAG = /^--([a-z-]+)(?:=|\s+|$)([\s\S]*)$/;

/** Matches the flag anywhere in the arguments, so that a request for a preview never compacts. */
const PREVIEW_FLAG = /(?:^|\s)--preview(?=\s|$)/;

const FLAG_NAMES = ["preview", "from", "up-to", "from-originals"];

const FROM_ALONE_MESSAGE =
  "--from cannot be combined with --up-to or --from-originals; run one command after the other";

/** Plans what `agent.compact` would do. It changes nothing and sends no request. */
export async function planCompaction(
  { session, budget }: Pick<Agent, "session" | "budget">,
  request: CompactRequest,
): Promise<CompactionPreview> {
  await session.loadState();
  return previewCompaction(session.branch, budget, await toPlanRequest(request, session));
}

/** Reads the original entries if the request needs them. */
export async function toPlanRequest(
  { firstKeptEntryId, fromOriginals }: CompactRequest,
  session: Session,
): Promise<NonNullable<Parameters<typeof previewCompaction>[2]>> {
  return {
    reason: "asked",
    ...(firstKeptEntryId !== undefined && { firstKeptEntryId }),
    ...(fromOriginals && { originals: await session.branchEntries() }),
  };
}

/** The entries that a compaction of everything after an entry replaces. */
export interface ReplacedEntries {
  readonly type: "found";
  readonly oldBranch: OldBranch;
  /** The entry that the summary follows; null for the start of the session. */
  readonly newLeaf: string | null;
  /** The number of replaced entries that users see. */
  readonly count: number;
  /** Where they begin: `after #12`, or `from #12 on`. */
  readonly place: string;
}

/** Finds the entries after this one. A user message is among them: its text is put back for editing, as in every move to it. */
export async function findReplacedEntries(entry: Entry, session: Session): Promise<ReplacedEntries | UsageError> {
  const { store, leaf } = session;
  const newLeaf = isEditableMessage(entry) ? entry.parentId : entry.id;
  const oldBranch = await collectEntriesForBranchSummary(store, leaf, newLeaf);
  const count = oldBranch.entries.filter(isVisibleEntry).length;
  const reference = entryReference(entry);
  const place = isEditableMessage(entry) ? `from ${reference} on` : `after ${reference}`;
  if (oldBranch.commonAncestorId !== newLeaf)
    return usageError(`${reference} is on another branch; /tree ${reference} goes there`);
  if (count === 0) return usageError(`there is nothing to summarize ${place}; choose an earlier entry`);
  return { type: "found", oldBranch, newLeaf, count, place };
}

/** Replaces everything after an entry with a summary: a move to the entry with a summary of the branch that is left. */
export async function compactFrom(
  { entry, instructions }: { readonly entry: Entry; readonly instructions: string },
  agent: Agent,
): Promise<CommandResult> {
  const replaced = await findReplacedEntries(entry, agent.session);
  if (replaced.type === "mistake") return replaced;
  const oldLeaf = agent.session.leaf;
  const result = await agent.navigateTree(entry.id, {
    summarize: true,
    ...(instructions !== "" && { customInstructions: instructions }),
  });
  return reportReplacement(replaced, { oldLeaf, result }, agent.session);
}

/** Reports a move as the compaction that the user asked for. */
export function reportReplacement(
  replaced: ReplacedEntries,
  { oldLeaf, result }: { readonly oldLeaf: string | null; readonly result: NavigateResult },
  session: Session,
): CommandResult {
  if (result.type === "cancelled") return success("Compaction cancelled; nothing was changed.", { moved: false });
  if (result.type === "failed" && result.why === "summary")
    return failure(
      `not compacted: no summary was written (${result.failures.map(({ note }) => note).join("; ")}); try again`,
    );
  if (result.type !== "moved" || !result.summary) return reportMove(result, session);
  const { editorText = "", leaf, summary } = result;
  const text = describeReplacement(replaced, oldLeaf, summary.usage?.cost.total ?? 0);
  if (editorText.trim() !== "") return { type: "draft", draft: editorText, text };
  return success(text, { moved: true, leaf, summary: summary.id });
}

/** What was replaced, what it cost, and the way back. */
function describeReplacement({ count, place }: ReplacedEntries, oldLeaf: string | null, cost: number): string {
  const costText = cost > 0 ? ` for ${formatCost(cost)}` : "";
  const wayBack = oldLeaf === null ? "" : ` To go back to them: /tree ${shortId(oldLeaf)}.`;
  return `Compacted${costText}: a summary replaces ${formatCount(count, "entry", "entries")} ${place}.${wayBack}`;
}
