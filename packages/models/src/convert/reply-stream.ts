/** Folds stream parts, in any order, into the draft of a reply and derives deltas for display. All functions are pure. */

import type {
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4ToolResult,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { ModelEvent } from "@pith/context";
import {
  type Draft,
  type DraftBlock,
  type DraftCall,
  type DraftText,
  type DraftThinking,
  findMetadataText,
  PART_BREAK,
  type ProviderMetadata,
  restoreToolName,
  thinkingText,
} from "./reply-draft.ts";
import { addServerToolResult, createServerToolDraft, findPendingCall, toServerToolTextBlock } from "./server-tools.ts";

export function applyStreamPart(draft: Draft, part: LanguageModelV4StreamPart): Draft {
  switch (part.type) {
    case "text-start":
      return { ...draft, blocks: [...draft.blocks, emptyText(part)] };
    case "text-delta":
    case "text-end":
      return { ...draft, blocks: appendText(draft.blocks, part) };
    case "reasoning-start":
      return { ...draft, blocks: startThinking(draft.blocks, part) };
    case "reasoning-delta":
    case "reasoning-end":
      return { ...draft, blocks: appendThinking(draft.blocks, part) };
    case "tool-input-start":
      return part.providerExecuted ? draft : { ...draft, blocks: [...draft.blocks, emptyCall(part)] };
    case "tool-input-delta":
    case "tool-input-end":
      return { ...draft, blocks: appendInput(draft.blocks, part) };
    case "tool-call":
      return { ...draft, blocks: completeCall(draft.blocks, part) };
    case "tool-result":
      return { ...draft, blocks: addResult(draft.blocks, part) };
    case "finish":
      return { ...draft, finish: part.finishReason, usage: part.usage };
    case "error":
      return draft.error ? draft : { ...draft, error: { thrown: part.error } };
    // Parts that are never requested, or are handled elsewhere.
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

interface BlockUpdate {
  readonly id: string;
  readonly delta?: string;
  readonly providerMetadata?: SharedV4ProviderMetadata;
}

function appendText(blocks: readonly DraftBlock[], update: BlockUpdate): readonly DraftBlock[] {
  const at = blocks.findLastIndex((block) => block.kind === "text" && block.id === update.id);
  const block = (blocks[at] as DraftText | undefined) ?? emptyText({ id: update.id });
  const { text, metadata } = block;
  const updatedBlock = {
    ...block,
    text: text + (update.delta ?? ""),
    metadata: mergeMetadata(metadata, update.providerMetadata),
  };
  return replaceOrAppend(blocks, at, updatedBlock);
}

// OpenAI starts a new reasoning part for each summary of the same item.
function startThinking(blocks: readonly DraftBlock[], update: BlockUpdate): readonly DraftBlock[] {
  const itemId = findMetadataText(update.providerMetadata ?? {}, "itemId");
  const last = blocks.at(-1);
  const isSame =
    itemId !== undefined && last?.kind === "thinking" && findMetadataText(last.metadata, "itemId") === itemId;
  if (!isSame) return [...blocks, emptyThinking(update)];
  const parts = [...last.parts, { id: update.id, text: "" }];
  return replaceOrAppend(blocks, blocks.length - 1, {
    ...last,
    parts,
    metadata: mergeMetadata(last.metadata, update.providerMetadata),
  });
}

function appendThinking(blocks: readonly DraftBlock[], update: BlockUpdate): readonly DraftBlock[] {
  const at = blocks.findLastIndex(
    (block) => block.kind === "thinking" && block.parts.some(({ id }) => id === update.id),
  );
  const block = (blocks[at] as DraftThinking | undefined) ?? emptyThinking({ id: update.id });
  const last = block.parts.findLastIndex(({ id }) => id === update.id);
  const parts = block.parts.map((part, index) =>
    index === last ? { ...part, text: part.text + (update.delta ?? "") } : part,
  );
  return replaceOrAppend(blocks, at, {
    ...block,
    parts,
    metadata: mergeMetadata(block.metadata, update.providerMetadata),
  });
}

function appendInput(blocks: readonly DraftBlock[], update: BlockUpdate): readonly DraftBlock[] {
  const at = findOpenCall(blocks, update.id);
  const block = blocks[at] as DraftCall | undefined;
  // No block: the start of a provider tool is skipped.
  if (!block) return blocks;
  const { json, metadata } = block;
  return replaceOrAppend(blocks, at, {
    ...block,
    json: json + (update.delta ?? ""),
    metadata: mergeMetadata(metadata, update.providerMetadata),
  });
}

function completeCall(blocks: readonly DraftBlock[], part: LanguageModelV4ToolCall): readonly DraftBlock[] {
  if (part.providerExecuted) return [...blocks, createServerToolDraft(part)];
  const { toolCallId: id, toolName, input, providerMetadata } = part;
  const at = findOpenCall(blocks, id);
  const block = (blocks[at] as DraftCall | undefined) ?? emptyCall({ id, toolName });
  const metadata = mergeMetadata(block.metadata, providerMetadata);
  return replaceOrAppend(blocks, at, {
    ...block,
    name: restoreToolName(toolName),
    json: input,
    isComplete: true,
    metadata,
  });
}

function addResult(blocks: readonly DraftBlock[], part: LanguageModelV4ToolResult): readonly DraftBlock[] {
  const call = findPendingCall(blocks, part);
  return call ? blocks.with(blocks.indexOf(call), addServerToolResult(call, part)) : blocks;
}

// A complete call is not changed: later input with its id belongs to another call.
function findOpenCall(blocks: readonly DraftBlock[], id: string): number {
  return blocks.findLastIndex((block) => block.kind === "call" && block.id === id && !block.isComplete);
}

function replaceOrAppend(blocks: readonly DraftBlock[], at: number, block: DraftBlock): readonly DraftBlock[] {
  return at === -1 ? [...blocks, block] : blocks.with(at, block);
}

function emptyText({ id, providerMetadata }: BlockUpdate): DraftText {
  return { kind: "text", id, text: "", metadata: mergeMetadata({}, providerMetadata) };
}

function emptyThinking({ id, providerMetadata }: BlockUpdate): DraftThinking {
  return { kind: "thinking", parts: [{ id, text: "" }], metadata: mergeMetadata({}, providerMetadata) };
}

function emptyCall({ id, toolName, providerMetadata }: BlockUpdate & { readonly toolName: string }): DraftCall {
  return {
    kind: "call",
    id,
    name: restoreToolName(toolName),
    json: "",
    isComplete: false,
    metadata: mergeMetadata({}, providerMetadata),
  };
}

// A null field has not arrived yet; it never replaces a value.
function mergeMetadata(current: ProviderMetadata, update: SharedV4ProviderMetadata | undefined): ProviderMetadata {
  if (!update) return current;
  const mergedEntries = Object.entries(update).map(([name, fields]) => {
    const presentFields = Object.entries(fields ?? {}).filter(([, value]) => value !== null && value !== undefined);
    return [name, { ...current[name], ...Object.fromEntries(presentFields) }] as const;
  });
  return { ...current, ...Object.fromEntries(mergedEntries) };
}

export type Delta = Extract<ModelEvent, { readonly type: "text-delta" | "thinking-delta" | "tool-call-delta" }>;

/** The delta of a part after `draft`; null for a part without visible content. The joined deltas equal the blocks of the message. */
export function toDelta(draft: Draft, part: LanguageModelV4StreamPart): Delta | null {
  switch (part.type) {
    case "text-delta":
      return part.delta === "" ? null : { type: "text-delta", text: part.delta };
    case "reasoning-delta":
      return part.delta === "" ? null : { type: "thinking-delta", text: partBreakBefore(draft, part.id) + part.delta };
    case "tool-input-delta":
      return inputDelta(draft, part.id, part.delta);
    case "tool-call":
      return part.providerExecuted ? null : completeCallDelta(draft, part);
    case "tool-result":
      return serverToolDelta(draft, part);
    default:
      return null;
  }
}

function serverToolDelta({ blocks }: Draft, part: LanguageModelV4ToolResult): Delta | null {
  const call = findPendingCall(blocks, part);
  return call
    ? { type: "text-delta", text: toServerToolTextBlock(addServerToolResult(call, part), { thought: false }).text }
    : null;
}

function partBreakBefore({ blocks }: Draft, id: string): string {
  const hasPart = (block: DraftThinking): boolean => block.parts.some((part) => part.id === id);
  const block = blocks.findLast((each) => each.kind === "thinking" && hasPart(each)) as DraftThinking | undefined;
  if (!block) return "";
  const hasText = block.parts.findLast((part) => part.id === id)?.text !== "";
  return hasText || thinkingText(block) === "" ? "" : PART_BREAK;
}

function inputDelta({ blocks }: Draft, id: string, json: string): Delta | null {
  const calls = blocks.filter((block) => block.kind === "call");
  const index = calls.findLastIndex((call) => call.id === id);
  const call = calls[index];
  if (!call || json === "") return null;
  return { type: "tool-call-delta", index, json, call: { id, name: call.name } };
}

// Some providers send a call in one part, or start it and send all of it at the end.
function completeCallDelta(
  { blocks }: Draft,
  { toolCallId: id, toolName: name, input: json }: LanguageModelV4ToolCall,
): Delta | null {
  const calls = blocks.filter((block) => block.kind === "call");
  const openCallIndex = calls.findLastIndex((call) => call.id === id && !call.isComplete);
  if (openCallIndex !== -1 && calls[openCallIndex]?.json !== "") return null;
  if (json === "") return null;
  return {
    type: "tool-call-delta",
    index: openCallIndex === -1 ? calls.length : openCallIndex,
    json,
    call: { id, name },
  };
}
