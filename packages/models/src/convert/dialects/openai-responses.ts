/** Implements the OpenAI Responses dialect: a reply is a list of items with ids; a reasoning signature is the whole item as JSON. */

import type { JSONObject, LanguageModelV4ReasoningPart, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { TextBlock, ThinkingBlock, ToolCallBlock } from "@pith/context";
import { type DraftCall, type DraftText, type DraftThinking, foundText } from "../draft.ts";
import { type Served, servedParts } from "../server-tools.ts";
import { type Beside, type Dialect, isOpaque, objectIn, unsigned } from "./dialect.ts";

export const openaiResponses: Dialect = {
  sentText: (block, beside) => ({ ...unsigned.sentText(block, beside), ...ofItem(textItem(block), beside) }),
  sentThinking,
  sentCall: (block, beside) => ({
    ...unsigned.sentCall(block, beside),
    toolCallId: sentCallId(block.id),
    ...ofItem(callItem(block), beside),
  }),
  sentCallId,
  sentServed,
  textFields,
  thinkingFields,
  callFields,
};

function sentThinking({ thinkingSignature }: ThinkingBlock): readonly LanguageModelV4ReasoningPart[] {
  const item = objectIn(thinkingSignature);
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

interface Item {
  readonly itemId?: string;
  readonly phase?: string;
  readonly namespace?: string;
}

// An item id whose reasoning is missing is refused; the rest holds without it.
function ofItem({ itemId, ...rest }: Item, { thinks }: Beside): { providerOptions?: SharedV4ProviderOptions } {
  const openai: JSONObject = { ...(thinks && itemId !== undefined && { itemId }), ...rest };
  return Object.keys(openai).length > 0 ? { providerOptions: { openai } } : {};
}

function textItem({ textSignature }: TextBlock): Item {
  const { id = textSignature, phase } = objectIn(textSignature) ?? {};
  return {
    ...(typeof id === "string" && isOpaque(id) && { itemId: id }),
    ...(typeof phase === "string" && { phase }),
  };
}

function callItem({ id, namespace }: ToolCallBlock): Item {
  const bar = id.indexOf("|");
  return { ...(bar !== -1 && { itemId: id.slice(bar + 1) }), ...(namespace !== undefined && { namespace }) };
}

function sentCallId(id: string): string {
  const bar = id.indexOf("|");
  return bar === -1 ? id : id.slice(0, bar);
}

// An item whose reasoning is missing is refused; of a search that failed, or did nothing, its package sends nothing.
function sentServed(served: Served, { thinks }: Beside): ReturnType<Dialect["sentServed"]> {
  const hasActed = !served.failed && Object(served.output).action !== undefined;
  return hasActed && (thinks || !served.thought) ? servedParts(served) : [];
}

function textFields({ metadata }: DraftText): Pick<TextBlock, "textSignature"> {
  const id = foundText(metadata, "itemId");
  const phase = foundText(metadata, "phase");
  if (id === undefined && phase === undefined) return {};
  return { textSignature: JSON.stringify({ v: 1, id, phase }) };
}

function thinkingFields({ metadata, parts }: DraftThinking): Pick<ThinkingBlock, "thinkingSignature"> {
  const id = foundText(metadata, "itemId");
  const encrypted = foundText(metadata, "reasoningEncryptedContent");
  if (id === undefined || encrypted === undefined) return {};
  const summary = parts.filter(({ text }) => text !== "").map(({ text }) => ({ type: "summary_text", text }));
  return { thinkingSignature: JSON.stringify({ type: "reasoning", id, encrypted_content: encrypted, summary }) };
}

function callFields({ id, metadata }: DraftCall): Pick<ToolCallBlock, "id" | "namespace"> {
  const item = foundText(metadata, "itemId");
  const namespace = foundText(metadata, "namespace");
  return { id: item === undefined ? id : `${id}|${item}`, ...(namespace !== undefined && { namespace }) };
}
