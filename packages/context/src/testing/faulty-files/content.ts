/** Holds the bytes of one file and their unsynced changes, so that a power cut can undo them. */

export interface Content {
  /** Often longer than the file; beyond its size all is zero. */
  bytes: Uint8Array;
  size: number;
  /** Oldest first. */
  unsynced: ContentChange[];
}

export type ContentChange =
  | { readonly type: "append"; readonly at: number; readonly bytes: Uint8Array }
  | { readonly type: "truncate"; readonly from: number; readonly to: number; readonly lost: Uint8Array };

export function contentOf(bytes: Uint8Array): Content {
  return { bytes: bytes.slice(), size: bytes.length, unsynced: [] };
}

export function bytesOf({ bytes, size }: Content): Uint8Array {
  return bytes.slice(0, size);
}

export function readContent({ bytes, size }: Content, into: Uint8Array, position: number): number {
  const found = bytes.subarray(Math.min(position, size), Math.min(position + into.length, size));
  into.set(found);
  return found.length;
}

export function appendContent(content: Content, bytes: Uint8Array): void {
  if (bytes.length === 0) return;
  content.unsynced.push({ type: "append", at: content.size, bytes: bytes.slice() });
  put(content, content.size, bytes);
  content.size += bytes.length;
}

export function truncateContent(content: Content, to: number): void {
  const { bytes, size: from } = content;
  if (to === from) return;
  content.unsynced.push({ type: "truncate", from, to, lost: bytes.slice(to, from) });
  resize(content, to);
}

export function syncContent(content: Content): void {
  content.unsynced = [];
}

/** A copy as it was when it was last synced. */
export function asSynced(content: Content): Content {
  const copy = contentOf(bytesOf(content));
  for (const change of content.unsynced.toReversed()) {
    resize(copy, change.type === "append" ? change.at : change.from);
    if (change.type === "truncate") put(copy, change.to, change.lost);
  }
  return copy;
}

/** Puts bytes in their place without a word about the size. */
export function put(content: Content, at: number, bytes: Uint8Array): void {
  makeSpace(content, at + bytes.length);
  content.bytes.set(bytes, at);
}

/** Cuts off, or fills up with zeros. */
export function resize(content: Content, size: number): void {
  makeSpace(content, size);
  content.bytes.fill(0, size);
  content.size = size;
}

function makeSpace(content: Content, length: number): void {
  if (length <= content.bytes.length) return;
  const larger = new Uint8Array(Math.max(length, 2 * content.bytes.length));
  larger.set(content.bytes);
  content.bytes = larger;
}
