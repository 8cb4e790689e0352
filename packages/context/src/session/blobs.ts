/** Builds and reads the text block that stands for a blob in an entry: its type, its size and its handle. pi reads it as plain text. */

import type { Entry } from "../entry.ts";
import { isObject } from "../json.ts";
import type { TextBlock } from "../message.ts";
import { blobReference } from "../references.ts";

/** What a block says of its blob. */
export interface BlobInfo {
  /** SHA-256 of the content, in 64 hexadecimal digits. */
  readonly hash: string;
  readonly mimeType: string;
  /** Of the content itself, not of its base64. */
  readonly bytes: number;
}

/** A text block with a field that pi passes over. */
export interface BlobBlock extends TextBlock {
  readonly pith: { readonly blob: string; readonly mimeType: string; readonly bytes: number };
}

/**
 * `tokens` is what the content would cost in a context, as the caller counts it:
 *
 *     blobBlock({ hash, mimeType: "image/png", bytes: 34816, tokens: 1200 }).text
 *     // "[image/png, 34 KB, about 1,200 tokens: blob:5891b5f2]"
 */
export function createBlobBlock({ hash, mimeType, bytes, tokens }: BlobInfo & { readonly tokens: number }): BlobBlock {
  const text = `[${mimeType}, ${formatByteSize(bytes)}, about ${tokens.toLocaleString("en-US")} tokens: ${blobReference(hash)}]`;
  return { type: "text", text, pith: { blob: hash, mimeType, bytes } };
}

/** Whether it can be the name of a blob: anything else is never made into a path. */
export function isBlobHash(hash: unknown): hash is string {
  return typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash);
}

/** The blob that a block stands for; null for any other block. It comes from a file, so nothing in it is taken on trust. */
export function parseBlobBlock(block: unknown): BlobInfo | null {
  if (!isObject(block) || block.type !== "text" || typeof block.text !== "string" || !isObject(block.pith)) return null;
  const { blob: hash, mimeType, bytes } = block.pith;
  if (!isBlobHash(hash) || typeof mimeType !== "string" || !/^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(mimeType))
    return null;
  return typeof bytes === "number" && Number.isSafeInteger(bytes) && bytes >= 0 ? { hash, mimeType, bytes } : null;
}

/** All blobs that an entry names, in order; one that it names twice comes twice. */
export function collectBlobs(entry: Entry): readonly BlobInfo[] {
  return contentBlocks(entry).flatMap((block) => parseBlobBlock(block) ?? []);
}

/** The entry as it would be without blobs; `contentOf` gives the base64 of an image and the text of all else, null leaves the block. */
export function inlineBlobs(entry: Entry, contentOf: (blob: BlobInfo) => string | null): Entry {
  return mapContentBlocks(entry, (block) => {
    const blob = parseBlobBlock(block);
    const content = blob && contentOf(blob);
    if (!blob || content === null) return block;
    const inlineBlock = isImageBlob(blob)
      ? { type: "image", data: content, mimeType: blob.mimeType }
      : { type: "text", text: content };
    return keepAttachmentMark(block, inlineBlock);
  });
}

/** The block that takes the place of another one; what was attached stays marked as attached. */
export function keepAttachmentMark<Each extends object>(before: unknown, after: Each): Each {
  const { attachment } = Object(Object(before).pith) as { readonly attachment?: unknown };
  return attachment === undefined ? after : { ...after, pith: { ...Object(Object(after).pith), attachment } };
}

export function isImageBlob({ mimeType }: Pick<BlobInfo, "mimeType">): boolean {
  return mimeType.startsWith("image/");
}

/** The same with every block of its content replaced by what is made of it; the entry itself where none has changed. */
export function mapContentBlocks<Each extends BlockHolder>(entry: Each, change: (block: unknown) => unknown): Each {
  const before = contentBlocks(entry);
  const after = before.map(change);
  if (after.every((block, index) => block === before[index])) return entry;
  switch (entry.type) {
    case "message":
      return { ...entry, message: { ...Object(entry.message), content: after } };
    case "context_edit":
      return { ...entry, replacement: { ...Object(entry.replacement), content: after } };
    default:
      return { ...entry, content: after };
  }
}

/** What of an entry or a draft holds blocks. */
export type BlockHolder = Pick<Entry, "type"> &
  Partial<Readonly<Record<"message" | "replacement" | "content", unknown>>>;

function contentBlocks({ type, message, replacement, content }: BlockHolder): readonly unknown[] {
  switch (type) {
    case "message":
      return contentList(message);
    case "context_edit":
      return contentList(replacement);
    case "custom_message":
      return contentList({ content });
    default:
      return [];
  }
}

function contentList(holder: unknown): readonly unknown[] {
  return isObject(holder) && Array.isArray(holder.content) ? holder.content : [];
}

function formatByteSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
