/** Shortens one message: long texts become head, tail and a reference; images become marks. */

import type { ContextEditEntry, Entry, ReplacementContent } from "../entry.ts";
import { isObject } from "../json.ts";
import type { AgentMessage, AssistantMessage, ImageBlock, TextBlock, ToolCallBlock } from "../message.ts";
import { entryReference } from "../references.ts";
import { keepAttachmentMark } from "../session/blobs.ts";
import { isEditable } from "../session/store.ts";
import {
  evenShare,
  MIN_TRUNCATION_TOKENS,
  type TruncateOptions,
  truncateArguments,
  truncateMiddle,
  truncateText,
} from "../text/truncate.ts";
import { messageTokens, textTokens } from "../tokens/estimate-tokens.ts";
import { readAttachmentMark } from "./attachments.ts";
import { entryMessage, latestEdit } from "./build-context.ts";
import { sanitizeMessage } from "./sanitize-message.ts";

/** A context edit before it has a place. */
export type Reduction = Pick<ContextEditEntry, "type" | "targetId" | "replacement" | "pith">;

export interface ShrinkOptions {
  /** Of its texts, the arguments of its calls and images that stay. Reasoning does not count; a mark always has room. */
  readonly tokens: number;
  /** What stands for an image that cannot stay, asked once for each, in their order; null leaves it, or all, where it is. */
  readonly imageMark: ((image: ImageBlock) => string | null) | null;
  /** Of the window: what they have removed does not come back. */
  readonly edits: readonly ContextEditEntry[];
}

/** Null for an entry that no edit can change, and for one that is small enough. */
export function shrinkEntry(entry: Entry, { tokens, imageMark, edits }: ShrinkOptions): Reduction | null {
  const message = isEditable(entry) ? entryMessage(entry, latestEdit(edits, entry)) : null;
  const shrinkOptions = { tokens: Math.max(MIN_TRUNCATION_TOKENS, tokens), handle: entryReference(entry), imageMark };
  const content = message && shrinkContent(message, shrinkOptions);
  if (content === null) return null;
  return { type: "context_edit", targetId: entry.id, replacement: { content }, pith: { reduced: true } };
}

interface ShrinkContentOptions extends TruncateOptions, Pick<ShrinkOptions, "imageMark"> {}

function shrinkContent(message: AgentMessage, options: ShrinkContentOptions): ReplacementContent | null {
  switch (message.role) {
    case "user":
    case "toolResult":
    case "custom":
      return typeof message.content === "string"
        ? nullIfSame(message.content, truncateMiddle(message.content, options))
        : shrinkBlocks(message.content, options);
    case "assistant":
      return shrinkReply(message.content, options);
    case "system":
    case "bashExecution":
    case "compactionSummary":
    case "branchSummary":
      return null;
  }
}

// Many texts are shortened as one, in the place of the first: a mark for each would be more than what they say.
function shrinkBlocks(content: UserContentBlocks, options: ShrinkContentOptions): ReplacementContent | null {
  if (!Array.isArray(content)) return null;
  const blocks = options.imageMark ? replaceImages(content, options.imageMark) : content;
  const texts = blocks.filter(isTextBlock).map(({ text }) => text);
  const tokens = textAllowance(blocks, options.tokens);
  if (totalSize(texts.map(textTokens)) <= tokens) return nullIfSame(content, blocks);
  if (blocks.some((block) => readAttachmentMark(block) !== null))
    return shrinkAttachments(blocks, { tokens, handle: options.handle });
  const text = truncateMiddle(texts.join("\n"), { tokens, handle: options.handle });
  const first = blocks.findIndex(isTextBlock);
  return blocks.flatMap((block, index) => {
    if (!isTextBlock(block)) return [block];
    return index === first ? [{ type: "text", text }] : [];
  });
}

// WORD2: what the user typed and what was attached stay apart, and what was typed gives way last.
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

/** Of all: what the typed text may have, at most, beside attachments. */
const MAX_TYPED_SHARE = 0.5;

type UserContentBlocks = readonly (TextBlock | ImageBlock)[];

/** The same list where all images stay. */
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

// Where images take it all, words still say what they show.
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

// Reasoning stays as it came, and so does every id and signature: OpenAI refuses the id of a call without its reasoning.
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

// Texts that follow each other become one; none is moved past a call or past reasoning, which must stay before what it led to.
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

// Files are not checked block by block; what is no text, call or image passes as it is.
function isTextBlock(block: unknown): block is TextBlock {
  return isObject(block) && block.type === "text" && typeof block.text === "string";
}

function isToolCallBlock(block: unknown): block is ToolCallBlock {
  return isObject(block) && block.type === "toolCall" && isObject(block.arguments);
}

const totalSize = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

/** Of all: what texts may have beside images, at least. */
const MIN_TEXT_SHARE = 0.25;
