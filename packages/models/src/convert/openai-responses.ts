/** Implements the OpenAI Responses dialect: a reply is a list of items with ids; a reasoning signature is the whole item as JSON. */

import type { JSONObject, LanguageModelV4ReasoningPart, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { TextBlock, ThinkingBlock, ToolCallBlock } from "@pith/context";
import { type DraftCall, type DraftText, type DraftThinking, findMetadataText } from "./draft.ts";
import { baseProtocol, isOpaque, type Protocol, parseObject, type ReplyContext } from "./protocol.ts";
import { type ServerToolRun, toServerToolParts } from "./server-tools.ts";

export const openaiResponses: Protocol = {
  toTextPart: (block, context) => ({
    ...baseProtocol.toTextPart(block, context),
    ...toItemOptions(readTextItem(block), context),
  }),
  toReasoningParts,
  toCallPart: (block, context) => ({
    ...baseProtocol.toCallPart(block, context),
    toolCallId: toCallId(block.id),
    ...toItemOptions(readCallItem(block), context),
  }),
  toCallId,
  replayServerTool,
  readTextFields,
  readThinkingFields,
  readCallFields,
};

function toReasoningParts({ thinkingSignature }: ThinkingBlock): readonly LanguageModelV4ReasoningPart[] {
  const item = parseObject(thinkingSignature);
  if (item?.type !== "reasoning" || typeof item.encrypted_content !== "string") return [];
  const options = { itemId: item.id ?? null, reasoningEncryptedContent: item.encrypted_content };
  const texts = Array.isArray(item.summary) ? item.summary.map(summaryText) : [];
  return (texts.length > 0 ? texts : [""]).map((text) => ({
    type: "reasoning",
    text,
    providerOptions: { openai: options },
  }));
}

function summaryText(part: unknown): string {
  const text = (part as { readonly text?: unknown } | null)?.text;
  return typeof text === "string" ? text : "";
}

interface ItemFields {
  readonly itemId?: string;
  readonly phase?: string;
  readonly namespace?: string;
}

// An item id whose reasoning is missing is refused; the rest holds without it.
function toItemOptions(
  { itemId, ...rest }: ItemFields,
  { hasReasoning }: ReplyContext,
): { providerOptions?: SharedV4ProviderOptions } {
  const openai: JSONObject = { ...(hasReasoning && itemId !== undefined && { itemId }), ...rest };
  return Object.keys(openai).length > 0 ? { providerOptions: { openai } } : {};
}

function readTextItem({ textSignature }: TextBlock): ItemFields {
  const { id = textSignature, phase } = parseObject(textSignature) ?? {};
  return {
    ...(typeof id === "string" && isOpaque(id) && { itemId: id }),
    ...(typeof phase === "string" && { phase }),
  };
}

function readCallItem({ id, namespace }: ToolCallBlock): ItemFields {
  const separator = id.indexOf("|");
  return {
    ...(separator !== -1 && { itemId: id.slice(separator + 1) }),
    ...(namespace !== undefined && { namespace }),
  };
}

function toCallId(id: string): string {
  const separator = id.indexOf("|");
  return separator === -1 ? id : id.slice(0, separator);
}

// An item whose reasoning is missing is refused; of a search that failed, or did nothing, its package sends nothing.
function replayServerTool(
  run: ServerToolRun,
  { hasReasoning }: ReplyContext,
): ReturnType<Protocol["replayServerTool"]> {
  const hasAction = !run.failed && Object(run.output).action !== undefined;
  return hasAction && (hasReasoning || !run.thought) ? toServerToolParts(run) : [];
}

function readTextFields({ metadata }: DraftText): Pick<TextBlock, "textSignature"> {
  const id = findMetadataText(metadata, "itemId");
  const phase = findMetadataText(metadata, "phase");
  if (id === undefined && phase === undefined) return {};
  return { textSignature: JSON.stringify({ v: 1, id, phase }) };
}

function readThinkingFields({ metadata, parts }: DraftThinking): Pick<ThinkingBlock, "thinkingSignature"> {
  const id = findMetadataText(metadata, "itemId");
  const encrypted = findMetadataText(metadata, "reasoningEncryptedContent");
  if (id === undefined || encrypted === undefined) return {};
  const summary = parts.filter(({ text }) => text !== "").map(({ text }) => ({ type: "summary_text", text }));
  return { thinkingSignature: JSON.stringify({ type: "reasoning", id, encrypted_content: encrypted, summary }) };
}

function readCallFields({ id, metadata }: DraftCall): Pick<ToolCallBlock, "id" | "namespace"> {
  const itemId = findMetadataText(metadata, "itemId");
  const namespace = findMetadataText(metadata, "namespace");
  return { id: itemId === undefined ? id : `${id}|${itemId}`, ...(namespace !== undefined && { namespace }) };
}
