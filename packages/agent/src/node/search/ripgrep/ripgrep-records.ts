/** What ripgrep tells in JSON, a record per line. A record may have the length of a file: of such a one only its places are kept. */

import { RecordDraft } from "./record-draft.ts";

export type RipgrepRecord =
  | { readonly type: "begin"; readonly path: Buffer }
  | { readonly type: "line"; readonly line: RipgrepLine }
  | { readonly type: "end"; readonly isBinary: boolean }
  | { readonly type: "summary" };

export interface RipgrepLine {
  readonly number: number;
  readonly isAround: boolean;
  /** Where in the file it starts, in bytes. */
  readonly offset: number;
  /** Where in it the first hit starts, in bytes. */
  readonly hit: number;
  /** Null: too long to be told. */
  readonly bytes: Buffer | null;
}

const NEWLINE = 0x0a;

export async function* ripgrepRecords(output: AsyncIterable<Buffer>): AsyncGenerator<RipgrepRecord> {
  let draft = new RecordDraft();
  for await (const chunk of output) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      draft.write(chunk.subarray(start, end));
      yield recordOf(draft);
      draft = new RecordDraft();
      start = end + 1;
    }
    draft.write(chunk.subarray(start));
  }
}

function recordOf(draft: RecordDraft): RipgrepRecord {
  const whole = draft.whole();
  return whole === null ? { type: "line", line: longLine(draft) } : told(JSON.parse(whole.toString()));
}

type Told =
  | { readonly type: "begin"; readonly data: { readonly path: Bytes } }
  | { readonly type: "match" | "context"; readonly data: ToldLine }
  | { readonly type: "end"; readonly data: { readonly binary_offset: number | null } }
  | { readonly type: "summary" };

interface ToldLine {
  readonly lines: Bytes;
  readonly line_number: number;
  readonly absolute_offset: number;
  readonly submatches: readonly { readonly start: number }[];
}

/** Text, or in base64 what is none. */
type Bytes = { readonly text: string } | { readonly bytes: string };

function told(record: Told): RipgrepRecord {
  switch (record.type) {
    case "begin":
      return { type: "begin", path: bytesOf(record.data.path) };
    case "match":
    case "context":
      return { type: "line", line: lineOf(record.data, { isAround: record.type === "context" }) };
    case "end":
      return { type: "end", isBinary: record.data.binary_offset !== null };
    case "summary":
      return { type: "summary" };
  }
}

function lineOf(line: ToldLine, { isAround }: Pick<RipgrepLine, "isAround">): RipgrepLine {
  const { lines, line_number: number, absolute_offset: offset, submatches } = line;
  return { number, isAround, offset, hit: submatches[0]?.start ?? 0, bytes: bytesOf(lines) };
}

function bytesOf(told: Bytes): Buffer {
  return "text" in told ? Buffer.from(told.text) : Buffer.from(told.bytes, "base64");
}

function longLine(draft: RecordDraft): RipgrepLine {
  const [afterText = "", afterHit = "0"] = draft.places();
  const [, number, offset] = /^(\d+),"absolute_offset":(\d+)/.exec(afterText) ?? [];
  return {
    number: Number(number),
    isAround: draft.beginning().startsWith('{"type":"context"'),
    offset: Number(offset),
    hit: Number.parseInt(afterHit, 10),
    bytes: null,
  };
}
