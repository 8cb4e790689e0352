/**
 * Renders what a user attaches to a message, marks it in its block, and tells it from what the user typed (WORD1). The text of an
 * attachment is never the user's word; only what this file returns as `typed` is.
 */

import { isObject, type JsonObject } from "../json.ts";
import type { AttachmentKind, AttachmentMark, ImageBlock, TextBlock } from "../message.ts";
import { parseBlobBlock } from "../session/blobs.ts";
import { sanitizeLine, toVisualSkeleton } from "../text/sanitize.ts";

/** One attachment of a message, as it was sent. */
export interface Attachment extends AttachmentMark {
  /** With the element around it; of an image, the line that names it. */
  readonly text: string;
}

/** A user message in two parts. */
export interface MessageParts {
  /** Byte for byte what the user typed; of a template, the command that inserted it. */
  readonly typed: string;
  readonly attachments: readonly Attachment[];
}

/** The block of an attached text. Nothing in the text or the name can end the element around it. */
export function attachText(mark: AttachmentMark, text: string): TextBlock {
  return { type: "text", text: renderAttachment(mark, text), pith: { attachment: mark } };
}

/** The blocks of an attached image: a line that names it, and the image. `lead` is that line, where it is not the usual one. */
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

/** A template and a skill are sent as they are: they are requests that the user has chosen. */
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

/** `</file>` becomes `<\/file>`, however it is spelled; everything else stays byte for byte. */
function escapeEndTags(text: string): string {
  return text.replace(END_TAG_CANDIDATE, (match) =>
    END_TAG_PATTERN.test(toVisualSkeleton(match.slice(1))) ? `${match[0]}\\${match.slice(1)}` : match,
  );
}

const ELEMENT_TAGS = Object.values(ATTACHMENT_ELEMENTS).flatMap((element) => (element ? [element.tag] : []));
const LESS_THAN_CHARS = "<＜﹤˂ᐸ⟨〈\u2329❬❮❰";
/** An end tag, or what looks like one, up to what could begin or end another: it may have blanks or invisible letters in it. */
const END_TAG_CANDIDATE = new RegExp(`[${LESS_THAN_CHARS}][^${LESS_THAN_CHARS}>＞﹥]*`, "gu");
const END_TAG_PATTERN = new RegExp(`^[/⁄∕⧸╱⟋〳⼃丿ノ᜵Ⳇ](?:${ELEMENT_TAGS.join("|")})`, "u");

/** As the value of an attribute, on one line. `&` stays where it stands for itself, so that most paths stay as they are. */
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

/** What the user typed, and what was attached to it. Takes content as files hold it: nothing in it is checked. */
export function splitContent(content: unknown): MessageParts {
  if (typeof content === "string") return splitOldText(content);
  if (!Array.isArray(content)) return { typed: "", attachments: [] };
  return content.some((block) => readAttachmentMark(block) !== null) ? splitMarked(content) : splitUnmarked(content);
}

/** The text that the user typed. */
export function readTypedText(content: unknown): string {
  return splitContent(content).typed;
}

/** The mark of a block; null for a block that the user typed. */
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

/** An image, or the line that stands for one that lies beside the session. */
function isImageBlock(block: JsonObject): boolean {
  return block.type === "image" || parseBlobBlock(block)?.mimeType.startsWith("image/") === true;
}

// Entries of earlier versions have no marks: a file was a block of its own, and pi puts files at the beginning of the only text.
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

/** Of the line before an image; null for any other block. */
function oldImageName(blocks: readonly JsonObject[], index: number): string | null {
  const [text, next] = [blocks[index]?.text, blocks[index + 1]];
  if (typeof text !== "string" || !next || !isImageBlock(next)) return null;
  return OLD_IMAGE_LINE.exec(text)?.[1] ?? OLD_MARKER.exec(text)?.[0] ?? null;
}

const IMAGE_WITHOUT_NAME: Attachment = { kind: "image", name: "", text: "" };
const OLD_IMAGE_LINE = /^The picture ([^\n]+):$/;
const OLD_MARKER = /^\[picture \d+: [^\]\n]+\]$/;

/** A block that begins as an element is one, whatever stands behind its end. Only the last one, which may be typed, must end. */
function parseOldBlock(text: string, isLast: boolean): Attachment | null {
  const mark = parseOldMark(text);
  return mark === null || (isLast && lastEndTagIndex(text) < 0) ? null : { ...mark, text };
}

/** Up to the last end tag: whatever a file says of where it ends is part of the file. */
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

/** Also those of pi, which has an element for skills. */
const OLD_TAGS = [...ELEMENT_TAGS, "template", "skill"];
const OLD_START = new RegExp(
  `^\\s*<(stdin(?=>)|(?:${OLD_TAGS.join("|")})(?=\\s))(?:\\s+(?:name|path|uri|location)="([^"]*)|(?<=<stdin)>)`,
);

function lastEndTagIndex(text: string): number {
  const ends = OLD_TAGS.map((tag) => text.lastIndexOf(`</${tag}>`));
  const index = Math.max(...ends);
  return index < 0 ? -1 : text.indexOf(">", index) + 1;
}

/** For people: what was typed, and the names of attachments that it does not name. */
export function displayText(content: unknown): string {
  const { typed, attachments } = splitContent(content);
  const mentions = attachments.map(formatMention).filter((name) => name !== "" && !typed.includes(name));
  return [...mentions, ...(typed.trim() === "" && mentions.length > 0 ? [] : [typed])].join("\n");
}

/** As a user would type it; empty for what is named by a marker or shown in another way. */
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

/** For an editor, to be sent again: pastes stand in their places, and files are named so that they are attached again. */
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

/** Without the element around it. */
function attachmentContent({ text }: Attachment): string {
  return text.replace(/^<[^\n]*>\n/, "").replace(/\n<\/\w+>$/, "");
}

/** One line that names what was attached and how it is read again: `[attached: src/a.ts, 42 lines; read #12]`; empty for none. */
export function formatAttachmentLine(attachments: readonly Attachment[], handle: string): string {
  if (attachments.length === 0) return "";
  const descriptions = attachments.slice(0, MAX_LISTED_ATTACHMENTS).map(describeAttachment);
  const more =
    attachments.length > MAX_LISTED_ATTACHMENTS ? [`${attachments.length - MAX_LISTED_ATTACHMENTS} more`] : [];
  return `[attached: ${[...descriptions, ...more].join("; ")}; read ${handle}]`;
}

const MAX_LISTED_ATTACHMENTS = 8;

/** On one line, and nothing in it looks like a part of ours. */
export function describeAttachment({ kind, name, text }: Attachment): string {
  const size = formatLineCount(text, kind);
  switch (kind) {
    case "image":
      return name === "" ? "an image" : `image ${shortAttachmentName(name)}`;
    case "stdin":
      return `piped input, ${size}`;
    // Its name says how long it is.
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

/** A name is data: brackets, quotes and line ends in it would let it pass for something else. */
function shortAttachmentName(name: string): string {
  const short = sanitizeLine(name, MAX_SHORT_NAME_CHARS)
    .replace(/[[［【]/g, "(")
    .replace(/[\]］】]/g, ")")
    .replace(/[<>"“”;]/g, "'");
  return /\s/.test(short) ? `"${short}"` : short;
}

const MAX_SHORT_NAME_CHARS = 120;

/** A message as a compaction quotes it: the typed text, and the line that names the attachments. */
export function splitQuotation(text: string): { readonly typed: string; readonly attached: string } {
  const lines = text.trimEnd().split("\n");
  const last = lines.at(-1) ?? "";
  return ATTACHMENT_LINE_PATTERN.test(last)
    ? { typed: lines.slice(0, -1).join("\n"), attached: last }
    : { typed: text, attached: "" };
}

const ATTACHMENT_LINE_PATTERN = /^\[attached: [^[\]\n]*\]$/;
