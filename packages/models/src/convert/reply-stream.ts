/** Folds stream parts, in any order, into the draft of a reply and derives deltas for display. All functions are pure. */

import type {
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4ToolResult,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { ModelEvent } from "@pith/context";
import {
  calledName,
  type Draft,
  type DraftBlock,
  type DraftCall,
  type DraftText,
  type DraftThinking,
  foundText,
  type Metadata,
  PART_BREAK,
  thinkingText,
} from "./draft.ts";
import { answered, servedCall, servedTextBlock, waitingCall } from "./server-tools.ts";

export function fold(draft: Draft, part: LanguageModelV4StreamPart): Draft {
  switch (part.type) {
    case "text-start":
      return { ...draft, blocks: [...draft.blocks, emptyText(part)] };
    case "text-delta":
    case "text-end":
      return { ...draft, blocks: withText(draft.blocks, part) };
    case "reasoning-start":
      return { ...draft, blocks: withThought(draft.blocks, part) };
    case "reasoning-delta":
    case "reasoning-end":
      return { ...draft, blocks: withThinking(draft.blocks, part) };
    case "tool-input-start":
      return part.providerExecuted ? draft : { ...draft, blocks: [...draft.blocks, emptyCall(part)] };
    case "tool-input-delta":
    case "tool-input-end":
      return { ...draft, blocks: withInput(draft.blocks, part) };
    case "tool-call":
      return { ...draft, blocks: withCall(draft.blocks, part) };
    case "tool-result":
      return { ...draft, blocks: withResult(draft.blocks, part) };
    case "finish":
      return { ...draft, finish: part.finishReason, usage: part.usage };
    case "error":
      return draft.error ? draft : { ...draft, error: { thrown: part.error } };
    // What we never ask for, and what is told to people elsewhere.
    case "tool-approval-request":
    case "custom":
    case "file":
    case "reasoning-file":
    case "source":
    case "stream-start":
    case "response-metadata":
    case "ping":
    case "raw":
      return draft;
  }
}

interface Piece {
  readonly id: string;
  readonly delta?: string;
  readonly providerMetadata?: SharedV4ProviderMetadata;
}

function withText(blocks: readonly DraftBlock[], piece: Piece): readonly DraftBlock[] {
  const at = blocks.findLastIndex((block) => block.kind === "text" && block.id === piece.id);
  const block = (blocks[at] as DraftText | undefined) ?? emptyText({ id: piece.id });
  const { text, metadata } = block;
  const grown = { ...block, text: text + (piece.delta ?? ""), metadata: merged(metadata, piece.providerMetadata) };
  return placed(blocks, at, grown);
}

// OpenAI starts each summary anew, under the id of the same item.
function withThought(blocks: readonly DraftBlock[], piece: Piece): readonly DraftBlock[] {
  const item = foundText(piece.providerMetadata ?? {}, "itemId");
  const last = blocks.at(-1);
  const isSame = item !== undefined && last?.kind === "thinking" && foundText(last.metadata, "itemId") === item;
  if (!isSame) return [...blocks, emptyThinking(piece)];
  const parts = [...last.parts, { id: piece.id, text: "" }];
  return placed(blocks, blocks.length - 1, { ...last, parts, metadata: merged(last.metadata, piece.providerMetadata) });
}

function withThinking(blocks: readonly DraftBlock[], piece: Piece): readonly DraftBlock[] {
  const at = blocks.findLastIndex(
    (block) => block.kind === "thinking" && block.parts.some(({ id }) => id === piece.id),
  );
  const block = (blocks[at] as DraftThinking | undefined) ?? emptyThinking({ id: piece.id });
  const last = block.parts.findLastIndex(({ id }) => id === piece.id);
  const parts = block.parts.map((part, index) =>
    index === last ? { ...part, text: part.text + (piece.delta ?? "") } : part,
  );
  return placed(blocks, at, { ...block, parts, metadata: merged(block.metadata, piece.providerMetadata) });
}

function withInput(blocks: readonly DraftBlock[], piece: Piece): readonly DraftBlock[] {
  const at = lastCall(blocks, piece.id);
  const block = blocks[at] as DraftCall | undefined;
  // Also those of a tool that runs at the provider, whose start was passed over.
  if (!block) return blocks;
  const { json, metadata } = block;
  return placed(blocks, at, {
    ...block,
    json: json + (piece.delta ?? ""),
    metadata: merged(metadata, piece.providerMetadata),
  });
}

function withCall(blocks: readonly DraftBlock[], part: LanguageModelV4ToolCall): readonly DraftBlock[] {
  if (part.providerExecuted) return [...blocks, servedCall(part)];
  const { toolCallId: id, toolName, input, providerMetadata } = part;
  const at = lastCall(blocks, id);
  const block = (blocks[at] as DraftCall | undefined) ?? emptyCall({ id, toolName });
  const metadata = merged(block.metadata, providerMetadata);
  return placed(blocks, at, { ...block, name: calledName(toolName), json: input, whole: true, metadata });
}

function withResult(blocks: readonly DraftBlock[], part: LanguageModelV4ToolResult): readonly DraftBlock[] {
  const call = waitingCall(blocks, part);
  return call ? blocks.with(blocks.indexOf(call), answered(call, part)) : blocks;
}

// A call that is whole takes nothing more: what comes under its id again is another one.
function lastCall(blocks: readonly DraftBlock[], id: string): number {
  return blocks.findLastIndex((block) => block.kind === "call" && block.id === id && !block.whole);
}

function placed(blocks: readonly DraftBlock[], at: number, block: DraftBlock): readonly DraftBlock[] {
  return at === -1 ? [...blocks, block] : blocks.with(at, block);
}

function emptyText({ id, providerMetadata }: Piece): DraftText {
  return { kind: "text", id, text: "", metadata: merged({}, providerMetadata) };
}

function emptyThinking({ id, providerMetadata }: Piece): DraftThinking {
  return { kind: "thinking", parts: [{ id, text: "" }], metadata: merged({}, providerMetadata) };
}

function emptyCall({ id, toolName, providerMetadata }: Piece & { readonly toolName: string }): DraftCall {
  return {
    kind: "call",
    id,
    name: calledName(toolName),
    json: "",
    whole: false,
    metadata: merged({}, providerMetadata),
  };
}

// A field that is null has not come yet; it never takes the place of one that has.
function merged(before: Metadata, after: SharedV4ProviderMetadata | undefined): Metadata {
  if (!after) return before;
  const said = Object.entries(after).map(([name, fields]) => {
    const known = Object.entries(fields ?? {}).filter(([, value]) => value !== null && value !== undefined);
    return [name, { ...before[name], ...Object.fromEntries(known) }] as const;
  });
  return { ...before, ...Object.fromEntries(said) };
}

export type Delta = Extract<ModelEvent, { readonly type: "text-delta" | "thinking-delta" | "tool-call-delta" }>;

/** Null for a part that shows nothing. `draft` is what came before it. Joined, the deltas are the blocks of the message. */
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
