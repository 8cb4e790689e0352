/** The lines of a session file from any line on, split as the codec splits them, and what the file's beginning says of them. */

import type { Header } from "../../../entry.ts";
import type { FormatLimits } from "../../../limits.ts";
import type { Checksum } from "../../../ports.ts";
import { findHeader } from "../../../session/codec/header.ts";
import type { LineRules } from "../../../session/codec/line/read-line.ts";
import { splitLines } from "../../../session/codec/split-lines.ts";
import type { OpenFile } from "../../files/files.ts";
import { decode } from "../../jsonl/lines/decode.ts";
import { forwards } from "../../jsonl/lines/forwards.ts";

export interface SessionLine {
  readonly offset: number;
  readonly length: number;
  readonly bytes: Uint8Array;
  readonly ended: boolean;
  readonly overlong?: boolean;
}

export interface Beginning {
  readonly header: Header | null;
  readonly rules: LineRules;
  /** In UTF-8 with LF, so that lines can be taken one by one. */
  readonly isPlain: boolean;
}

export interface ReadingRules {
  readonly checksum: Checksum;
  readonly limits: FormatLimits;
}

export function beginningOf(file: OpenFile, rules: ReadingRules): Beginning {
  const into = Buffer.allocUnsafe(HEAD);
  const head = into.subarray(0, file.read(into, 0));
  const { lines, damage } = splitLines(head);
  const { header, ours } = findHeader(lines.slice(0, HEADER_WITHIN), rules);
  return { header, rules: { ...rules, ours, decode }, isPlain: damage.length === 0 && head[0] !== MARK };
}

/** From the line that begins at `start`; one that is still being written comes without its end. */
export function* linesFrom(
  file: OpenFile,
  { isPlain, rules }: Beginning,
  { start, end }: { readonly start: number; readonly end: number },
): Generator<SessionLine> {
  if (isPlain && rules.limits) return yield* forwards(file, { start, end, limits: rules.limits });
  const bytes = Buffer.allocUnsafe(end - start);
  for (const line of splitLines(bytes.subarray(0, file.read(bytes, start))).lines)
    yield { ...line, offset: start + line.offset };
}

/** Where a line stands in its file. */
export interface LinePlace {
  readonly at: number;
  readonly length: number;
}

/** One line that was found before; null where no line begins there any more. */
export function lineAt(file: OpenFile, { isPlain }: Beginning, { at, length }: LinePlace): Uint8Array | null {
  const bytes = Buffer.allocUnsafe(length + 2);
  const read = file.read(bytes, Math.max(0, at - 1));
  const line = bytes.subarray(at === 0 ? 0 : 1, at === 0 ? length : length + 1);
  if (!isPlain) return splitLines(line).lines[0]?.bytes ?? null;
  const isWhole = (at === 0 || bytes[0] === LINE_END) && read >= (at === 0 ? length : length + 1);
  return isWhole ? line : null;
}

const HEAD = 8 * 1024;
const HEADER_WITHIN = 5;
/** The first byte of a byte order mark. */
const MARK = 0xef;
const LINE_END = 0x0a;
