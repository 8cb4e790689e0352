/** The name of a session without reading it whole: from its end, through its index, or from its beginning. */

import { isObject, type LineRules, readLine } from "../../../session/codec/line/read-line.ts";
import { splitLines } from "../../../session/codec/split-lines.ts";
import type { Files, OpenFile } from "../../files/files.ts";
import { keptIndex } from "../../jsonl/indexing/index-file.ts";
import { bytesAt } from "../../jsonl/indexing/line-at.ts";
import { indexPath } from "../../jsonl/side-folder.ts";

export interface NamedFile {
  readonly path: string;
  readonly file: OpenFile;
  readonly files: Files;
  readonly rules: LineRules;
  /** Where its lines begin. */
  readonly start: number;
  /** Its first bytes; the whole of a short file. */
  readonly head: Buffer;
  readonly size: number;
}

/** The latest in the file. An empty text is a name taken away; undefined where none was found. */
export function latestName(named: NamedFile): string | undefined {
  const { head, size, rules } = named;
  if (head.length >= size) return lastNameIn(head, rules);
  const indexed = nameFromIndex(named);
  const from = tailStart(size, indexed?.covers);
  return (
    lastNameIn(bytesBehind(named, from, from === indexed?.covers), rules) ??
    (indexed ? indexed.name : lastNameIn(head, rules))
  );
}

// What the index does not know yet is read, if it is not too much.
function tailStart(size: number, covers: number | undefined): number {
  const near = size - TAIL;
  return covers !== undefined && covers < near ? Math.max(covers, size - LONGEST_TAIL) : near;
}

function nameFromIndex({
  path,
  file,
  files,
  rules,
  start,
}: NamedFile): { name: string | undefined; covers: number } | null {
  const kept = keptIndex(indexPath(path), { files, checksum: rules.checksum, file, start });
  if (!kept) return null;
  const { index, covers } = kept;
  const row = index.ofKind("session_info").at(-1);
  const limits = rules.limits;
  if (row === undefined || !limits) return { name: undefined, covers };
  return { name: nameOn(bytesAt({ file, index, rules, limits }, row), rules), covers };
}

function bytesBehind({ file, size }: NamedFile, from: number, beginsLine: boolean): Buffer {
  const bytes = Buffer.allocUnsafe(size - from);
  const read = bytes.subarray(0, file.read(bytes, from));
  // Elsewhere the first line is cut; a name is looked for in whole lines only.
  if (beginsLine) return read;
  return read.subarray(read.indexOf(LINE_END) + 1);
}

function lastNameIn(bytes: Buffer, rules: LineRules): string | undefined {
  if (!bytes.includes(KIND) && bytes[1] !== 0 && bytes[0] !== 0) return undefined;
  for (const line of splitLines(bytes).lines.toReversed()) {
    const name = nameOn(line.bytes, rules);
    if (name !== undefined) return name;
  }
  return undefined;
}

function nameOn(line: Uint8Array, rules: LineRules): string | undefined {
  if (!Buffer.from(line.buffer, line.byteOffset, line.byteLength).includes(KIND)) return undefined;
  const reading = readLine(line, rules);
  if (reading.type !== "whole" || !isObject(reading.value) || reading.value.type !== KIND) return undefined;
  const { name } = reading.value;
  return typeof name === "string" ? name.trim() : "";
}

const KIND = "session_info";
const LINE_END = 0x0a;
const TAIL = 64 * 1024;
const LONGEST_TAIL = 256 * 1024;
