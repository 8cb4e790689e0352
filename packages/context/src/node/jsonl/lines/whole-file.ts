/** A file that is not sound, read whole and with care: every version, every encoding, every damage. */

import type { FormatLimits } from "../../../limits.ts";
import type { Checksum } from "../../../ports.ts";
import { decodeLines, decodeSession, type SessionFile } from "../../../session/codec/session-file.ts";
import { isBlank } from "../../../session/codec/split-lines.ts";
import type { OpenFile } from "../../files/files.ts";
import { forwards } from "./forwards.ts";

export interface WholeRules {
  readonly checksum: Checksum;
  readonly limits: FormatLimits;
}

export function wholeFile(file: OpenFile, rules: WholeRules): SessionFile {
  const { size } = file.stat();
  if (isPlain(file, size, rules)) return decodeLines({ ...linesOf(file, size, rules), size }, rules);
  const bytes = Buffer.allocUnsafe(size);
  return decodeSession(bytes.subarray(0, file.read(bytes, 0)), rules);
}

// UTF-8 with LF: its lines can be taken one by one, and one that is too long need not be held. Where the whole file is longer
// than any line may be, nothing else can come of it.
function isPlain(file: OpenFile, size: number, { limits }: WholeRules): boolean {
  const head = Buffer.alloc(Math.min(size, HEAD));
  file.read(head, 0);
  const [a, b] = head;
  const wide =
    (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || (a === 0x7b && b === 0) || (a === 0 && b === 0x7b);
  const marked = a === 0xef && b === 0xbb;
  return !wide && !marked && (head.includes(0x0a) || size > limits.lineBytes * 2);
}

function linesOf(file: OpenFile, size: number, { limits }: WholeRules) {
  const lines = [];
  let number = 0;
  for (const line of forwards(file, { start: 0, end: size, limits })) {
    number++;
    if (!isBlank(line.bytes)) lines.push({ ...line, number });
  }
  return { lines, damage: [] };
}

const HEAD = 1024 * 1024;
