/** The lines of a session once more, with their seals and marks: those that say where a parent stands say where it stands now. */

import type { Checksum } from "../../../ports.ts";
import { sealed } from "../../../session/codec/line/seal.ts";
import { Shifts } from "./shifts.ts";
import type { SourceLine } from "./source-lines.ts";

export interface CopiedLines {
  /** The header's line, without seal. */
  readonly header: string;
  readonly lines: Iterable<SourceLine>;
  readonly checksum: Checksum;
  /** What becomes of the text of a line; it stays, unless said. */
  readonly change?: (text: string) => string;
}

/** Each with its line end. */
export function* copiedLines({ header, lines, checksum, change }: CopiedLines): Generator<Uint8Array> {
  const shifts = new Shifts();
  let at = 0;
  const ended = (line: Uint8Array): Uint8Array => {
    const bytes = Buffer.concat([line, LINE_END]);
    at += bytes.length;
    return bytes;
  };
  yield ended(Buffer.from(sealed(header, {}, checksum)));
  for (const line of lines) {
    shifts.add(line.offset, at);
    yield ended(asBefore(line, change) ?? Buffer.from(sealedAnew(line, { shifts, checksum, change })));
  }
}

/** A seal sums up its own line only, so a line that names no place and stays as it is is copied byte for byte; null for all others. */
function asBefore({ sealed: asWritten, marks, text }: SourceLine, change: CopiedLines["change"]): Uint8Array | null {
  if (!asWritten || marks.up !== undefined || marks.run !== undefined) return null;
  return !change || isSame(text(), change) ? asWritten : null;
}

function isSame(text: string, change: (text: string) => string): boolean {
  return change(text) === text;
}

interface Anew {
  readonly shifts: Shifts;
  readonly checksum: Checksum;
  readonly change: CopiedLines["change"];
}

function sealedAnew({ text, marks }: SourceLine, { shifts, checksum, change = same }: Anew): string {
  return sealed(change(text()), moved(marks, shifts), checksum);
}

const same = (text: string): string => text;

// The copy is on the disk before anybody sees it: no line of it has anything to wait for.
function moved({ up, batch }: SourceLine["marks"], shifts: Shifts): SourceLine["marks"] {
  return { ...(up !== undefined && { up: shifts.at(up) }), ...(batch && { batch }) };
}

const LINE_END = Buffer.from("\n");
