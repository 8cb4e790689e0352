/** Content that a hook answered with. It comes from outside: what is none is thrown, and whoever asked the hook reports it. */

import type { ImageBlock, TextBlock } from "@pith/context";

export type Content = string | readonly (TextBlock | ImageBlock)[];

/** Texts and pictures, as they would be written: a copy that nobody holds. */
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
  if (type === "text" && typeof text === "string") return { type, text };
  if (type === "image" && typeof data === "string" && typeof mimeType === "string") return { type, data, mimeType };
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
