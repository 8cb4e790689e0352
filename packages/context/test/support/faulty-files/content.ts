/** Holds the bytes of one file and their unsynced changes, so that a power cut can undo them. */

export interface FileContent {
  /** Often longer than the file; beyond its size all is zero. */
  bytes: Uint8Array;
  size: number;
  /** Oldest first. */
  unsynced: ContentChange[];
}

export type ContentChange =
  | { readonly type: "append"; readonly position: number; readonly bytes: Uint8Array }
  | { readonly type: "truncate"; readonly from: number; readonly to: number; readonly removedBytes: Uint8Array };

export function createFileContent(bytes: Uint8Array): FileContent {
  return { bytes: bytes.slice(), size: bytes.length, unsynced: [] };
}

export function copyFileBytes({ bytes, size }: FileContent): Uint8Array {
  return bytes.slice(0, size);
}

export function readContent({ bytes, size }: FileContent, into: Uint8Array, position: number): number {
  const chunk = bytes.subarray(Math.min(position, size), Math.min(position + into.length, size));
  into.set(chunk);
  return chunk.length;
}

export function appendContent(content: FileContent, bytes: Uint8Array): void {
  if (bytes.length === 0) return;
  content.unsynced.push({ type: "append", position: content.size, bytes: bytes.slice() });
  writeBytes(content, content.size, bytes);
  content.size += bytes.length;
}

export function truncateContent(content: FileContent, to: number): void {
  const { bytes, size: from } = content;
  if (to === from) return;
  content.unsynced.push({ type: "truncate", from, to, removedBytes: bytes.slice(to, from) });
  resizeContent(content, to);
}

export function syncContent(content: FileContent): void {
  content.unsynced = [];
}

/** A copy as it was when it was last synced. */
export function toSyncedContent(content: FileContent): FileContent {
  const copy = createFileContent(copyFileBytes(content));
  for (const change of content.unsynced.toReversed()) {
    resizeContent(copy, change.type === "append" ? change.position : change.from);
    if (change.type === "truncate") writeBytes(copy, change.to, change.removedBytes);
  }
  return copy;
}

/** Puts bytes in their place without a word about the size. */
export function writeBytes(content: FileContent, position: number, bytes: Uint8Array): void {
  ensureCapacity(content, position + bytes.length);
  content.bytes.set(bytes, position);
}

/** Cuts off, or fills up with zeros. */
export function resizeContent(content: FileContent, size: number): void {
  ensureCapacity(content, size);
  content.bytes.fill(0, size);
  content.size = size;
}

function ensureCapacity(content: FileContent, length: number): void {
  if (length <= content.bytes.length) return;
  const larger = new Uint8Array(Math.max(length, 2 * content.bytes.length));
  larger.set(content.bytes);
  content.bytes = larger;
}
