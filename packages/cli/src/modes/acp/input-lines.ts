/** Passes an editor's lines on to the protocol's library within the bounds of RPC mode, and answers the others with an error. */

import { Readable } from "node:stream";
import { createLineSplitter, type Line, MAX_LINE_BYTES } from "@pith/client";
import { parseJsonLine } from "../../protocol/lines.ts";

export interface BoundedLinesOptions {
  readonly input: AsyncIterable<Uint8Array>;
  /** Writes one line to the editor. */
  readonly write: (line: string) => void;
  readonly maxBytes?: number;
}

/** The library would end the connection at a line that is too long. */
export function boundedLines({
  input,
  write,
  maxBytes = MAX_LINE_BYTES,
}: BoundedLinesOptions): ReadableStream<Uint8Array> {
  return Readable.toWeb(Readable.from(filterLines({ input, write, maxBytes }))) as ReadableStream<Uint8Array>;
}

async function* filterLines({ input, write, maxBytes }: Required<BoundedLinesOptions>): AsyncGenerator<Uint8Array> {
  const splitter = createLineSplitter(maxBytes);
  const check = (line: Line): readonly Uint8Array[] => {
    const lineError = checkLine(line, maxBytes);
    if (lineError === null) return line.type === "line" ? [line.bytes, LINE_END] : [];
    write(`${JSON.stringify({ jsonrpc: "2.0", id: null, error: lineError })}\n`);
    return [];
  };
  for await (const chunk of input) for (const line of splitter.push(chunk)) yield* check(line);
  for (const line of splitter.end()) yield* check(line);
}

const LINE_END = new TextEncoder().encode("\n");

/** A JSON-RPC error; null for a line that is passed on. */
function checkLine(line: Line, maxBytes: number): { readonly code: number; readonly message: string } | null {
  if (line.type === "too-long") {
    const message = `the line has ${line.bytes} bytes, more than the ${maxBytes} that are read; send files as links instead`;
    return { code: INVALID_REQUEST, message };
  }
  // The library skips an empty line.
  if (line.bytes.length === 0) return null;
  const json = parseJsonLine(line.bytes);
  return json.type === "mistake" ? { code: PARSE_ERROR, message: json.message } : null;
}

const INVALID_REQUEST = -32600;
const PARSE_ERROR = -32700;
