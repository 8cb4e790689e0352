/**
 * Renders the attachments of a user message, marks their blocks, and separates them from the text that the user typed (WORD1). The text
 * of an attachment never counts as the user's own; only `typed` does.
 */

import { isObject, type JsonObject } from "../json.ts";
import type { AttachmentKind, AttachmentMark, ImageBlock, TextBlock } from "../message.ts";
import { parseBlobBlock } from "../session/blobs.ts";
import { sanitizeLine, toVisualSkeleton } from "../text/sanitize.ts";

/** Creates the block of an attached text. Nothing in the text or the name can close the element around it. */
export function attachText(mark: AttachmentMark, text: string): TextBlock {
  return { type: "text", text: renderAttachment(mark, text), pith: { attachment: mark } };
}

/** Creates the blocks of an attached image: a line that names it, and the image. `line` replaces the default line. */
export function attachImage(name: string, image: ImageBlock, line?: string): readonly (TextBlock | ImageBlock)[] {
  const pith = { attachment: { kind: "image" as const, name } };
  const text = line ?? `The picture ${escapeAttachmentName(name)}:`;
  return [
    { type: "text", text, pith },
    { ...image, pith },
  ];
}

function renderAttachment({ kind, name }: AttachmentMark, text: string): string {
  const element = ATTACHMENT_ELEMENTS[kind];
  if (!element) return text;
  const { tag, attribute } = element;
  const startTag = attribute === null ? `<${tag}>` : `<${tag} ${attribute}="${escapeAttachmentName(name)}">`;
  return `${startTag}\n${escapeEndTags(text)}${text.endsWith("\n") ? "" : "\n"}</${tag}>`;
}

interface AttachmentElement {
  readonly tag: string;
  readonly attribute: string | null;
}

/** Templates and skills have no element: they are requests that the user chose. */
const ATTACHMENT_ELEMENTS: Readonly<Record<AttachmentKind, AttachmentElement | null>> = {
  file: { tag: "file", attribute: "path" },
  folder: { tag: "folder", attribute: "path" },
  stdin: { tag: "stdin", attribute: null },
  paste: { tag: "paste", attribute: "name" },
  resource: { tag: "resource", attribute: "uri" },
  attachment: { tag: "attachment", attribute: "name" },
  image: null,
  template: null,
  skill: null,
};

/** Replaces `</file>` and its lookalikes by `<\/file>`. All other text stays unchanged. */
function escapeEndTags(text: string): string {
  return text.replace(END_TAG_CANDIDATE, (match) =>
    END_TAG_PATTERN.test(toVisualSkeleton(match.slice(1))) ? `${match[0]}\\${match.slice(1)}` : match,
  );
}

const ELEMENT_TAGS = Object.values(ATTACHMENT_ELEMENTS).flatMap((element) => (element ? [element.tag] : []));
const LESS_THAN_CHARS = "<＜﹤˂ᐸ⟨〈\u2329❬❮❰";
/** An end tag or a lookalike, which may contain blanks or invisible characters. */
const END_TAG_CANDIDATE = new RegExp(`[${LESS_THAN_CHARS}][^${LESS_THAN_CHARS}>＞﹥]*`, "gu");
const END_TAG_PATTERN = new RegExp(`^[/⁄∕⧸╱⟋〳⼃丿ノ᜵Ⳇ](?:${ELEMENT_TAGS.join("|")})`, "u");

/** Escapes a name as an attribute value on one line. `&` is escaped only before an entity, so that most paths stay unchanged. */
function escapeAttachmentName(name: string): string {
  return name
    .slice(0, MAX_ATTACHMENT_NAME_CHARS)
    .toWellFormed()
    .replace(/&(?=#?\w+;)/g, "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (char) => `&#x${char.codePointAt(0)?.toString(16)};`);
}

const MAX_ATTACHMENT_NAME_CHARS = 4_096;

/** Splits the content of a user message into typed text and attachments. The content comes from a file and may be any value. */
export function splitContent(content: unknown): MessageParts {
  if (typeof content === "string") return splitOldText(content);
  if (!Array.isArray(content)) return { typed: "", attachments: [] };
  return content.some((block) => readAttachmentMark(block) !== null) ? splitMarked(content) : splitUnmarked(content);
}

/** The typed text and the attachments of a user message. */
export interface MessageParts {
  /** The exact text that the user typed; for a template, the command that inserted it. */
  readonly typed: string;
  readonly attachments: readonly Attachment[];
}

/** One attachment in a message, as it was sent. */
export interface Attachment extends AttachmentMark {
  /** The text with its XML element; for an image, the line that names it. */
  readonly text: string;
}

/** Returns the attachment mark of a block, or null for a block that the user typed. */
export function readAttachmentMark(block: unknown): AttachmentMark | null {
  const mark = isObject(block) && isObject(block.pith) ? block.pith.attachment : null;
  if (!isObject(mark) || typeof mark.kind !== "string" || typeof mark.name !== "string") return null;
  const { kind, name, typed } = mark;
  return { kind: kind as AttachmentKind, name, ...(typeof typed === "string" && { typed }) };
}

function splitMarked(content: readonly unknown[]): MessageParts {
  const typed: string[] = [];
  const attachments: Attachment[] = [];
  for (const block of content) {
    if (!isObject(block)) continue;
    const text = typeof block.text === "string" ? block.text : "";
    const mark = readAttachmentMark(block);
    if (mark === null && isImageBlock(block)) attachments.push(IMAGE_WITHOUT_NAME);
    else if (mark === null && block.type === "text") typed.push(text);
    if (mark === null) continue;
    if (mark.typed !== undefined) typed.push(mark.typed);
    const isListed =
      isImageBlock(block) && attachments.some(({ kind, name }) => kind === mark.kind && name === mark.name);
    if (!isListed) attachments.push({ ...mark, text });
  }
  return { typed: typed.join("\n"), attachments };
}

/** Whether a block is an image, or the placeholder of an image that is stored as a blob. */
function isImageBlock(block: JsonObject): boolean {
  return block.type === "image" || parseBlobBlock(block)?.mimeType.startsWith("image/") === true;
}

// Entries of earlier versions have no marks: each file was its own block, and pi puts files at the beginning of the only text.
function splitUnmarked(content: readonly unknown[]): MessageParts {
  const blocks = content.filter(isObject);
  const isText = (block: JsonObject, index: number): boolean =>
    block.type === "text" && !isImageBlock(block) && oldImageName(blocks, index) === null;
  const isOnlyText = blocks.filter(isText).length === 1;
  const lastText = blocks.findLastIndex(isText);
  const typed: string[] = [];
  const attachments: Attachment[] = [];
  blocks.forEach((block, index) => {
    if (isImageBlock(block) && oldImageName(blocks, index - 1) === null) attachments.push(IMAGE_WITHOUT_NAME);
    if (isImageBlock(block) || block.type !== "text" || typeof block.text !== "string") return;
    const { text } = block;
    const image = oldImageName(blocks, index);
    const old = image === null && !isOnlyText ? parseOldBlock(text, index === lastText) : null;
    if (image !== null) attachments.push({ kind: "image", name: image, text });
    if (old) attachments.push(old);
    if (image !== null || old) return;
    const parts = isOnlyText ? splitOldText(text) : { typed: text, attachments: [] };
    attachments.push(...parts.attachments);
    if (parts.typed !== "") typed.push(parts.typed);
  });
  return { typed: typed.join("\n"), attachments };
}

/** Returns the name in the line before an image, or null for any other block. */
function oldImageName(blocks: readonly JsonObject[], index: number): string | null {
  const [text, next] = [blocks[index]?.text, blocks[index + 1]];
  if (typeof text !== "string" || !next || !isImageBlock(next)) return null;
  return OLD_IMAGE_LINE.exec(text)?.[1] ?? OLD_IMAGE_MARKER.exec(text)?.[0] ?? null;
}

const IMAGE_WITHOUT_NAME: Attachment = { kind: "image", name: "", text: "" };
const OLD_IMAGE_LINE = /^The picture ([^\n]+):$/;
const OLD_IMAGE_MARKER = /^\[picture \d+: [^\]\n]+\]$/;

/** Parses a block that starts with an element. The last block may be typed, so it must also contain the end tag. */
function parseOldBlock(text: string, isLast: boolean): Attachment | null {
  const mark = parseOldMark(text);
  return mark === null || (isLast && lastEndTagIndex(text) < 0) ? null : { ...mark, text };
}

/** Splits a text at its last end tag: an end tag inside a file is part of the file. */
function splitOldText(text: string): MessageParts {
  const mark = parseOldMark(text);
  const end = mark === null ? -1 : lastEndTagIndex(text);
  if (mark === null || end < 0) return { typed: text, attachments: [] };
  const typed = text.slice(end).replace(mark.kind === "skill" ? /^\n{1,2}/ : /^\n/, "");
  return { typed, attachments: [{ ...mark, text: text.slice(0, end) }] };
}

function parseOldMark(text: string): AttachmentMark | null {
  const [, tag, name = "stdin"] = OLD_START.exec(text) ?? [];
  return tag === undefined ? null : { kind: tag as AttachmentKind, name };
}

/** Includes the tags of pi, which has an element for skills. */
const OLD_TAGS = [...ELEMENT_TAGS, "template", "skill"];
const OLD_START = new RegExp(
  `^\\s*<(stdin(?=>)|(?:${OLD_TAGS.join("|")})(?=\\s))(?:\\s+(?:name|path|uri|location)="([^"]*)|(?<=<stdin)>)`,
);

function lastEndTagIndex(text: string): number {
  const ends = OLD_TAGS.map((tag) => text.lastIndexOf(`</${tag}>`));
  const index = Math.max(...ends);
  return index < 0 ? -1 : text.indexOf(">", index) + 1;
}

/** Formats a message for display: the typed text, and the names of attachments that it does not mention. */
export function displayText(content: unknown): string {
  const { typed, attachments } = splitContent(content);
  const mentions = attachments.map(formatMention).filter((name) => name !== "" && !typed.includes(name));
  return [...mentions, ...(typed.trim() === "" && mentions.length > 0 ? [] : [typed])].join("\n");
}

/** Formats an attachment as a user would type it. Returns an empty string if it is shown in another way. */
function formatMention({ kind, name, text }: Attachment): string {
  switch (kind) {
    case "file":
    case "folder":
    case "image":
      if (name === "" || name.startsWith("[")) return name;
      return /\s/.test(name) ? `@"${name}"` : `@${name}`;
    case "stdin":
      return `(piped input, ${formatLineCount(text, kind)})`;
    case "paste":
      return `[${name}]`;
    case "template":
    case "skill":
      return "";
    default:
      return `(attached: ${shortAttachmentName(name)})`;
  }
}

/** Formats a message for an editor, so that it can be sent again: pastes are inlined, and files are mentioned so that they are attached again. */
export function editableText(content: unknown): string {
  const { typed, attachments } = splitContent(content);
  const prefixLines: string[] = [];
  let text = typed;
  for (const attachment of attachments) {
    const mention = formatMention(attachment);
    if (attachment.kind === "paste" && text.includes(mention))
      text = text.replace(mention, () => attachmentContent(attachment));
    else if (mention === "" || text.includes(mention)) continue;
    else prefixLines.push(mention.startsWith("(") ? attachment.text : mention);
  }
  return [...prefixLines, ...(text.trim() === "" && prefixLines.length > 0 ? [] : [text])].join("\n");
}

/** Returns the text of an attachment without its element. */
function attachmentContent({ text }: Attachment): string {
  return text.replace(/^<[^\n]*>\n/, "").replace(/\n<\/\w+>$/, "");
}

/** Formats one line that lists attachments and how to read them: `[attached: src/a.ts, 42 lines; read #12]`. Returns an empty string if there are none. */
export function formatAttachmentLine(attachments: readonly Attachment[], handle: string): string {
  if (attachments.length === 0) return "";
  const descriptions = attachments.slice(0, MAX_LISTED_ATTACHMENTS).map(describeAttachment);
  const more =
    attachments.length > MAX_LISTED_ATTACHMENTS ? [`${attachments.length - MAX_LISTED_ATTACHMENTS} more`] : [];
  return `[attached: ${[...descriptions, ...more].join("; ")}; read ${handle}]`;
}

const MAX_LISTED_ATTACHMENTS = 8;

/** Describes an attachment on one line. */
export function describeAttachment({ kind, name, text }: Attachment): string {
  const size = formatLineCount(text, kind);
  switch (kind) {
    case "image":
      return name === "" ? "an image" : `image ${shortAttachmentName(name)}`;
    case "stdin":
      return `piped input, ${size}`;
    // The name of a paste contains its length.
    case "paste":
      return shortAttachmentName(name);
    case "folder":
      return `folder ${shortAttachmentName(name)}, ${size}`;
    case "template":
    case "skill":
      return `text of the ${kind} ${shortAttachmentName(name)}, ${size}`;
    default:
      return `${shortAttachmentName(name)}, ${size}`;
  }
}

function formatLineCount(text: string, kind: AttachmentKind): string {
  const lines = text.split("\n").length - (ATTACHMENT_ELEMENTS[kind] ? 2 : 0);
  return lines === 1 ? "1 line" : `${Math.max(0, lines)} lines`;
}

/** Shortens a name and replaces brackets, quotes and line breaks, so that it cannot imitate other text. */
function shortAttachmentName(name: string): string {
  const short = sanitizeLine(name, MAX_SHORT_NAME_CHARS)
    .replace(/[[［【]/g, "(")
    .replace(/[\]］】]/g, ")")
    .replace(/[<>"“”;]/g, "'");
  return /\s/.test(short) ? `"${short}"` : short;
}

const MAX_SHORT_NAME_CHARS = 120;

/** Splits a message that a compaction quotes into the typed text and the line that lists the attachments. */
export function splitQuotation(text: string): { readonly typed: string; readonly attached: string } {
  const lines = text.trimEnd().split("\n");
  const last = lines.at(-1) ?? "";
  return ATTACHMENT_LINE_PATTERN.test(last)
    ? { typed: lines.slice(0, -1).join("\n"), attached: last }
    : { typed: text, attached: "" };
}

const ATTACHMENT_LINE_PATTERN = /^\[attached: [^[\]\n]*\]$/;
