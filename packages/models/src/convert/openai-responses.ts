/** Implements the OpenAI Responses protocol: a reply is a list of items with ids; a reasoning signature is the whole item as JSON. */

import type {
  JSONObject,
  LanguageModelV4ProviderTool,
  LanguageModelV4ReasoningPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { ModelName, Request, TextBlock, ThinkingBlock, ThinkingLevel, ToolCallBlock } from "@pith/context";
import {
  baseProtocol,
  type ConvertOptions,
  isOpaque,
  type Protocol,
  parseObject,
  type ReasoningLevel,
  type ReplyContext,
} from "./protocol.ts";
import { type DraftCall, type DraftText, type DraftThinking, findMetadataText } from "./reply-draft.ts";
import { createSearchTool, type ServerToolRun, toServerToolParts } from "./server-tools.ts";

export const openaiResponses: Protocol = {
  ...baseProtocol,
  optionsKey: "openai",
  supportsLaterSystemMessages: true,
  // The package would put an error into JSON with every line break escaped, and the protocol has no field for errors.
  supportsErrorResults: false,
  findWebSearch,
  buildProviderOptions,
  toReasoningLevel,
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

// OpenAI refuses to search at minimal effort.
function findWebSearch({ provider, model }: ModelName, thinking: ThinkingLevel): LanguageModelV4ProviderTool | null {
  const canSearch = /^(gpt-4o|gpt-4\.1(?!-nano)|gpt-[5-9]|o3(?!-mini)|o4)/.test(model);
  return provider === "openai" && canSearch && thinking !== "minimal" ? createSearchTool("openai.web_search") : null;
}

// Nothing is stored at the provider: the session has the whole conversation. With `store: false` the package asks for
// encrypted reasoning, and only of models that have any.
function buildProviderOptions(
  { thinking, tools }: Request,
  { cacheKey, supportsThinking = true }: ConvertOptions,
): SharedV4ProviderOptions {
  return {
    openai: {
      ...(cacheKey !== undefined && { promptCacheKey: cacheKey }),
      store: false,
      ...(tools.length > 0 && { parallelToolCalls: true }),
      // By default the package asks for a detailed summary, even if thinking is off.
      ...(supportsThinking && { reasoningSummary: thinking === "off" ? null : "auto" }),
    },
  };
}

function toReasoningLevel(level: ThinkingLevel, target: ModelName): ReasoningLevel | null {
  if (!isEarlyReasoningModel(target)) return level === "off" ? "none" : level;
  return level === "off" ? null : nearestReasoningLevel(level);
}

/** OpenAI's first reasoning models, whose levels the package does not know: it sends any level unchanged. */
export function isEarlyReasoningModel({ model }: ModelName): boolean {
  return /^o\d/.test(model);
}

/** The nearest of the three levels that all servers know: low, medium and high. */
export function nearestReasoningLevel(level: Exclude<ThinkingLevel, "off">): ReasoningLevel {
  return nearestLevels[level] ?? level;
}

const nearestLevels: { readonly [Level in ThinkingLevel]?: ReasoningLevel } = {
  minimal: "low",
  xhigh: "high",
  max: "high",
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

// OpenAI refuses an item id without its reasoning. The other fields are valid without it.
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

// OpenAI refuses an item without its reasoning. The package sends nothing for a search that failed or has no action.
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
