/** Passes an editor's lines on to the protocol's library within the bounds of RPC mode, and answers the others with an error. */

import { Readable } from "node:stream";
import { createLineSplitter, type Line, MAX_LINE_BYTES } from "@pith/client";
import { readJson } from "../../protocol/lines.ts";

export interface LineInput {
  readonly input: AsyncIterable<Uint8Array>;
  /** Writes one line to the editor. */
  readonly write: (line: string) => void;
  readonly longest?: number;
}

/** The library would end the connection at a line that is too long. */
export function boundedLines({ input, write, longest = MAX_LINE_BYTES }: LineInput): ReadableStream<Uint8Array> {
  return Readable.toWeb(Readable.from(passed({ input, write, longest }))) as ReadableStream<Uint8Array>;
}

async function* passed({ input, write, longest }: Required<LineInput>): AsyncGenerator<Uint8Array> {
  const lines = createLineSplitter(longest);
  const check = (piece: Line): readonly Uint8Array[] => {
    const fault = faultIn(piece, longest);
    if (fault === null) return piece.type === "line" ? [piece.bytes, LINE_END] : [];
    write(`${JSON.stringify({ jsonrpc: "2.0", id: null, error: fault })}\n`);
    return [];
  };
  for await (const chunk of input) for (const piece of lines.push(chunk)) yield* check(piece);
  for (const piece of lines.end()) yield* check(piece);
}

const LINE_END = new TextEncoder().encode("\n");

/** A JSON-RPC error; null for a line that is passed on. */
function faultIn(piece: Line, longest: number): { readonly code: number; readonly message: string } | null {
  if (piece.type === "too-long") {
    const message = `the line has ${piece.bytes} bytes, more than the ${longest} that are read; send files as links instead`;
    return { code: INVALID_REQUEST, message };
  }
  // The library skips an empty line.
  if (piece.bytes.length === 0) return null;
  const json = readJson(piece.bytes);
  return json.type === "mistake" ? { code: PARSE_ERROR, message: json.message } : null;
}

const INVALID_REQUEST = -32600;
const PARSE_ERROR = -32700;
