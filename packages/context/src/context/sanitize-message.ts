/** Prepares one message for a provider: drops empty, failed and malformed content, and sends reasoning unchanged or not at all. */

import { isObject } from "../json.ts";
import type {
  AssistantMessage,
  Block,
  ImageBlock,
  Message,
  SystemMessage,
  TextBlock,
  ToolCallBlock,
  ToolResultMessage,
  UserMessage,
} from "../message.ts";
import type { ModelName } from "../model.ts";

/** Returns the message as it can be sent, or null if it cannot. A valid message is returned as the same object. */
export function sanitizeMessage(message: Message, model: ModelName | undefined): Message | null {
  switch (message.role) {
    case "system":
      return sanitizeSystemMessage(message);
    case "user":
      return sanitizeUserMessage(message, model);
    case "assistant":
      return sanitizeAssistantMessage(message, model);
    case "toolResult":
      return sanitizeToolResult(message, model);
  }
}

/** Whether a message came from this model. If so, its signatures and call ids are sent back unchanged. */
export function isFromModel(message: AssistantMessage, { api, provider, model }: ModelName): boolean {
  return message.model === model && message.provider === provider && message.api === api;
}

function sanitizeSystemMessage(message: SystemMessage): SystemMessage | null {
  const { content, sections, toolsAdded, toolsRemoved, ...rest } = message;
  const clean: SystemMessage = {
    ...rest,
    content:
      typeof content === "string"
        ? isBlankText(content)
          ? ""
          : content
        : mapBlocks(toBlockList(content), sanitizeSystemBlock),
    ...(isObject(sections) && { sections: validSections(sections) }),
    ...(Array.isArray(toolsAdded) && { toolsAdded: toolsAdded.filter(hasName) }),
    ...(Array.isArray(toolsRemoved) && { toolsRemoved: toolsRemoved.filter(hasName) }),
  };
  const hasContent = clean.content.length > 0 || clean.sections || clean.toolsAdded || clean.toolsRemoved;
  return hasContent ? toWellFormedValue(clean) : null;
}

function sanitizeSystemBlock(block: TextBlock): TextBlock | null {
  return block?.type === "text" ? sanitizeTextBlock(block) : UNKNOWN_BLOCK;
}

function validSections(sections: Readonly<Record<string, unknown>>): NonNullable<SystemMessage["sections"]> {
  return Object.fromEntries(
    Object.entries(sections).filter(([, text]) => text === null || typeof text === "string"),
  ) as NonNullable<SystemMessage["sections"]>;
}

function hasName(tool: { readonly name?: unknown } | null): boolean {
  return typeof tool?.name === "string";
}

function sanitizeUserMessage(message: UserMessage, model: ModelName | undefined): UserMessage | null {
  if (typeof message.content === "string") {
    if (isBlankText(message.content)) return null;
    return message.content.isWellFormed() ? message : { ...message, content: message.content.toWellFormed() };
  }
  const content = mapBlocks(toBlockList(message.content), (block) => removeAttachmentMark(sanitizeBlock(block, model)));
  if (content.length === 0) return null;
  return content === message.content ? message : { ...message, content };
}

function sanitizeToolResult(message: ToolResultMessage, model: ModelName | undefined): ToolResultMessage {
  const blocks = mapBlocks(toBlockList(message.content), (block) => sanitizeBlock(block, model));
  const content = blocks.length > 0 ? blocks : [{ type: "text" as const, text: "(no output)" }];
  return content === message.content ? message : { ...message, content };
}

// CTX5: a signature is valid only for the model that created it. Reasoning of another model, or without a signature, is not sent.
function sanitizeAssistantMessage(message: AssistantMessage, model: ModelName | undefined): AssistantMessage | null {
  if (message.stopReason === "error" || message.stopReason === "aborted") return null;
  const isOwn = model === undefined || isFromModel(message, model);
  const blocks = toBlockList(message.content);
  const keepsThinking = isOwn && canSendReasoning(blocks);
  const content = mapBlocks(blocks, (block) => sanitizeAssistantBlock(block, { isOwn, keepsThinking }));
  if (content.every((block) => block.type === "thinking")) return null;
  return content === message.content ? message : { ...message, content };
}

function sanitizeAssistantBlock(
  block: AssistantMessage["content"][number],
  { isOwn, keepsThinking }: { isOwn: boolean; keepsThinking: boolean },
): AssistantMessage["content"][number] | null {
  switch (block?.type) {
    case "thinking":
      return keepsThinking ? block : null;
    case "text":
      return sanitizeTextBlock(isOwn || isPlainTextBlock(block) ? block : { type: "text", text: block.text });
    case "toolCall":
      return sanitizeToolCall(isOwn || block.thoughtSignature === undefined ? block : removeSignature(block));
  }
  return UNKNOWN_BLOCK;
}

// Blocks come from a file and are not checked: a newer version may have other kinds, and a manual edit may leave any value.
const UNKNOWN_BLOCK = null;

/** Whether a block has no data for one model only, such as a signature or provider search results. */
function isPlainTextBlock(block: TextBlock): boolean {
  return block.textSignature === undefined && !("pith" in block);
}

// Providers reject reasoning that was cut off: it must be signed, and other content must follow it.
function canSendReasoning(content: AssistantMessage["content"]): boolean {
  const lastContentIndex = content.findLastIndex(
    (block) =>
      (block?.type === "toolCall" && sanitizeToolCall(block) !== null) ||
      (block?.type === "text" && sanitizeTextBlock(block) !== null),
  );
  return content.every(
    (block, index) =>
      block?.type !== "thinking" ||
      (index < lastContentIndex && !!block.thinkingSignature && isWellFormedText(block.thinking)),
  );
}

function sanitizeToolCall(call: ToolCallBlock): ToolCallBlock | null {
  if (typeof call.id !== "string" || typeof call.name !== "string") return null;
  const name = /^[a-zA-Z0-9_-]{1,64}$/.test(call.name) ? call.name : toValidToolName(call.name);
  const args = isObject(call.arguments) ? toWellFormedValue(call.arguments) : {};
  // A signature does not match changed content, and a provider would reject it.
  return name === call.name && args === call.arguments ? call : { ...removeSignature(call), name, arguments: args };
}

function toValidToolName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unnamed";
}

function removeSignature({ thoughtSignature: _, ...call }: ToolCallBlock): ToolCallBlock {
  return call;
}

function sanitizeBlock(block: TextBlock | ImageBlock, model: ModelName | undefined): TextBlock | ImageBlock | null {
  switch (block?.type) {
    case "text":
      return sanitizeTextBlock(block);
    case "image":
      return isSendableImage(block, model) ? block : { type: "text", text: "[image omitted: unsupported format]" };
  }
  return UNKNOWN_BLOCK;
}

// WORD2: attachment marks are internal; providers reject unknown fields.
function removeAttachmentMark(block: TextBlock | ImageBlock | null): TextBlock | ImageBlock | null {
  if (block?.pith?.attachment === undefined) return block;
  const { pith: _, ...unmarked } = block;
  return unmarked;
}

function sanitizeTextBlock(block: TextBlock): TextBlock | null {
  if (typeof block.text !== "string" || isBlankText(block.text)) return null;
  return block.text.isWellFormed() ? block : { ...block, text: block.text.toWellFormed() };
}

function isSendableImage({ data, mimeType }: ImageBlock, model: ModelName | undefined): boolean {
  if (typeof data !== "string" || data === "" || data.startsWith("data:")) return false;
  return IMAGE_MIME_TYPES.has(mimeType) && !(mimeType === "image/gif" && model?.api === "google-generative-ai");
}

const IMAGE_MIME_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

// A hook may return any value instead of a list.
function toBlockList<Each>(content: readonly Each[]): readonly Each[] {
  return Array.isArray(content) ? content : [];
}

/** Maps blocks, and returns the same list if no block changes. */
function mapBlocks<Each extends Block>(blocks: readonly Each[], change: (block: Each) => Each | null): readonly Each[] {
  if (blocks.every((block) => block !== null && change(block) === block)) return blocks;
  return blocks.map(change).filter((block) => block !== null);
}

function toWellFormedValue<Value>(value: Value): Value {
  if (typeof value === "string") return (value.isWellFormed() ? value : value.toWellFormed()) as Value;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const clean = entries.map(([name, field]) => [toWellFormedValue(name), toWellFormedValue(field)] as const);
  if (clean.every(([name, field], index) => name === entries[index]?.[0] && field === entries[index]?.[1]))
    return value;
  return (Array.isArray(value) ? clean.map(([, field]) => field) : Object.fromEntries(clean)) as Value;
}

const isWellFormedText = (text: unknown): boolean => typeof text === "string" && text.isWellFormed();
const isBlankText = (text: string): boolean => !/\S/.test(text);
