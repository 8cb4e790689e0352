/** One line of the file by its row in the index. */

import type { FormatLimits } from "../../../limits.ts";
import { type LineRules, readLine } from "../../../session/codec/line/read-line.ts";
import type { OpenFile } from "../../files/files.ts";
import { LONGEST_HEAD, peek } from "../lines/peek.ts";
import type { LineIndex } from "./line-index.ts";

export interface Indexed {
  readonly file: OpenFile;
  readonly index: LineIndex;
  readonly rules: LineRules;
  readonly limits: FormatLimits;
}

export function bytesAt({ file, index }: Indexed, row: number, most: number = Number.POSITIVE_INFINITY): Buffer {
  const bytes = Buffer.allocUnsafe(Math.min(index.length(row), most));
  return bytes.subarray(0, file.read(bytes, index.offset(row)));
}

/** The id on a line; a line that no longer says is named by its place. */
export function idAt(ground: Indexed, row: number): string {
  const seen = peek(bytesAt(ground, row, LONGEST_HEAD));
  if (seen) return seen.id;
  const reading = readLine(bytesAt(ground, row), ground.rules);
  const id = reading.type === "whole" ? reading.value.id : reading.legible.id;
  return typeof id === "string" ? id : `gap-${ground.index.offset(row)}`;
}
