/** Validates message content from hooks, which is not trusted. An attachment never becomes the user's own text, and a reply keeps its tool calls. */

import type { AssistantMessage, ImageBlock, TextBlock } from "@pith/context";
import { readAttachmentMark, splitContent } from "@pith/context/host";

export type MessageContent = string | readonly (TextBlock | ImageBlock)[];

/** Returns a copy of a string or of text and image blocks; throws on anything else. */
export function parseContent(value: unknown): MessageContent {
  if (typeof value !== "string") return parseBlocks(value);
  checkSize([{ text: value }]);
  return value;
}

/** Returns a copy of text and image blocks; throws on anything else. */
export function parseBlocks(value: unknown): readonly (TextBlock | ImageBlock)[] {
  if (!Array.isArray(value) || value.length > MAX_BLOCKS)
    throw new Error(`content must be a list of at most ${MAX_BLOCKS} text and image blocks`);
  checkSize(value);
  return Array.from(value, parseBlock);
}

const MAX_BLOCKS = 1000;

function checkSize(blocks: readonly unknown[]): void {
  const sizes = Array.from(blocks, (block) => {
    const { text, data } = Object(block) as Readonly<Record<string, unknown>>;
    return (
      (typeof text === "string" ? text.length * MAX_BYTES_PER_CHAR : 0) + (typeof data === "string" ? data.length : 0)
    );
  });
  if (sizes.reduce((sum, size) => sum + size, 0) > MAX_CONTENT_BYTES)
    throw new Error("content is too large to be recorded");
}

/** A line of a session file has at most 32 MB. */
const MAX_CONTENT_BYTES = 24 * 1024 * 1024;
/** The worst case of JSON escapes. */
const MAX_BYTES_PER_CHAR = 6;

function parseBlock(value: unknown): TextBlock | ImageBlock {
  const { type, text, data, mimeType } = Object(value) as Readonly<Record<string, unknown>>;
  const mark = readAttachmentMark(value);
  const pith = mark && { pith: { attachment: mark } };
  if (type === "text" && typeof text === "string") return { type, text, ...pith };
  if (type === "image" && typeof data === "string" && typeof mimeType === "string")
    return { type, data, mimeType, ...pith };
  throw new Error("content has a block that is neither text nor an image");
}

/** Returns a copy of the details; throws if they are not JSON or too large. */
export function parseJsonDetails(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new Error("details must be JSON");
  if (text.length > MAX_DETAILS_CHARS) throw new Error(`details has more than ${MAX_DETAILS_CHARS} characters`);
  return JSON.parse(text);
}

const MAX_DETAILS_CHARS = 256 * 1024;

type ReplyContent = AssistantMessage["content"];

/** Validates new content of a reply. Text may change; thinking (signed) and tool calls (answered by results) stay, in their order. */
export function parseReplyContent(original: ReplyContent, value: unknown): ReplyContent {
  if (!Array.isArray(value)) throw new Error("the reply has no content");
  checkSize(value);
  const fixedBlocks = original.filter((block) => block.type !== "text");
  const textBlocks = original.filter((block) => block.type === "text");
  let nextIndex = 0;
  const content = Array.from(value, (block: unknown): ReplyContent[number] => {
    if (Object(block).type === "text") return parseReplyText(textBlocks, block);
    const originalBlock = fixedBlocks[nextIndex++];
    if (!originalBlock || !isSameJson(originalBlock, block))
      throw new Error("the reply's tool calls and thinking must not change");
    return originalBlock;
  });
  if (nextIndex !== fixedBlocks.length) throw new Error("the reply's tool calls and thinking must not be removed");
  if (original[0]?.type === "thinking" && content[0]?.type !== "thinking")
    throw new Error("the reply must begin with its thinking");
  return content;
}

// A signature belongs to the text it came with, and providers reject one that occurs twice.
function parseReplyText(textBlocks: TextBlock[], block: unknown): TextBlock {
  const [{ text }] = parseBlocks([block]) as readonly [TextBlock];
  const index = textBlocks.findIndex((each) => each.text === text);
  const [originalBlock] = index < 0 ? [] : textBlocks.splice(index, 1);
  return originalBlock ?? { type: "text", text };
}

/** Whether two values are equal as JSON, in any order of keys. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(sortKeys(one)) === JSON.stringify(sortKeys(other));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, sortKeys(field)]));
}

type AttachmentMark = NonNullable<ReturnType<typeof readAttachmentMark>>;

/**
 * WORD2: marks attachments in content that a hook changed, so that no attachment becomes the user's own text. An unchanged block keeps
 * its mark, a changed block gets the mark of the block at its index, and a new block gets the mark of the first attachment.
 */
export function keepAttachmentMarks(before: MessageContent, after: MessageContent): MessageContent {
  const { typed, attachments } = splitContent(before);
  const firstAttachment = attachments.find(({ name }) => name !== "");
  if (!firstAttachment || splitContent(after).typed === "" || after === typed) return after;
  const originalBlocks = readBlockMarks(before);
  const hasNoMarks = typeof before === "string" || !before.some((block) => readAttachmentMark(block));
  // Earlier versions and pi set no marks: content that still has their form is read by its form.
  if (hasNoMarks && splitContent(after).typed === typed) return after;
  const blocks = toBlocks(after);
  const texts = blocks.map(blockPayload);
  let unplacedText = typed.trim() === "" || texts.includes(typed) ? null : typed;
  return blocks.map((block, index) => {
    if (readAttachmentMark(block)) return block;
    const text = blockPayload(block);
    const sameBlock = originalBlocks.find((each) => each.text === text && each.type === block.type);
    if (sameBlock) return withMark(block, sameBlock.mark);
    const blockAtIndex = originalBlocks.length === blocks.length ? originalBlocks[index] : undefined;
    const isRewritten = blockAtIndex?.type === block.type && !texts.includes(blockAtIndex.text);
    if (isRewritten && typeof after !== "string" && blockAtIndex.mark?.typed === undefined)
      return withMark(block, blockAtIndex.mark);
    if (block.type === "image" || text === typed) return block;
    const { kind, name, typed: typedCommand } = blockAtIndex?.mark ?? firstAttachment;
    // Typed text stays typed if the hook has joined it with the rest.
    const typedPart =
      typedCommand !== undefined && originalBlocks.length === 1
        ? typedCommand
        : unplacedText !== null && text.includes(unplacedText)
          ? unplacedText
          : null;
    if (typedPart !== null) unplacedText = null;
    return withMark(block, { kind, name, ...(typedPart !== null && { typed: typedPart }) });
  });
}

/** Returns the blocks of a message with their marks; a block without a mark gets the one that its form implies. */
function readBlockMarks(
  content: MessageContent,
): readonly { readonly type: string; readonly text: string; readonly mark: AttachmentMark | null }[] {
  return toBlocks(content).map((block) => {
    const { typed, attachments } = splitContent(block.type === "text" ? block.text : []);
    const [attachment] = attachments;
    const markFromText = attachment
      ? { kind: attachment.kind, name: attachment.name, ...(typed.trim() !== "" && { typed }) }
      : null;
    return { type: block.type, text: blockPayload(block), mark: readAttachmentMark(block) ?? markFromText };
  });
}

function toBlocks(content: MessageContent): readonly (TextBlock | ImageBlock)[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function blockPayload(block: TextBlock | ImageBlock): string {
  return block.type === "text" ? block.text : block.data;
}

function withMark<Block extends TextBlock | ImageBlock>(block: Block, mark: AttachmentMark | null): Block {
  return mark ? { ...block, pith: { attachment: mark } } : block;
}
