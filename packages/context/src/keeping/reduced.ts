/** One entry of the tail made small enough to stay: head and tail of its texts, and the handle that opens all of it. */

import type { ContextEditEntry, EditedContent, Entry } from "../entry.ts";
import type { AssistantMessage, ImageBlock, TextBlock, ToolCallBlock } from "../message.ts";
import { shortened } from "./shortened.ts";

/** A context edit before it has a place. */
export type Reduction = Pick<ContextEditEntry, "type" | "targetId" | "replacement">;

export interface Reducing {
  /** Of all its texts together. */
  readonly tokens: number;
  /** What stands for an image that cannot stay; null leaves it where it is. */
  readonly imageMark: ((image: ImageBlock) => string) | null;
}

/** Null for an entry that no edit can change. */
export function reduced(entry: Entry, reducing: Reducing): Reduction | null {
  const content = reducedContent(entry, { ...reducing, handle: `entry:${entry.id}` });
  return content === null ? null : { type: "context_edit", targetId: entry.id, replacement: { content } };
}

interface Handled extends Reducing {
  readonly handle: string;
}

function reducedContent(entry: Entry, how: Handled): EditedContent | null {
  if (entry.type === "custom_message") return reducedBlocks(entry.content, how);
  if (entry.type !== "message") return null;
  switch (entry.message.role) {
    case "user":
    case "toolResult":
    case "custom":
      return reducedBlocks(entry.message.content, how);
    case "assistant":
      return reducedReply(entry.message, how);
    case "system":
    case "bashExecution":
    case "compactionSummary":
    case "branchSummary":
      return null;
  }
}

function reducedBlocks(content: string | readonly (TextBlock | ImageBlock)[], how: Handled): EditedContent {
  if (typeof content === "string") return shortened(content, how);
  const blocks = Array.isArray(content) ? content : [];
  const share = evenShare(blocks, how);
  return blocks.map((block) => {
    if (block?.type === "image") return how.imageMark ? { type: "text", text: how.imageMark(block) } : block;
    return block?.type === "text" ? { ...block, text: shortened(block.text, share) } : block;
  });
}

// Reasoning belongs to the bytes beside it: where those change it is left out, never changed. Calls stay, their long words short.
function reducedReply({ content }: AssistantMessage, how: Handled): AssistantMessage["content"] {
  const said = (Array.isArray(content) ? content : []).filter((block) => block?.type !== "thinking");
  const share = evenShare(said, how);
  return said.map((block): TextBlock | ToolCallBlock => {
    if (block.type !== "toolCall") return { type: "text", text: shortened(block.text, share) };
    const { thoughtSignature: _, ...call } = block;
    const strings = Object.values(call.arguments).length || 1;
    const each = { ...share, tokens: Math.floor(share.tokens / strings) };
    return { ...call, arguments: shortenedIn(call.arguments, each) as ToolCallBlock["arguments"] };
  });
}

function evenShare(blocks: readonly unknown[], { tokens, handle }: Handled): { tokens: number; handle: string } {
  return { tokens: Math.max(LEAST, Math.floor(tokens / Math.max(1, blocks.length))), handle };
}

function shortenedIn(value: unknown, how: { readonly tokens: number; readonly handle: string }): unknown {
  if (typeof value === "string") return shortened(value, { ...how, tokens: Math.max(LEAST, how.tokens) });
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortenedIn(each, how)]));
  const shown = value.slice(0, MOST_ITEMS);
  const each = { ...how, tokens: Math.floor(how.tokens / Math.max(1, shown.length)) };
  return shown.map((item) => shortenedIn(item, each));
}

/** Tokens of a text that is not worth shortening any further. */
const LEAST = 60;
/** Of a list in a call's arguments; the rest is behind the handle. */
const MOST_ITEMS = 20;
