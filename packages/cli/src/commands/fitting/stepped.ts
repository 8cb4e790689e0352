/** A compaction is undone, or that taken back: what came of it, with the receipt's words. */

import type { Agent } from "@pith/agent";
import { type Receipt, receiptOf, refusalNotes } from "@pith/context";
import { amount } from "../../printing/amounts.ts";
import { failed, LEAF_MOVED, told } from "../answers.ts";
import type { Answer } from "../command.ts";
import { refusedBecause } from "../walking/move-told.ts";
import { receiptTold } from "./compaction-told.ts";

export async function stepped(step: "undo" | "redo", agent: Agent): Promise<Answer> {
  const before = receiptAt(agent);
  const outcome = await agent.undoCompaction(step);
  switch (outcome.type) {
    case "refused":
      return failed(refusedBecause(outcome.why));
    case "nothing-to-do":
      return told(nothings[outcome.why], outcome);
    case "failed":
      return failed(outcome.appended.type === "refused" ? refusalNotes[outcome.appended.why] : LEAF_MOVED);
    case "undone":
      return told(`undone: ${sentence(before, agent)}; /redo brings it back. ${QUIET}`, outcome);
    case "redone":
      return told(`back again: ${sentence(receiptAt(agent), agent)}; /undo takes it back`, outcome);
  }
}

const QUIET =
  "Nothing is compacted by itself until the context has grown by a tenth of the window, or the provider refuses it";

const nothings = {
  "no-compaction": "there is no compaction on this branch to undo",
  "no-undo": "no compaction was undone here, or another has come since",
} as const;

function receiptAt({ session: { window } }: Agent): Receipt | null {
  const compaction = window.entries[window.compactionAt];
  return compaction?.type === "compaction" ? receiptOf(compaction) : null;
}

function sentence(receipt: Receipt | null, agent: Agent): string {
  const { tokens } = agent.contextUsage();
  const now = `the context has about ${amount(tokens)} tokens now`;
  // What was found in its summary was told when it was made.
  return receipt
    ? `the compaction of ${receiptTold({ ...receipt, findings: [] })}; ${now}`
    : `the newest compaction; ${now}`;
}
