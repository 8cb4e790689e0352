/** The bytes of a session file to its entries, and back. Any bytes give a result: what cannot be read is named, never thrown. */

import type { Header } from "../../entry.ts";
import type { Checksum } from "../../ports.ts";
import type { Damage } from "./damage.ts";
import { CURRENT_VERSION, findHeader } from "./header.ts";
import { withMembers } from "./line/json-text.ts";
import { type LineRules, readRaw } from "./line/read-line.ts";
import { sealed } from "./line/seal.ts";
import { entryText } from "./line/write-line.ts";
import { type Line, placedLines } from "./placed-lines.ts";
import { type RawLine, type SplitFile, splitLines } from "./split-lines.ts";
import { withoutTornTail } from "./torn-tail.ts";

export interface SessionFile {
  /** Null where the file has none that can be read. */
  readonly header: Header | null;
  /** The header's line without seal, exactly as written. */
  readonly headerText: string | null;
  /** In file order; gaps stand where lines were lost. */
  readonly lines: readonly Line[];
  readonly damage: readonly Damage[];
  /** Whether its lines carry a seal. */
  readonly ours: boolean;
  /** How many bytes count; what follows was torn. */
  readonly end: number;
  /** Whether it must be written anew before anything can be appended: an old version, another encoding, no header in front. */
  readonly outdated: boolean;
}

/** Reads a session of any version that pi or we ever wrote. */
export function decodeSession(bytes: Uint8Array, rules: Omit<LineRules, "ours">): SessionFile {
  return decodeLines({ ...splitLines(bytes), size: bytes.length }, rules);
}

/** The same, from a file that was cut into its lines already. */
export function decodeLines(split: SplitFile & { readonly size: number }, rules: Omit<LineRules, "ours">): SessionFile {
  const { header, text, at, ours, damage } = findHeader(split.lines, rules);
  const read = split.lines.map((raw) => ({ raw, reading: readRaw(raw, { ...rules, ours }) }));
  const tail = withoutTornTail(read, at);
  const placed = placedLines(tail.lines, { headerAt: at, ours, linked: (header?.version ?? 1) > 1 });
  const misplaced = damage.some(({ kind }) => kind === "no-header");
  const all = [...split.damage, ...damage, ...tail.damage, ...placed.damage];
  return {
    header,
    headerText: text,
    lines: placed.lines,
    damage: all.sort((a, b) => a.offset - b.offset),
    ours,
    end: tail.damage.length === 0 ? split.size : endOf(tail.lines.at(-1)?.raw),
    outdated: (header?.version ?? 1) < CURRENT_VERSION || split.damage.length > 0 || placed.incomplete || misplaced,
  };
}

/** Whether a newer program wrote it: then it can be read, and not appended to. */
export function isNewer({ damage }: SessionFile): boolean {
  return damage.some(({ kind }) => kind === "future-version");
}

/** A whole file of ours: a header and lines, each given without seal. */
export function encodeSession(texts: readonly string[], checksum: Checksum): Uint8Array {
  return new TextEncoder().encode(texts.map((text) => `${sealed(text, {}, checksum)}\n`).join(""));
}

/** The header's line with the mark of a file of ours, every other byte as it was. */
export function markedHeader(text: string): string {
  return withMembers(text, { version: String(CURRENT_VERSION), pith: '{"format":1}' });
}

/** A file of an older version as it is written today: ours, every line whole, what was lost noted in its place. */
export function migrated({ headerText, lines }: SessionFile, header: Header, checksum: Checksum): MigratedFile {
  const marked = markedHeader(headerText ?? JSON.stringify(header));
  const texts = lines.map((line) => line.text() ?? entryText(line.entry));
  return { header: JSON.parse(marked) as Header, bytes: encodeSession([marked, ...texts], checksum) };
}

export interface MigratedFile {
  readonly header: Header;
  readonly bytes: Uint8Array;
}

function endOf(last: RawLine | undefined): number {
  return last ? last.offset + last.length : 0;
}
