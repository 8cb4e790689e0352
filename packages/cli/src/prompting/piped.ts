/** What is piped into the program, whole and within bounds. */

import { fstatSync } from "node:fs";
import { type Mistake, mistake } from "../asking/mistake.ts";
import { MOST_TEXT } from "./file-blocks.ts";

export type Piped = { readonly type: "arrived"; readonly text: string } | Mistake;

/** A terminal and `/dev/null` have nothing to say. Whoever leaves a pipe open is waited for, and told so. */
export async function piped(note: (line: string) => void): Promise<Piped> {
  const input = fstatSync(0);
  if (!input.isFIFO() && !input.isFile() && !input.isSocket()) return { type: "arrived", text: "" };
  const reminder = setTimeout(() => note(WAITING), PATIENCE_MS);
  try {
    return await allOf(process.stdin);
  } finally {
    clearTimeout(reminder);
  }
}

const PATIENCE_MS = 3_000;
const WAITING = "waiting for the end of what is piped in; if nothing is, add < /dev/null";

export async function allOf(input: AsyncIterable<Uint8Array>): Promise<Piped> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MOST_TEXT) return mistake("more than 256 KB were piped in; put them into a file and let it read that");
  }
  const bytes = Buffer.concat(chunks, size);
  if (bytes.includes(0)) return mistake("what was piped in is no text");
  return { type: "arrived", text: new TextDecoder().decode(bytes).trimEnd() };
}
