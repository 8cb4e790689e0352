/** Compactions as an editor shows them: things of their own where it can, else a note when one has ended. Pure. */

import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { AgentEvent } from "@pith/agent";
import { type CompactionEntry, receiptOf } from "@pith/context";
import { amount } from "../../printing/amounts.ts";
import { noteOn } from "../../printing/note-on.ts";
import type { Abilities } from "./sight.ts";
import { noteUpdate, textBlock } from "./words.ts";

type Told = Extract<AgentEvent, { type: "compaction_start" | "compaction_end" }>;

export function compactionUpdates(event: Told, can: Abilities, compactionId: string): readonly SessionUpdate[] {
  if (!can.compactions) return notes(event, can);
  const sessionUpdate = "compaction_update";
  if (event.type === "compaction_start") return [{ sessionUpdate, compactionId, status: "in_progress" }];
  const { compaction, result, errorMessage } = event;
  if (compaction.type === "compacted" && result)
    return [{ sessionUpdate, compactionId, status: "completed", summary: [textBlock(result.summary)] }];
  const status = compaction.type === "failed" ? "failed" : "cancelled";
  return [{ sessionUpdate, compactionId, status, ...(errorMessage !== undefined && { error: errorMessage }) }];
}

function notes(event: Told, can: Abilities): readonly SessionUpdate[] {
  const text = noteOn(event, []);
  if (event.type === "compaction_start" || text === null) return [];
  const isDone = event.compaction.type === "compacted";
  const said = isDone ? `compacted: ${text.trim()}` : text;
  return [noteUpdate({ text: said, severity: isDone ? "info" : "warning" }, can)];
}

/** One that stands in the log. */
export function pastCompaction(entry: CompactionEntry, can: Abilities): SessionUpdate {
  const status = "completed";
  if (can.compactions)
    return {
      sessionUpdate: "compaction_update",
      ...{ compactionId: entry.id, status, summary: [textBlock(entry.summary)] },
    };
  const after = receiptOf(entry)?.tokens.after;
  const told = after === undefined ? "" : ` to ${amount(after)}`;
  const text = `· compacted here: from ${amount(entry.tokensBefore)}${told} tokens; all that was said before stays readable`;
  return { sessionUpdate: "agent_message_chunk", content: textBlock(`\n\n${text}\n\n`), messageId: entry.id };
}
