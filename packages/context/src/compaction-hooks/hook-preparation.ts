/** Converts a plan to the shape that pi documents for hooks. The result is a copy, so that a hook cannot change the plan. */

import { isVisibleToModel } from "../compaction/cut-point.ts";
import type { CompactionPlan } from "../compaction/plan.ts";
import type { CompactionSettings } from "../compaction/should-compact.ts";
import { entryMessage, latestEdit } from "../context/build-context.ts";
import type { Entry } from "../entry.ts";
import { applyTouches } from "../ledger/apply-touches.ts";
import { fileTouches } from "../ledger/touched-files.ts";
import type { AgentMessage, ToolCallBlock } from "../message.ts";
import type { ToolRoles } from "../settings.ts";
import { previousNarrative } from "../summary/parse-summary.ts";

/** A copy of a compaction plan in the shape that pi documents. */
export interface CompactionPreparation {
  /** The id of the first kept entry; empty if nothing is kept. */
  readonly firstKeptEntryId: string;
  /** The covered messages, without those of the split turn. */
  readonly messagesToSummarize: AgentMessage[];
  /** The covered beginning of the split turn. */
  readonly turnPrefixMessages: AgentMessage[];
  readonly isSplitTurn: boolean;
  readonly tokensBefore: number;
  /** The narrative and notes of the previous compaction, without the other parts of its summary message. */
  readonly previousSummary?: string;
  readonly fileOps: FileOperations;
  readonly settings: CompactionSettings;
}

/** File paths, grouped by operation. */
export interface FileOperations {
  readonly read: Set<string>;
  readonly written: Set<string>;
  readonly edited: Set<string>;
}

export function toCompactionPreparation(plan: CompactionPlan): CompactionPreparation {
  const { covered, turnPrefix, kept, edits, previous, budget, sizeBefore } = plan;
  const inTurnPrefix = new Set(turnPrefix);
  const visibleEntries = covered.filter((entry) => isVisibleToModel(entry, edits));
  const toMessages = (entries: readonly (typeof visibleEntries)[number][]): AgentMessage[] =>
    entries.flatMap((entry) => structuredClone(entryMessage(entry, latestEdit(edits, entry))) ?? []);
  const previousSummary = previousNarrative(previous);
  return {
    firstKeptEntryId: kept[0]?.id ?? "",
    messagesToSummarize: toMessages(visibleEntries.filter((entry) => !inTurnPrefix.has(entry))),
    turnPrefixMessages: toMessages(visibleEntries.filter((entry) => inTurnPrefix.has(entry))),
    isSplitTurn: turnPrefix.length > 0,
    tokensBefore: sizeBefore.tokens,
    ...(previousSummary !== "" && { previousSummary }),
    fileOps: collectFileOperations(covered, budget.tools),
    settings: {
      enabled: budget.limits.enabled,
      reserveTokens: Number.isFinite(budget.limit) ? Math.max(0, budget.contextWindow - budget.limit) : 0,
      keepRecentTokens: budget.tail,
    },
  };
}

// pi lists files that were written in full separately from edited ones. Such a call has the path and the full text as arguments.
export function collectFileOperations(entries: readonly Entry[], tools?: ToolRoles): FileOperations {
  const files = applyTouches(fileTouches(entries, tools));
  const paths = (did: "read" | "modified"): string[] =>
    files.filter((file) => file.did === did).map(({ path }) => path);
  const fullyWrittenPaths = new Set(
    entries.flatMap(entryToolCalls).flatMap(({ arguments: args }) => {
      const values = Object.entries(args ?? {});
      return values.some(([name, value]) => FULL_TEXT_ARGUMENTS.has(name) && typeof value === "string")
        ? values.map(([, value]) => value)
        : [];
    }),
  );
  const isWritten = (path: string): boolean => fullyWrittenPaths.has(path);
  return {
    read: new Set(paths("read")),
    written: new Set(paths("modified").filter(isWritten)),
    edited: new Set(paths("modified").filter((path) => !isWritten(path))),
  };
}

const FULL_TEXT_ARGUMENTS: ReadonlySet<string> = new Set(["content", "contents", "file_text", "text"]);

function entryToolCalls(entry: Entry): readonly ToolCallBlock[] {
  if (entry.type !== "message" || entry.message.role !== "assistant") return [];
  return entry.message.content.filter((block) => block.type === "toolCall");
}
