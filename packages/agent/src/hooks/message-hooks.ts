/** Runs the hooks that may replace a message before it is recorded, and validates what they return. */

import type { AssistantMessage, ImageBlock, TextBlock, ToolResultMessage, UserMessage } from "@pith/context";
import { readAttachmentMark, runHooks, splitContent } from "@pith/context/host";
import { AppendError } from "../append-entries.ts";
import type { RunContext } from "../loop/run-context.ts";

type AttachmentMark = NonNullable<ReturnType<typeof readAttachmentMark>>;

export type MessageContent = string | readonly (TextBlock | ImageBlock)[];

/** Texts and pictures, as they would be written: a copy that nobody holds. Throws on anything else: a hook is not trusted. */
export function parseBlocks(value: unknown): readonly (TextBlock | ImageBlock)[] {
  if (!Array.isArray(value) || value.length > MAX_BLOCKS)
    throw new Error("its content is no list of texts and pictures");
  checkSize(value);
  return Array.from(value, parseBlock);
}

/** The same, or a text. */
export function parseContent(value: unknown): MessageContent {
  return typeof value === "string" ? checkText(value) : parseBlocks(value);
}

function checkText(text: string): string {
  checkSize([{ text }]);
  return text;
}

/** Throws where it would not go into a line of the log. */
export function checkSize(blocks: readonly unknown[]): void {
  const sizes = Array.from(blocks, (block) => {
    const { text, data } = Object(block) as Readonly<Record<string, unknown>>;
    return (
      (typeof text === "string" ? text.length * MAX_BYTES_PER_CHAR : 0) + (typeof data === "string" ? data.length : 0)
    );
  });
  if (sizes.reduce((sum, size) => sum + size, 0) > MAX_CONTENT_BYTES)
    throw new Error("its content is too long to be kept");
}

/** Of a line that may have 32 MB. */
const MAX_CONTENT_BYTES = 24 * 1024 * 1024;
/** As JSON, at worst. */
const MAX_BYTES_PER_CHAR = 6;

const MAX_BLOCKS = 1000;

function parseBlock(value: unknown): TextBlock | ImageBlock {
  const { type, text, data, mimeType } = Object(value) as Readonly<Record<string, unknown>>;
  const mark = readAttachmentMark(value);
  const pith = mark && { pith: { attachment: mark } };
  if (type === "text" && typeof text === "string") return { type, text, ...pith };
  if (type === "image" && typeof data === "string" && typeof mimeType === "string")
    return { type, data, mimeType, ...pith };
  throw new Error("its content holds something that is neither a text nor a picture");
}

/** Details are for logs: whatever has no JSON has no place there. */
export function parseJsonDetails(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new Error("its details are no JSON");
  if (text.length > MAX_DETAILS_CHARS) throw new Error(`its details have more than ${MAX_DETAILS_CHARS} letters`);
  return JSON.parse(text);
}

const MAX_DETAILS_CHARS = 256 * 1024;

/** Whether two values would be the same in a log. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(sortKeys(one)) === JSON.stringify(sortKeys(other));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, sortKeys(field)]));
}

export type ReplaceableMessage = UserMessage | AssistantMessage | ToolResultMessage;

type MessageHookContext = Pick<RunContext, "session" | "hooks" | "runtime" | "signal">;

/** Each hook sees what the one before it left, without secrets. Stopped, the message stays as it is. */
export async function runMessageHooks<Each extends ReplaceableMessage>(
  message: Each,
  run: MessageHookContext,
): Promise<Each> {
  const { session, hooks, runtime, signal } = run;
  let current = message;
  for (const hook of hooks.message_end ?? []) {
    const read = (result: unknown): Each | null => session.redact(parseMessage(result, current));
    const hookOptions = { host: hooks, runtime: runtime, signal, read };
    const createEvent = () => ({ type: "message_end" as const, message: JSON.parse(JSON.stringify(current)) as Each });
    const { answers, isCancelled } = await runHooks([hook], createEvent, hookOptions);
    if (isCancelled && !signal.aborted) throw new AppendError(MESSAGE_HOOK_FAILED);
    current = answers[0] ?? current;
  }
  return current;
}

const MESSAGE_HOOK_FAILED =
  "a hook that watches over every message failed, so it was not kept; mend it, and say it again";

function parseMessage<Each extends ReplaceableMessage>(result: unknown, original: Each): Each | null {
  const { message } = Object(result) as { readonly message?: unknown };
  if (message === undefined || message === null) return null;
  const fields = Object(message) as Readonly<Record<string, unknown>>;
  if (fields.role !== original.role) throw new Error(`its message is none of role ${original.role}`);
  return { ...original, ...parseChanges(original, fields) };
}

function parseChanges(
  original: ReplaceableMessage,
  fields: Readonly<Record<string, unknown>>,
): Partial<ReplaceableMessage> {
  switch (original.role) {
    case "user":
      return { content: keepAttachmentMarks(original.content, requireContent(parseContent(fields.content))) };
    case "toolResult":
      return parseResultChanges(original, fields);
    case "assistant":
      checkReadonlyFields(original, fields);
      return { content: parseReplyContent(original.content, fields.content) };
  }
}

/**
 * WORD2: whatever a hook makes of a message, no attachment becomes the user's word. A block that stays as it was keeps its mark; one
 * that the hook changed has the mark of the block in its place; one that is new has the mark of the first attachment.
 */
export function keepAttachmentMarks(before: MessageContent, after: MessageContent): MessageContent {
  const { typed, attachments } = splitContent(before);
  const firstAttachment = attachments.find(({ name }) => name !== "");
  if (!firstAttachment || splitContent(after).typed === "" || after === typed) return after;
  const originalBlocks = readBlockMarks(before);
  const hasNoMarks = typeof before === "string" || !before.some((block) => readAttachmentMark(block));
  // Earlier versions and pi set no marks: what still has their form is still read by it.
  if (hasNoMarks && splitContent(after).typed === typed) return after;
  const blocks: readonly (TextBlock | ImageBlock)[] =
    typeof after === "string" ? [{ type: "text", text: after }] : after;
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
    // What was typed stays typed where the hook has put it into one text with the rest.
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

interface OriginalBlock {
  readonly type: string;
  readonly text: string;
  readonly mark: AttachmentMark | null;
}

/** The blocks of a message, with the marks that they have or, by their form, should have. */
function readBlockMarks(content: MessageContent): readonly OriginalBlock[] {
  const blocks: readonly (TextBlock | ImageBlock)[] =
    typeof content === "string" ? [{ type: "text", text: content }] : content;
  return blocks.map((block) => {
    const { typed, attachments } = splitContent(block.type === "text" ? block.text : []);
    const [attachment] = attachments;
    const markFromText = attachment
      ? { kind: attachment.kind, name: attachment.name, ...(typed.trim() !== "" && { typed }) }
      : null;
    return { type: block.type, text: blockPayload(block), mark: readAttachmentMark(block) ?? markFromText };
  });
}

const blockPayload = (block: TextBlock | ImageBlock): string => (block.type === "text" ? block.text : block.data);

function withMark<Block extends TextBlock | ImageBlock>(block: Block, mark: AttachmentMark | null): Block {
  return mark ? { ...block, pith: { attachment: mark } } : block;
}

function requireContent<Content extends { readonly length: number }>(content: Content): Content {
  if (content.length === 0) throw new Error("its message is empty");
  return content;
}

function parseResultChanges(
  original: ToolResultMessage,
  { toolCallId, content, details, isError }: Readonly<Record<string, unknown>>,
): Partial<ToolResultMessage> {
  if (toolCallId !== original.toolCallId) throw new Error("its result answers another call");
  return {
    content: parseBlocks(content),
    ...(details !== undefined && { details: parseJsonDetails(details) }),
    ...(typeof isError === "boolean" && { isError }),
  };
}

const READONLY_FIELDS = ["api", "provider", "model", "usage", "stopReason", "timestamp"] as const;

// What was paid, to whom and why it ended is what the provider said.
function checkReadonlyFields(original: AssistantMessage, fields: Readonly<Record<string, unknown>>): void {
  const changedField = READONLY_FIELDS.find((name) => !isSameJson(original[name], fields[name]));
  if (changedField) throw new Error(`its reply has another ${changedField}`);
}

type ReplyContent = AssistantMessage["content"];

/** Thoughts are signed, and calls are answered: both stay, in their order; words may be others. */
export function parseReplyContent(original: ReplyContent, value: unknown): ReplyContent {
  if (!Array.isArray(value)) throw new Error("its reply has no content");
  checkSize(value);
  const fixedBlocks = original.filter((block) => block.type !== "text");
  const textBlocks = original.filter((block) => block.type === "text");
  let nextIndex = 0;
  const content = Array.from(value, (block: unknown): ReplyContent[number] => {
    if (Object(block).type === "text") return parseReplyText(textBlocks, block);
    const originalBlock = fixedBlocks[nextIndex++];
    if (!originalBlock || !isSameJson(originalBlock, block)) throw new Error("its reply has other calls or thoughts");
    return originalBlock;
  });
  if (nextIndex !== fixedBlocks.length) throw new Error("its reply lacks calls or thoughts");
  if (original[0]?.type === "thinking" && content[0]?.type !== "thinking")
    throw new Error("its reply has something before the first thought");
  return content;
}

// A signature belongs to the words it came with, and providers refuse one that comes twice.
function parseReplyText(textBlocks: TextBlock[], block: unknown): TextBlock {
  const [{ text }] = parseBlocks([block]) as readonly [TextBlock];
  const index = textBlocks.findIndex((each) => each.text === text);
  const [originalBlock] = index < 0 ? [] : textBlocks.splice(index, 1);
  return originalBlock ?? { type: "text", text };
}
