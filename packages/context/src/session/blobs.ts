/** Creates and parses the text block that stands for a blob in an entry. pi reads it as plain text. */

import { blobReference } from "../citations.ts";
import type { Entry } from "../entry.ts";
import { isObject } from "../json.ts";
import type { TextBlock } from "../message.ts";

/** The blob that a block refers to. */
export interface BlobInfo {
  /** The SHA-256 of the content, in 64 hexadecimal digits. */
  readonly hash: string;
  readonly mimeType: string;
  /** The size of the content, not of its base64 form. */
  readonly bytes: number;
}

/** A text block with a field that pi ignores. */
export interface BlobBlock extends TextBlock {
  readonly pith: { readonly blob: string; readonly mimeType: string; readonly bytes: number };
}

/**
 * Creates the block that refers to a blob. `tokens` is the estimated size of the content in a context:
 *
 *     createBlobBlock({ hash, mimeType: "image/png", bytes: 34816, tokens: 1200 }).text
 *     // "[image/png, 34 KB, about 1,200 tokens: blob:5891b5f2]"
 */
export function createBlobBlock({ hash, mimeType, bytes, tokens }: BlobInfo & { readonly tokens: number }): BlobBlock {
  const text = `[${mimeType}, ${formatByteSize(bytes)}, about ${tokens.toLocaleString("en-US")} tokens: ${blobReference(hash)}]`;
  return { type: "text", text, pith: { blob: hash, mimeType, bytes } };
}

/** Whether the value is a valid blob hash. Any other value must never become part of a path. */
export function isBlobHash(hash: unknown): hash is string {
  return typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash);
}

/** Returns the blob that a block refers to, or null. The block comes from a file, so every field is checked. */
export function parseBlobBlock(block: unknown): BlobInfo | null {
  if (!isObject(block) || block.type !== "text" || typeof block.text !== "string" || !isObject(block.pith)) return null;
  const { blob: hash, mimeType, bytes } = block.pith;
  if (!isBlobHash(hash) || typeof mimeType !== "string" || !/^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(mimeType))
    return null;
  return typeof bytes === "number" && Number.isSafeInteger(bytes) && bytes >= 0 ? { hash, mimeType, bytes } : null;
}

/** Returns the blobs that an entry refers to, in order, with repetitions. */
export function collectBlobs(entry: Entry): readonly BlobInfo[] {
  return contentBlocks(entry).flatMap((block) => parseBlobBlock(block) ?? []);
}

/** Replaces blob blocks with their content. `contentOf` returns base64 for an image and text for other types; null keeps the block. */
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

/** Copies the attachment mark of a block to the block that replaces it. */
export function keepAttachmentMark<Block extends object>(before: unknown, after: Block): Block {
  const { attachment } = Object(Object(before).pith) as { readonly attachment?: unknown };
  return attachment === undefined ? after : { ...after, pith: { ...Object(Object(after).pith), attachment } };
}

/** Whether the blob is an image. */
export function isImageBlob({ mimeType }: Pick<BlobInfo, "mimeType">): boolean {
  return mimeType.startsWith("image/");
}

/** Maps every content block of an entry. Returns the same entry if no block changes. */
function mapContentBlocks<Holder extends BlockHolder>(entry: Holder, change: (block: unknown) => unknown): Holder {
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

/** The fields of an entry that can hold content blocks. */
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
