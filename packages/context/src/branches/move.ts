/** Moves to another place in the tree, with a summary of the branch that is left: done whole or not at all. */

import type { Budget } from "../compaction/budget.ts";
import { isShown } from "../compaction/cut-point.ts";
import { editableText } from "../context/attachments.ts";
import { entryMessage } from "../context/build-context.ts";
import { entryWords } from "../context/entry-text.ts";
import { type BranchSummaryEntry, type Entry, MOVE } from "../entry.ts";
import { reportTo } from "../hooks.ts";
import type { Ports } from "../runtime.ts";
import type { Drafted, Occupation, Session } from "../session/session.ts";
import type { Refusal } from "../session/store.ts";
import type { TellProgress } from "../summary/ask-model.ts";
import type { SummaryFailure } from "../summary/generate-summary.ts";
import { type LeftTold, tellLeft, type WantedSummary } from "./left-branch.ts";
import { collectEntriesForBranchSummary, type LeftBranch } from "./summarize-branch.ts";
import { afterTree, type BeforeTree, beforeTree, type TreeHooks, type TreePreparation } from "./tree-hooks.ts";

export interface MoveParts {
  readonly session: Session;
  /** The entry that was chosen; null goes before the first. */
  readonly target: string | null;
  readonly budget: Budget;
  readonly ports: Pick<Ports, "sleep" | "nonce" | "now" | "entryId">;
  /** Without it nothing is told of what is left, unless a hook asks for it. */
  readonly summary?: WantedSummary;
  /** How it is told where a hook asks for it and the user did not. */
  readonly summaryForHooks?: WantedSummary;
  readonly label?: string;
  readonly hooks?: TreeHooks;
  /** Told what is being done, for whoever waits. */
  readonly progress?: TellProgress;
  readonly signal?: AbortSignal;
}

export type Moved =
  | {
      readonly type: "moved";
      readonly leaf: string | null;
      /** Of a user message that was chosen: it is to be written anew. */
      readonly editorText?: string;
      readonly summary?: BranchSummaryEntry;
    }
  | { readonly type: "nothing-to-do"; readonly why: "here" }
  /** Something else is under way at the leaf (B80). */
  | { readonly type: "refused"; readonly why: Occupation }
  | { readonly type: "cancelled" }
  | { readonly type: "failed"; readonly why: "summary"; readonly failures: readonly SummaryFailure[] }
  | { readonly type: "failed"; readonly why: "leaf-moved" | Refusal };

/**
 * Goes to another place, with what was left told. Where nothing comes of the summary the move is not made either (B71):
 * nobody loses a branch by a model that fails.
 */
export async function moveTo(parts: MoveParts): Promise<Moved> {
  const { session } = parts;
  const [occupation] = session.occupied;
  if (occupation) return { type: "refused", why: occupation };
  const release = session.occupy("moving");
  return moved(parts).finally(release);
}

async function moved(parts: MoveParts): Promise<Moved> {
  const { session, target, ports, hooks = {}, label, signal } = parts;
  const place = await placeOf(session, target);
  if (place.isHere) return { type: "nothing-to-do", why: "here" };
  const { leaf } = session;
  const left = await collectEntriesForBranchSummary(session.store, leaf, place.leaf);
  const said = await beforeTree(preparationOf(parts, place, left), { hooks, ports, signal });
  if (!said || signal?.aborted) return { type: "cancelled" };
  const wanted = wantedSummary(parts, said);
  const told = wanted && isSeen(left) ? await tellLeft(left, { ...parts, summary: wanted, said }) : NOTHING;
  if (told.type !== "told" || signal?.aborted) {
    if (told.usages.length > 0) await session.append(...told.usages);
    return told.type === "failed" ? { type: "failed", why: "summary", failures: told.failures } : { type: "cancelled" };
  }
  const drafts = draftsOf(told, { ...place, target, label: said.label ?? label, ports });
  const outcome = await session.move(place.leaf, { expectedLeaf: leaf, drafts });
  if (outcome.type !== "appended") {
    if (told.usages.length > 0) await session.append(...told.usages);
    return { type: "failed", why: outcome.type === "refused" ? outcome.why : outcome.type };
  }
  return arrived(parts, place, told.summary ? drafts[0]?.id : undefined);
}

// HOOK8: hooks have the last word on whether a branch is summarised.
function wantedSummary({ summary, summaryForHooks, hooks = {} }: MoveParts, { summarize }: BeforeTree) {
  if (summarize === undefined) return summary;
  if (summarize && !summary && !summaryForHooks)
    reportTo(hooks, { event: "session_before_tree", why: "it asks for a summary, and there is no model to write one" });
  return summarize ? (summary ?? summaryForHooks) : undefined;
}

function preparationOf({ target, summary, label }: MoveParts, { from }: Place, left: LeftBranch): TreePreparation {
  return {
    targetId: target,
    oldLeafId: from,
    commonAncestorId: left.commonAncestorId,
    entriesToSummarize: left.entries.filter((entry) => !isMove(entry)),
    userWantsSummary: summary !== undefined,
    ...(summary?.instructions !== undefined && { customInstructions: summary.instructions }),
    ...(summary?.replaceInstructions !== undefined && { replaceInstructions: summary.replaceInstructions }),
    ...(label !== undefined && { label }),
  };
}

async function arrived(parts: MoveParts, { from, text }: Place, summaryId: string | undefined): Promise<Moved> {
  const { session, budget, ports, hooks = {} } = parts;
  const entry = summaryId === undefined ? undefined : await session.store.entry(summaryId);
  const summary = entry?.type === "branch_summary" ? entry : undefined;
  await afterTree(
    {
      newLeafId: session.leaf,
      oldLeafId: from,
      ...(summary && { summaryEntry: summary, fromExtension: summary.fromHook === true }),
    },
    { hooks, ports, session, tokens: budget.checkpoint },
  );
  const { leaf } = session;
  return { type: "moved", leaf, ...(text !== undefined && { editorText: text }), ...(summary && { summary }) };
}

interface Place {
  /** Where one stood; a move that brought one there does not count. */
  readonly from: string | null;
  readonly leaf: string | null;
  /** What goes back to whoever writes. */
  readonly text?: string;
  readonly isHere: boolean;
}

// B63: what a person or a program said is said anew, so one stands before it; anywhere else one goes on from there.
async function placeOf(session: Session, target: string | null): Promise<Place> {
  const entry = target === null ? undefined : await session.store.entry(target);
  if (target !== null && !entry) throw new Error(`cannot move to ${target}: it is not in this session`);
  const from = session.window.entries.findLast((each) => !isMove(each))?.id ?? null;
  if (!entry || !isSaidAnew(entry)) return { from, leaf: target, isHere: target === from };
  const message = entryMessage(entry, undefined);
  const text = message?.role === "user" ? editableText(message.content) : entryWords(entry);
  return { from, leaf: entry.parentId, text, isHere: false };
}

function isMove(entry: Entry): boolean {
  return entry.type === "custom" && entry.customType === MOVE;
}

function isSaidAnew(entry: Entry): boolean {
  return entry.type === "custom_message" || (entry.type === "message" && entry.message.role === "user");
}

// INV37: of a stretch without words there is nothing to tell.
function isSeen({ entries, edits }: LeftBranch): boolean {
  return entries.some((entry) => isShown(entry, edits));
}

const NOTHING: LeftTold = { type: "told", summary: null, usages: [] };

interface Drafting extends Place {
  readonly target: string | null;
  readonly label: string | undefined;
  readonly ports: Pick<Ports, "entryId">;
}

// MOVE3: a branch summary is a child of the place moved to. A label names it, or else the place.
function draftsOf(
  { summary }: Extract<LeftTold, { type: "told" }>,
  { target, from, label, ports }: Drafting,
): Drafted[] {
  const id = ports.entryId();
  const told = summary ? [{ type: "branch_summary" as const, id, fromId: from ?? "root", ...summary }] : [];
  const targetId = summary ? id : target;
  const move =
    summary || (label !== undefined && targetId !== null) ? [] : [{ type: "custom" as const, customType: MOVE }];
  const named = label !== undefined && targetId !== null ? [{ type: "label" as const, targetId, label }] : [];
  return [...told, ...move, ...named];
}
