/** A plan as the documents call and shape it: what a hook is told before a compaction. A copy, so that nothing in it is ours. */

import type { Entry } from "../../entry.ts";
import { carriedNarrative } from "../../keeping/front.ts";
import type { AgentMessage, ToolCallBlock } from "../../message.ts";
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
  const previousSummary = carriedNarrative(carried);
  return {
    firstKeptEntryId: kept[0]?.id ?? "",
    messagesToSummarize: messages(shown.filter((entry) => !isTurn.has(entry))),
    turnPrefixMessages: messages(shown.filter((entry) => isTurn.has(entry))),
    isSplitTurn: turn.length > 0,
    tokensBefore: before.tokens,
    ...(previousSummary !== "" && { previousSummary }),
    fileOps: { read: paths("read"), ...modifiedIn(covered, paths("modified")) },
    settings: {
      enabled: budget.limits.enabled,
      reserveTokens: Number.isFinite(budget.limit) ? Math.max(0, budget.contextWindow - budget.limit) : 0,
      keepRecentTokens: budget.tail,
    },
  };
}

// pi tells those apart that were written whole: such a call has the path and all of the text.
function modifiedIn(covered: readonly Entry[], modified: ReadonlySet<string>) {
  const wholes = new Set(
    covered.flatMap(callsIn).flatMap(({ arguments: args }) => {
      const values = Object.entries(args ?? {});
      return values.some(([name, value]) => WHOLE.has(name) && typeof value === "string")
        ? values.map(([, value]) => value)
        : [];
    }),
  );
  const isWritten = (path: string): boolean => wholes.has(path);
  return {
    written: new Set([...modified].filter(isWritten)),
    edited: new Set([...modified].filter((path) => !isWritten(path))),
  };
}

const WHOLE: ReadonlySet<string> = new Set(["content", "contents", "file_text", "text"]);

function callsIn(entry: Entry): readonly ToolCallBlock[] {
  if (entry.type !== "message" || entry.message.role !== "assistant") return [];
  return entry.message.content.filter((block) => block.type === "toolCall");
}
