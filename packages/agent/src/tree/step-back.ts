/** The newest compaction is undone, or the last undo taken back; told, and with what waits. */

import { redoCompaction, type Session, type Undone, undoCompaction } from "@pith/context";
import type { AgentEvent } from "../events.ts";
import type { RunParts } from "../loop/run-parts.ts";
import { takeAlong } from "./take-along.ts";

export async function* stepBack(step: "undo" | "redo", { session }: RunParts): AsyncGenerator<AgentEvent, Undone> {
  const { queue } = session.window.state;
  const undoes = compactionAt(session);
  const undone = await (step === "undo" ? undoCompaction(session) : redoCompaction(session));
  if (undone.type !== "undone" && undone.type !== "redone") return undone;
  await takeAlong(queue, session);
  const { type, leaf: leafId } = undone;
  const compactionId = (type === "undone" ? undoes : compactionAt(session)) ?? "";
  yield { type: `compaction_${type}`, compactionId, leafId };
  return undone;
}

function compactionAt({ window: { entries, compactionAt: at } }: Session): string | undefined {
  return entries[at]?.id;
}
