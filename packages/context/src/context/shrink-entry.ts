/** Shortens one message: long texts become head, tail and a reference, and images become marks. */

import { type ContextEditEntry, type Entry, entryReference, isEditable, type ReplacementContent } from "../entry.ts";
import { isObject } from "../json.ts";
import type { AgentMessage, AssistantMessage, ImageBlock, TextBlock, ToolCallBlock } from "../message.ts";
import { keepAttachmentMark } from "../session/blobs.ts";
import { RECALL_TOOL } from "../settings.ts";
import {
  evenShare,
  MIN_TRUNCATION_TOKENS,
  type TruncateOptions,
  truncateArguments,
  truncateEnd,
  truncateMiddle,
  truncateText,
} from "../text/truncate.ts";
import { messageTokens, textTokens } from "../tokens/estimate-tokens.ts";
import { readAttachmentMark } from "./attachments.ts";
import { entryMessage, latestEdit } from "./build-context.ts";
import { sanitizeMessage } from "./sanitize-message.ts";

/** A context edit that is not appended yet. */
export type PlannedEdit = Pick<ContextEditEntry, "type" | "targetId" | "replacement" | "pith">;

export interface ShrinkOptions {
  /** The maximum tokens of texts, tool call arguments and remaining images. Reasoning does not count, and a mark always fits. */
  readonly tokens: number;
  /** Returns the text that replaces an image, or null to keep it; called once per image, in order. If null, all images are kept. */
  readonly imageMark: ((image: ImageBlock) => string | null) | null;
  /** The context edits, so that removed text does not reappear. */
  readonly edits: readonly ContextEditEntry[];
}

/** Shortens an entry to the given tokens; null if it is small enough or cannot be edited. */
export function shrinkEntry(entry: Entry, { tokens, imageMark, edits }: ShrinkOptions): PlannedEdit | null {
  const message = isEditable(entry) ? entryMessage(entry, latestEdit(edits, entry)) : null;
  const shrinkOptions = { tokens: Math.max(MIN_TRUNCATION_TOKENS, tokens), handle: entryReference(entry), imageMark };
  const content = message && shrinkContent(message, shrinkOptions);
  if (content === null) return null;
  return { type: "context_edit", targetId: entry.id, replacement: { content }, pith: { reduced: true } };
}

interface ShrinkContentOptions extends TruncateOptions, Pick<ShrinkOptions, "imageMark"> {}

interface ShrinkBlocksOptions extends ShrinkContentOptions {
  readonly truncate: typeof truncateMiddle;
}

function shrinkContent(message: AgentMessage, options: ShrinkContentOptions): ReplacementContent | null {
  switch (message.role) {
    case "user":
    case "toolResult":
    case "custom": {
      // RCL4: the best hits come first.
      const isRecall = message.role === "toolResult" && message.toolName === RECALL_TOOL;
      const truncate = isRecall ? truncateEnd : truncateMiddle;
      return typeof message.content === "string"
        ? nullIfSame(message.content, truncate(message.content, options))
        : shrinkBlocks(message.content, { ...options, truncate });
    }
    case "assistant":
      return shrinkReply(message.content, options);
    case "system":
    case "bashExecution":
    case "compactionSummary":
    case "branchSummary":
      return null;
  }
}

// The texts are joined at the position of the first and shortened as one, because a mark per text could be longer than the text.
function shrinkBlocks(content: UserContentBlocks, options: ShrinkBlocksOptions): ReplacementContent | null {
  if (!Array.isArray(content)) return null;
  const blocks = options.imageMark ? replaceImages(content, options.imageMark) : content;
  const texts = blocks.filter(isTextBlock).map(({ text }) => text);
  const tokens = textAllowance(blocks, options.tokens);
  if (totalSize(texts.map(textTokens)) <= tokens) return nullIfSame(content, blocks);
  if (blocks.some((block) => readAttachmentMark(block) !== null))
    return shrinkAttachments(blocks, { tokens, handle: options.handle });
  const text = options.truncate(texts.join("\n"), { tokens, handle: options.handle });
  const first = blocks.findIndex(isTextBlock);
  return blocks.flatMap((block, index) => {
    if (!isTextBlock(block)) return [block];
    return index === first ? [{ type: "text", text }] : [];
  });
}

// WORD2: typed text and attachments stay in separate blocks, and attachments are shortened first.
function shrinkAttachments(blocks: UserContentBlocks, { tokens, handle }: TruncateOptions): ReplacementContent {
  const isAttached = (block: unknown): boolean => readAttachmentMark(block) !== null;
  const sizes = blocks.map((block) => (isTextBlock(block) ? textTokens(block.text) : 0));
  const typedTokens = totalSize(sizes.filter((_, index) => !isAttached(blocks[index])));
  const typedAllowance = Math.min(typedTokens, Math.max(Math.floor(tokens * MAX_TYPED_SHARE), MIN_TRUNCATION_TOKENS));
  const attachedSizes = sizes.filter((_, index) => isAttached(blocks[index]));
  const maxTokens = { attached: evenShare(attachedSizes, tokens - typedAllowance), typed: typedAllowance };
  return blocks.map((block, index) => {
    const share = isAttached(block) ? maxTokens.attached : maxTokens.typed;
    if (!isTextBlock(block) || (sizes[index] ?? 0) <= share) return block;
    return { ...block, text: truncateText(block.text, { tokens: share, handle }) };
  });
}

/** The maximum share of the tokens for typed text in a message with attachments. */
const MAX_TYPED_SHARE = 0.5;

type UserContentBlocks = readonly (TextBlock | ImageBlock)[];

/** Returns the same array if all images are kept. */
function replaceImages(
  content: UserContentBlocks,
  createMark: NonNullable<ShrinkOptions["imageMark"]>,
): UserContentBlocks {
  const marks = content.map((block) => (block?.type === "image" ? createMark(block) : null));
  if (marks.every((mark) => mark === null)) return content;
  return content.map((block, index) => {
    const mark = marks[index] ?? null;
    return mark === null ? block : keepAttachmentMark(block, { type: "text", text: mark });
  });
}

// Text keeps a minimum share even if images use all tokens.
function textAllowance(blocks: UserContentBlocks, tokens: number): number {
  const images = blocks.filter((block) => block?.type === "image");
  const imageMessage = sanitizeMessage({ role: "user", content: images, timestamp: 0 }, undefined);
  return Math.max(
    MIN_TRUNCATION_TOKENS,
    Math.floor(tokens * MIN_TEXT_SHARE),
    imageMessage ? tokens - messageTokens(imageMessage) : tokens,
  );
}

type AssistantBlock = AssistantMessage["content"][number];

// Reasoning, ids and signatures are not changed: OpenAI refuses the id of a tool call without its reasoning.
function shrinkReply(
  content: AssistantMessage["content"],
  options: ShrinkContentOptions,
): AssistantMessage["content"] | null {
  const blocks = mergeAdjacentTexts(Array.isArray(content) ? content : []);
  const sizes = blocks.map(assistantBlockTokens);
  if (totalSize(sizes) <= options.tokens) return null;
  const maxTokens = evenShare(sizes, options.tokens);
  const truncateOptions = { handle: options.handle, tokens: maxTokens };
  return blocks.map((block, index): AssistantBlock => {
    if ((sizes[index] ?? 0) <= maxTokens) return block;
    if (isTextBlock(block)) return { ...block, text: truncateText(block.text, truncateOptions) };
    return isToolCallBlock(block)
      ? { ...block, arguments: truncateArguments(block.arguments, truncateOptions) }
      : block;
  });
}

// Only adjacent texts are merged: no text may move past a tool call, or past reasoning, which must stay before its result.
function mergeAdjacentTexts(content: AssistantMessage["content"]): readonly AssistantBlock[] {
  const merged: AssistantBlock[] = [];
  for (const block of content) {
    const last = merged.at(-1);
    if (isTextBlock(last) && isTextBlock(block))
      merged[merged.length - 1] = { ...last, text: `${last.text}\n${block.text}` };
    else merged.push(block);
  }
  return merged;
}

function assistantBlockTokens(block: AssistantBlock): number {
  if (isTextBlock(block)) return textTokens(block.text);
  return isToolCallBlock(block) ? textTokens(JSON.stringify(block.arguments)) : 0;
}

function nullIfSame<Content>(before: Content, after: Content): Content | null {
  return after === before ? null : after;
}

// Blocks from session files are not validated; unknown blocks are kept unchanged.
function isTextBlock(block: unknown): block is TextBlock {
  return isObject(block) && block.type === "text" && typeof block.text === "string";
}

function isToolCallBlock(block: unknown): block is ToolCallBlock {
  return isObject(block) && block.type === "toolCall" && isObject(block.arguments);
}

const totalSize = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

/** The minimum share of the tokens for text in a message with images. */
const MIN_TEXT_SHARE = 0.25;
