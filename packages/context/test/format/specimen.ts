/** Builds session files for tests, in the format of pi and of Pith, and their parts, and defines damaged files. */

import type { Entry } from "../../src/entry.ts";
import { serializeEntry } from "../../src/format/entry-line.ts";
import { withTrailer } from "../../src/format/line-checksum.ts";
import { decodeSession, type SessionFile } from "../../src/format/session-file.ts";
import { nodeRuntime } from "../../src/node/runtime.ts";
import type { FormatLimits } from "../../src/settings.ts";

export const { checksum } = nodeRuntime;

export const piHeader =
  '{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/home/ada"}';
export const ourHeader = piHeader.replace("}", ',"pith":{"format":1}}');

/** Creates the line of a short entry: `note("e2", "e1")`. */
export function note(id: string, parentId: string | null, more = ""): string {
  const position = `"id":${JSON.stringify(id)},"parentId":${JSON.stringify(parentId)}`;
  return `{"type":"custom",${position},"timestamp":"2026-01-01T00:00:01.000Z","customType":"note"${more}}`;
}

/** Creates the lines of a chain of short entries, e1 to en. */
export function chain(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => note(`e${index + 1}`, index === 0 ? null : `e${index}`));
}

/** Adds the numbers that entries without numbers on their lines get. */
export function numbered<Value extends object>(
  values: readonly Value[],
): readonly (Value & { readonly number: number })[] {
  return values.map((value, index) => ({ ...value, number: index + 1 }));
}

export function texts(entries: readonly Entry[]): readonly string[] {
  return entries.map((entry) => serializeEntry(entry));
}

/** Adds a trailer to each line. */
export function withTrailers(...lines: readonly string[]): readonly string[] {
  return lines.map((line) => withTrailer(line, {}, checksum));
}

/** Overwrites a header with blanks from the middle of its folder into its checksum: it is still JSON, without mark and trailer. */
export function blanked(header: string): string {
  const from = header.indexOf("/ada");
  const to = header.length - 6;
  return header.slice(0, from) + " ".repeat(to - from) + header.slice(to);
}

/** Adds batch marks and trailers to the lines of one batch. */
export function batch(...lines: readonly string[]): readonly string[] {
  return lines.map((line, index) => withTrailer(line, { batch: [index + 1, lines.length] }, checksum));
}

/** Returns the bytes of these lines, each with a line end. */
export function file(...lines: readonly (string | readonly string[])[]): Uint8Array {
  return bytesOf(
    lines
      .flat()
      .map((line) => `${line}\n`)
      .join(""),
  );
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function inUtf16(text: string, { mark = true, big = false } = {}): Uint8Array {
  const units = `${mark ? "\ufeff" : ""}${text}`.split("").map((char) => char.charCodeAt(0));
  return Uint8Array.from(units.flatMap((unit) => (big ? [unit >> 8, unit & 0xff] : [unit & 0xff, unit >> 8])));
}

export function textOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

export function read(bytes: Uint8Array, limits?: FormatLimits): SessionFile {
  return decodeSession(bytes, limits ? { checksum, limits } : { checksum });
}

/** Formats damage as `kind@line`. */
export function damageIn({ damage }: SessionFile): string {
  return damage.map(({ kind, line }) => `${kind}@${line}`).join(" ");
}

/** Formats ids in file order, gaps in parentheses. An offset in an id is shown as the index of its line. */
export function idsIn(entries: readonly Entry[], bytes: Uint8Array = new Uint8Array()): string {
  const numbers = lineNumbers(bytes);
  const formatId = (id: string): string =>
    id.replace(/(?<=^gap-|^gap-before-|~)\d+/, (offset) => `${numbers.get(Number(offset)) ?? offset}`);
  return entries.map(({ id, type }) => (type === "gap" ? `(${formatId(id)})` : formatId(id))).join(" ");
}

/** Returns the id that is derived from the offset of a line, given by its index after the header. */
export function idAt(bytes: Uint8Array, prefix: string, number: number): string {
  const [offset] = [...lineNumbers(bytes)].find(([, each]) => each === number) ?? [];
  return `${prefix}${offset}`;
}

function lineNumbers(bytes: Uint8Array): ReadonlyMap<number, number> {
  const numbers = new Map<number, number>();
  let next = 0;
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start);
    const line = textOf(bytes.subarray(start, end === -1 ? bytes.length : end));
    if (!line.startsWith('{"type":"session"')) numbers.set(start, next++);
    start = end === -1 ? bytes.length : end + 1;
  }
  return numbers;
}

export function entriesIn({ lines }: SessionFile): readonly Entry[] {
  return lines.map((line) => line.entry);
}

export interface DamagedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Every damage in file order, as `kind@line`. */
  readonly damage: string;
  /** Ids in file order, gaps in brackets. */
  readonly entries: string;
  /** From the root to the last entry that can be read; all entries, if not said. */
  readonly branch?: string;
  readonly limits?: FormatLimits;
  /** Written by a newer program: it can be read, not written. */
  readonly future?: boolean;
}
