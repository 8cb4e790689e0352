/** A plan as the documents call and shape it: what a hook is told before a compaction. A copy, so that nothing in it is ours. */

import type { AgentMessage } from "../../message.ts";
import { entryMessage } from "../../reading/entry-message.ts";
import { latestEdit } from "../../reading/latest-edit.ts";
import { fileTouches } from "../../reading/touched-files.ts";
import { isShown } from "../planning/cut.ts";
import type { Plan } from "../planning/plan.ts";

export interface CompactionPreparation {
  /** Where the kept part begins; empty where nothing is kept. */
  readonly firstKeptEntryId: string;
  /** What is covered, but for the turn that the cut parts. */
  readonly messagesToSummarize: AgentMessage[];
  /** The covered beginning of that turn. */
  readonly turnPrefixMessages: AgentMessage[];
  readonly isSplitTurn: boolean;
  readonly tokensBefore: number;
  /** The story of the compaction before, without what code keeps by itself. */
  readonly previousSummary?: string;
  readonly fileOps: { readonly read: Set<string>; readonly written: Set<string>; readonly edited: Set<string> };
  readonly settings: {
    readonly enabled: boolean;
    readonly reserveTokens: number;
    readonly keepRecentTokens: number;
  };
}

export function preparationOf(plan: Plan): CompactionPreparation {
  const { window, covered, turn, kept, carried, budget, before } = plan;
  const { edits } = window;
  const isTurn = new Set(turn);
  const shown = covered.filter((entry) => isShown(entry, edits));
  const messages = (entries: readonly (typeof shown)[number][]): AgentMessage[] =>
    entries.flatMap((entry) => structuredClone(entryMessage(entry, latestEdit(edits, entry))) ?? []);
  const files = fileTouches(covered, budget.tools);
  const paths = (did: "read" | "modified"): Set<string> =>
    new Set(files.filter((file) => file.did === did).map(({ path }) => path));
  const previousSummary = [carried.story, carried.notes].filter((text) => text !== "").join("\n\n");
  return {
    firstKeptEntryId: kept[0]?.id ?? "",
    messagesToSummarize: messages(shown.filter((entry) => !isTurn.has(entry))),
    turnPrefixMessages: messages(shown.filter((entry) => isTurn.has(entry))),
    isSplitTurn: turn.length > 0,
    tokensBefore: before.tokens,
    ...(previousSummary !== "" && { previousSummary }),
    fileOps: { read: paths("read"), written: new Set(), edited: paths("modified") },
    settings: {
      enabled: budget.limits.enabled,
      reserveTokens: Number.isFinite(budget.limit) ? Math.max(0, budget.contextWindow - budget.limit) : 0,
      keepRecentTokens: budget.tail,
    },
  };
}
