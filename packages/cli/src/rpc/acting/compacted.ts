/** A compaction that another program asked for, or took back, and what came of it. */

import { refusalNotes } from "@pith/context";
import { LEAF_MOVED } from "../../commands/answers.ts";
import { compactionTold } from "../../commands/fitting/compaction-told.ts";
import { refusedBecause } from "../../commands/walking/move-told.ts";
import type { RpcGives } from "../line/rpc-commands.ts";
import { done, failed, type Outcome } from "../rows/row.ts";
import type { Seat } from "../serving/seat.ts";

export async function compacted(
  instructions: string | undefined,
  { ready }: Seat,
): Promise<Outcome<RpcGives<"compact">>> {
  const { agent } = ready.built;
  const outcome = await agent.compact(instructions);
  if (outcome.type !== "compacted") {
    const answer = compactionTold(outcome);
    return failed(answer.type === "told" ? answer.text : answer.type === "failed" ? answer.message : "");
  }
  const { summary, firstKeptEntryId, tokensBefore, details, estimatedTokensAfter } = outcome;
  const entry = await agent.session.store.entry(outcome.id);
  const usage = entry?.type === "compaction" ? entry.usage : undefined;
  return done({
    ...{ summary, firstKeptEntryId, tokensBefore, details, estimatedTokensAfter },
    ...(usage && { usage }),
  });
}

export async function stepped(step: "undo" | "redo", { ready }: Seat): Promise<Outcome<RpcGives<"undo_compaction">>> {
  const outcome = await ready.built.agent.undoCompaction(step);
  switch (outcome.type) {
    case "refused":
      return failed(refusedBecause(outcome.why));
    case "nothing-to-do":
      return failed(nothings[outcome.why]);
    case "failed":
      return failed(outcome.appended.type === "refused" ? refusalNotes[outcome.appended.why] : LEAF_MOVED);
    case "undone":
    case "redone":
      return done({ leafId: outcome.leaf });
  }
}

const nothings = {
  "no-compaction": "there is no compaction on this branch to undo",
  "no-undo": "no compaction was undone here, or another has come since",
} as const;
