/** Builds session files for tests, in the format of pi and of Pith, and their parts. */

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

/** A short entry: `note("e2", "e1")`. */
export function note(id: string, parentId: string | null, more = ""): string {
  const place = `"id":${JSON.stringify(id)},"parentId":${JSON.stringify(parentId)}`;
  return `{"type":"custom",${place},"timestamp":"2026-01-01T00:00:01.000Z","customType":"note"${more}}`;
}

/** A chain of short entries, e1 to en. */
export function chain(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => note(`e${at + 1}`, at === 0 ? null : `e${at}`));
}

/** What entries without numbers on their lines are read as. */
export function numbered<Value extends object>(
  values: readonly Value[],
): readonly (Value & { readonly number: number })[] {
  return values.map((value, at) => ({ ...value, number: at + 1 }));
}

export function texts(entries: readonly Entry[]): readonly string[] {
  return entries.map((entry) => serializeEntry(entry));
}

export function seal(...lines: readonly string[]): readonly string[] {
  return lines.map((line) => withTrailer(line, {}, checksum));
}

/** A sealed header with blanks from the middle of its folder into its checksum: still JSON, without mark and seal. */
export function blanked(header: string): string {
  const from = header.indexOf("/ada");
  const to = header.length - 6;
  return header.slice(0, from) + " ".repeat(to - from) + header.slice(to);
}

/** The lines of one batch, each with its mark. */
export function batch(...lines: readonly string[]): readonly string[] {
  return lines.map((line, at) => withTrailer(line, { batch: [at + 1, lines.length] }, checksum));
}

/** Lines as they stand, each with a line end. */
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
  const units = `${mark ? "\ufeff" : ""}${text}`.split("").map((letter) => letter.charCodeAt(0));
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

/** What was wrong, as `kind@line`. */
export function damageIn({ damage }: SessionFile): string {
  return damage.map(({ kind, line }) => `${kind}@${line}`).join(" ");
}

/** Ids in file order; a gap stands in brackets. Where a name tells a byte of the file, the number of the line is shown, from 0. */
export function idsIn(entries: readonly Entry[], bytes: Uint8Array = new Uint8Array()): string {
  const numbers = lineNumbers(bytes);
  const told = (id: string): string =>
    id.replace(/(?<=^gap-|^gap-before-|~)\d+/, (at) => `${numbers.get(Number(at)) ?? at}`);
  return entries.map(({ id, type }) => (type === "gap" ? `(${told(id)})` : told(id))).join(" ");
}

/** The id that is made of the place of a line, counted from 0 behind the header. */
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
