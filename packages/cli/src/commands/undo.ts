/** Implements `/undo` and `/redo`, which undo and restore a compaction or a removal of outdated tool results. */

import type { Agent } from "@pith/agent";
import { type Receipt, readReceipt, refusalNotes } from "@pith/context";
import { formatNumber } from "@pith/host/text/format";
import { describeBusyRefusal, formatReceipt } from "../text/compaction-text.ts";
import { type Command, type CommandResult, failure, LEAF_MOVED_MESSAGE, success } from "./command.ts";

export const undoCommand: Command = {
  name: "undo",
  description:
    "undo the newest compaction or removal of outdated tool results; later messages stay on a separate branch",
  run: (_, { agent }) => undoOrRedoCompaction("undo", agent),
};

export const redoCommand: Command = {
  name: "redo",
  description: "reverse the last /undo",
  run: (_, { agent }) => undoOrRedoCompaction("redo", agent),
};

export async function undoOrRedoCompaction(action: "undo" | "redo", agent: Agent): Promise<CommandResult> {
  const outcome = await agent.undoCompaction(action);
  switch (outcome.type) {
    case "refused":
      return failure(describeBusyRefusal(outcome.why));
    case "nothing-to-do":
      return success(nothingToUndoMessages[outcome.why], outcome);
    case "failed":
      return failure(outcome.appended.type === "refused" ? refusalNotes[outcome.appended.why] : LEAF_MOVED_MESSAGE);
    case "undone":
      return success(
        `${undoneTexts[outcome.change].done} The context is back to about ${formatNumber(agent.contextUsage().tokens)} tokens. /redo ${undoneTexts[outcome.change].redo}. ${AUTO_COMPACTION_PAUSED}`,
        outcome,
      );
    case "redone":
      return success(
        outcome.change === "removal"
          ? `The outdated tool results have been removed again. The context now has about ${formatNumber(agent.contextUsage().tokens)} tokens. /undo brings them back.`
          : `Compaction restored${formatReceiptAndSize(readNewestReceipt(agent), agent)} /undo undoes it.`,
        outcome,
      );
  }
}

const undoneTexts = {
  compaction: { done: "Compaction undone.", redo: "restores the compaction" },
  removal: { done: "The removed tool results are back in the context.", redo: "removes them again" },
} as const;

const AUTO_COMPACTION_PAUSED =
  "Automatic compaction is paused until the context grows by another 10% of the window or the provider refuses a request.";

const nothingToUndoMessages = {
  "no-compaction": "There is no compaction to undo on this branch.",
  "no-undo": "There is no undone compaction to restore.",
} as const;

function readNewestReceipt({ session: { branch } }: Agent): Receipt | null {
  const compaction = branch.entries[branch.compactionIndex];
  return compaction?.type === "compaction" ? readReceipt(compaction) : null;
}

function formatReceiptAndSize(receipt: Receipt | null, agent: Agent): string {
  const { tokens } = agent.contextUsage();
  // The findings about its summary were reported when it was created.
  const receiptText = receipt ? `: ${formatReceipt({ ...receipt, findings: [] })}` : "";
  return `${receiptText}. The context now has about ${formatNumber(tokens)} tokens.`;
}
