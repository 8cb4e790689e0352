/** A stretch of a text that fits into so many bytes, ending between lines where it can, never inside a letter. */

import { cuttable } from "../../text/whole-letters.ts";

export interface Part {
  readonly text: string;
  /** Where the next part begins; null at the end. */
  readonly next: number | null;
}

export function partOf(text: string, { offset, room }: { readonly offset: number; readonly room: number }): Part {
  const start = cuttable(text, offset);
  const { read } = new TextEncoder().encodeInto(text.slice(start, start + room), new Uint8Array(room));
  const most = start + read;
  if (most >= text.length) return { text: text.slice(start), next: null };
  const lineEnd = text.lastIndexOf("\n", most - 1) + 1;
  const end = lineEnd > start + read / 2 ? lineEnd : most;
  return { text: text.slice(start, end), next: end };
}
