/** An entry as somebody reads it: who said or did what. */

import { type Entry, receiptOf } from "@pith/context";
import { type Block, blocksOf, plainly } from "./blocks.ts";

export interface Item {
  readonly kind: "user" | "assistant" | "result" | "failure" | "summary" | "note";
  /** Who speaks, or what is done. */
  readonly heading: string;
  readonly time: string;
  readonly blocks: readonly Block[];
}

/** Null for what is state and not said: it is nothing to read. */
export function itemOf(entry: Entry): Item | null {
  const item = toldItem(entry);
  return item && { ...item, heading: plainly(item.heading), time: String(entry.timestamp) };
}

type Told = Omit<Item, "time">;

function toldItem(entry: Entry): Told | null {
  switch (entry.type) {
    case "message":
      return messageItem(entry);
    case "compaction":
      return { kind: "summary", heading: compactionHeading(entry), blocks: blocksOf(entry.summary) };
    case "branch_summary":
      return {
        kind: "summary",
        heading: "What happened on a branch that was left",
        blocks: blocksOf(entry.summary),
      };
    case "custom_message":
      return entry.display ? { kind: "note", heading: entry.customType, blocks: blocksOf(entry.content) } : null;
    case "model_change":
      return { kind: "note", heading: `Model: ${entry.provider}/${entry.modelId}`, blocks: [] };
    case "gap":
      return { kind: "note", heading: `Something was lost here: ${entry.why}`, blocks: [] };
    default:
      return null;
  }
}

function messageItem({ message }: Extract<Entry, { type: "message" }>): Told | null {
  switch (message.role) {
    case "user":
      return { kind: "user", heading: "User", blocks: blocksOf(message.content) };
    case "assistant":
      return {
        kind: "assistant",
        heading: `${message.provider}/${message.model}`,
        blocks: blocksOf(message.content),
      };
    case "toolResult":
      return {
        kind: message.isError ? "failure" : "result",
        heading: `${message.toolName}${message.isError ? " failed" : ""}`,
        blocks: blocksOf(message.content).map(asOutput),
      };
    case "bashExecution":
      return {
        kind: "result",
        heading: `! ${message.command}`,
        blocks: [{ type: "output", text: plainly(message.output) }],
      };
    default:
      return null;
  }
}

/** A picture that lies elsewhere is still to be brought here. */
function asOutput(block: Block): Block {
  if (block.type !== "text" || block.blob?.mimeType.startsWith("image/")) return block;
  return { type: "output", text: block.text };
}

function compactionHeading(entry: Extract<Entry, { type: "compaction" }>): string {
  const receipt = receiptOf(entry);
  if (!receipt) return `Compaction of ${entry.tokensBefore} tokens`;
  const { before, after } = receipt.tokens;
  return `Compaction: ${before} → ${after} tokens, told by ${receipt.by ?? "code"}`;
}
