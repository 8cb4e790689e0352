/** What a part of the stream adds for people to see while it comes: joined, the deltas are the blocks of the message. */

import type { LanguageModelV4StreamPart, LanguageModelV4ToolCall, LanguageModelV4ToolResult } from "@ai-sdk/provider";
import type { ModelEvent } from "@pith/context";
import type { Draft, DraftThinking } from "./draft.ts";
import { PART_BREAK, thinkingText } from "./draft.ts";
import { answered, servedTextBlock, waitingCall } from "./served-draft.ts";

export type Delta = Extract<ModelEvent, { readonly type: "text-delta" | "thinking-delta" | "tool-call-delta" }>;

/** Null for a part that shows nothing. `draft` is what came before it. */
export function deltaOf(draft: Draft, part: LanguageModelV4StreamPart): Delta | null {
  switch (part.type) {
    case "text-delta":
      return part.delta === "" ? null : { type: "text-delta", text: part.delta };
    case "reasoning-delta":
      return part.delta === "" ? null : { type: "thinking-delta", text: breakBefore(draft, part.id) + part.delta };
    case "tool-input-delta":
      return inputDelta(draft, part.id, part.delta);
    case "tool-call":
      return part.providerExecuted ? null : wholeCall(draft, part);
    case "tool-result":
      return servedDelta(draft, part);
    default:
      return null;
  }
}

function servedDelta({ blocks }: Draft, part: LanguageModelV4ToolResult): Delta | null {
  const call = waitingCall(blocks, part);
  return call ? { type: "text-delta", text: servedTextBlock(answered(call, part), { thought: false }).text } : null;
}

function breakBefore({ blocks }: Draft, id: string): string {
  const has = (block: DraftThinking): boolean => block.parts.some((part) => part.id === id);
  const block = blocks.findLast((each) => each.kind === "thinking" && has(each)) as DraftThinking | undefined;
  if (!block) return "";
  const isBegun = block.parts.findLast((part) => part.id === id)?.text !== "";
  return isBegun || thinkingText(block) === "" ? "" : PART_BREAK;
}

function inputDelta({ blocks }: Draft, id: string, json: string): Delta | null {
  const calls = blocks.filter((block) => block.kind === "call");
  const index = calls.findLastIndex((call) => call.id === id);
  const call = calls[index];
  if (!call || json === "") return null;
  return { type: "tool-call-delta", index, json, call: { id, name: call.name } };
}

// Some send a call in one piece, or begin it and send all of it at the end.
function wholeCall(
  { blocks }: Draft,
  { toolCallId: id, toolName: name, input: json }: LanguageModelV4ToolCall,
): Delta | null {
  const calls = blocks.filter((block) => block.kind === "call");
  const begun = calls.findLastIndex((call) => call.id === id && !call.whole);
  if (begun !== -1 && calls[begun]?.json !== "") return null;
  if (json === "") return null;
  return { type: "tool-call-delta", index: begun === -1 ? calls.length : begun, json, call: { id, name } };
}
