/** Runs the hooks that may replace a message before it is recorded, and validates what they return. */

import type { AssistantMessage, ImageBlock, TextBlock, ToolResultMessage, UserMessage } from "@pith/context";
import { readAttachmentMark, runHooks, splitContent } from "@pith/context/host";
import { NotWritten } from "../append.ts";
import type { RunParts } from "../loop/run-context.ts";

type AttachmentMark = NonNullable<ReturnType<typeof readAttachmentMark>>;

export type Content = string | readonly (TextBlock | ImageBlock)[];

/** Texts and pictures, as they would be written: a copy that nobody holds. Throws on anything else: a hook is not trusted. */
export function soundBlocks(value: unknown): readonly (TextBlock | ImageBlock)[] {
  if (!Array.isArray(value) || value.length > MOST_BLOCKS)
    throw new Error("its content is no list of texts and pictures");
  checkSize(value);
  return Array.from(value, soundBlock);
}

/** The same, or a text. */
export function soundContent(value: unknown): Content {
  return typeof value === "string" ? soundText(value) : soundBlocks(value);
}

function soundText(text: string): string {
  checkSize([{ text }]);
  return text;
}

/** Throws where it would not go into a line of the log. */
export function checkSize(blocks: readonly unknown[]): void {
  const sizes = Array.from(blocks, (block) => {
    const { text, data } = Object(block) as Readonly<Record<string, unknown>>;
    return (typeof text === "string" ? text.length * LONGEST_LETTER : 0) + (typeof data === "string" ? data.length : 0);
  });
  if (sizes.reduce((sum, size) => sum + size, 0) > MOST_BYTES) throw new Error("its content is too long to be kept");
}

/** Of a line that may have 32 MB. */
const MOST_BYTES = 24 * 1024 * 1024;
/** As JSON, at worst. */
const LONGEST_LETTER = 6;

const MOST_BLOCKS = 1000;

function soundBlock(value: unknown): TextBlock | ImageBlock {
  const { type, text, data, mimeType } = Object(value) as Readonly<Record<string, unknown>>;
  const mark = readAttachmentMark(value);
  const pith = mark && { pith: { attachment: mark } };
  if (type === "text" && typeof text === "string") return { type, text, ...pith };
  if (type === "image" && typeof data === "string" && typeof mimeType === "string")
    return { type, data, mimeType, ...pith };
  throw new Error("its content holds something that is neither a text nor a picture");
}

/** Details are for logs: whatever has no JSON has no place there. */
export function soundDetails(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new Error("its details are no JSON");
  if (text.length > MOST_LETTERS) throw new Error(`its details have more than ${MOST_LETTERS} letters`);
  return JSON.parse(text);
}

const MOST_LETTERS = 256 * 1024;

/** Whether two values would be the same in a log. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, sorted(field)]));
}

export type Kept = UserMessage | AssistantMessage | ToolResultMessage;

type MessageParts = Pick<RunParts, "session" | "hooks" | "ports" | "signal">;

/** Each hook sees what the one before it left, without secrets. Stopped, the message stays as it is. */
export async function hookedMessage<Each extends Kept>(message: Each, parts: MessageParts): Promise<Each> {
  const { session, hooks, ports, signal } = parts;
  let kept = message;
  for (const hook of hooks.message_end ?? []) {
    const read = (result: unknown): Each | null => session.redact(messageIn(result, kept));
    const asking = { host: hooks, runtime: ports, signal, read };
    const told = () => ({ type: "message_end" as const, message: JSON.parse(JSON.stringify(kept)) as Each });
    const { answers, isCancelled } = await runHooks([hook], told, asking);
    if (isCancelled && !signal.aborted) throw new NotWritten(UNWATCHED);
    kept = answers[0] ?? kept;
  }
  return kept;
}

const UNWATCHED = "a hook that watches over every message failed, so it was not kept; mend it, and say it again";

function messageIn<Each extends Kept>(result: unknown, before: Each): Each | null {
  const { message } = Object(result) as { readonly message?: unknown };
  if (message === undefined || message === null) return null;
  const fields = Object(message) as Readonly<Record<string, unknown>>;
  if (fields.role !== before.role) throw new Error(`its message is none of role ${before.role}`);
  return { ...before, ...changes(before, fields) };
}

function changes(before: Kept, fields: Readonly<Record<string, unknown>>): Partial<Kept> {
  switch (before.role) {
    case "user":
      return { content: keepMarks(before.content, spoken(soundContent(fields.content))) };
    case "toolResult":
      return resultChanges(before, fields);
    case "assistant":
      sameFields(before, fields);
      return { content: replyContent(before.content, fields.content) };
  }
}

/**
 * WORD2: whatever a hook makes of a message, no attachment becomes the user's word. A block that stays as it was keeps its mark; one
 * that the hook changed has the mark of the block in its place; one that is new has the mark of the first attachment.
 */
export function keepMarks(before: Content, after: Content): Content {
  const { typed, attachments } = splitContent(before);
  const first = attachments.find(({ name }) => name !== "");
  if (!first || splitContent(after).typed === "" || after === typed) return after;
  const former = marksIn(before);
  const isUnmarked = typeof before === "string" || !before.some((block) => readAttachmentMark(block));
  // Earlier versions and pi set no marks: what still has their form is still read by it.
  if (isUnmarked && splitContent(after).typed === typed) return after;
  const blocks: readonly (TextBlock | ImageBlock)[] =
    typeof after === "string" ? [{ type: "text", text: after }] : after;
  const texts = blocks.map(textOf);
  let left = typed.trim() === "" || texts.includes(typed) ? null : typed;
  return blocks.map((block, at) => {
    if (readAttachmentMark(block)) return block;
    const text = textOf(block);
    const same = former.find((each) => each.text === text && each.type === block.type);
    if (same) return withMark(block, same.mark);
    const place = former.length === blocks.length ? former[at] : undefined;
    const isRewritten = place?.type === block.type && !texts.includes(place.text);
    if (isRewritten && typeof after !== "string" && place.mark?.typed === undefined) return withMark(block, place.mark);
    if (block.type === "image" || text === typed) return block;
    const { kind, name, typed: command } = place?.mark ?? first;
    // What was typed stays typed where the hook has put it into one text with the rest.
    const own =
      command !== undefined && former.length === 1 ? command : left !== null && text.includes(left) ? left : null;
    if (own !== null) left = null;
    return withMark(block, { kind, name, ...(own !== null && { typed: own }) });
  });
}

interface FormerBlock {
  readonly type: string;
  readonly text: string;
  readonly mark: AttachmentMark | null;
}

/** The blocks of a message, with the marks that they have or, by their form, should have. */
function marksIn(content: Content): readonly FormerBlock[] {
  const blocks: readonly (TextBlock | ImageBlock)[] =
    typeof content === "string" ? [{ type: "text", text: content }] : content;
  return blocks.map((block) => {
    const { typed, attachments } = splitContent(block.type === "text" ? block.text : []);
    const [old] = attachments;
    const read = old ? { kind: old.kind, name: old.name, ...(typed.trim() !== "" && { typed }) } : null;
    return { type: block.type, text: textOf(block), mark: readAttachmentMark(block) ?? read };
  });
}

const textOf = (block: TextBlock | ImageBlock): string => (block.type === "text" ? block.text : block.data);

function withMark<Block extends TextBlock | ImageBlock>(block: Block, mark: AttachmentMark | null): Block {
  return mark ? { ...block, pith: { attachment: mark } } : block;
}

function spoken<Content extends { readonly length: number }>(content: Content): Content {
  if (content.length === 0) throw new Error("its message is empty");
  return content;
}

function resultChanges(
  before: ToolResultMessage,
  { toolCallId, content, details, isError }: Readonly<Record<string, unknown>>,
): Partial<ToolResultMessage> {
  if (toolCallId !== before.toolCallId) throw new Error("its result answers another call");
  return {
    content: soundBlocks(content),
    ...(details !== undefined && { details: soundDetails(details) }),
    ...(typeof isError === "boolean" && { isError }),
  };
}

const FIXED = ["api", "provider", "model", "usage", "stopReason", "timestamp"] as const;

// What was paid, to whom and why it ended is what the provider said.
function sameFields(before: AssistantMessage, fields: Readonly<Record<string, unknown>>): void {
  const changed = FIXED.find((name) => !isSameJson(before[name], fields[name]));
  if (changed) throw new Error(`its reply has another ${changed}`);
}

type ReplyContent = AssistantMessage["content"];

/** Thoughts are signed, and calls are answered: both stay, in their order; words may be others. */
export function replyContent(before: ReplyContent, value: unknown): ReplyContent {
  if (!Array.isArray(value)) throw new Error("its reply has no content");
  checkSize(value);
  const firm = before.filter((block) => block.type !== "text");
  const spare = before.filter((block) => block.type === "text");
  let next = 0;
  const content = Array.from(value, (block: unknown): ReplyContent[number] => {
    if (Object(block).type === "text") return words(spare, block);
    const own = firm[next++];
    if (!own || !isSameJson(own, block)) throw new Error("its reply has other calls or thoughts");
    return own;
  });
  if (next !== firm.length) throw new Error("its reply lacks calls or thoughts");
  if (before[0]?.type === "thinking" && content[0]?.type !== "thinking")
    throw new Error("its reply has something before the first thought");
  return content;
}

// A signature belongs to the words it came with, and providers refuse one that comes twice.
function words(spare: TextBlock[], block: unknown): TextBlock {
  const [{ text }] = soundBlocks([block]) as readonly [TextBlock];
  const at = spare.findIndex((each) => each.text === text);
  const [own] = at < 0 ? [] : spare.splice(at, 1);
  return own ?? { type: "text", text };
}
