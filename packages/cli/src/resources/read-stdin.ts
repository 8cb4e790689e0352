/** Reads the text that is piped into the program (stdin), up to a limit. */

import { fstatSync } from "node:fs";
import { type UsageError, usageError } from "@pith/host/text/usage-error";

/** Reads piped input. A terminal and `/dev/null` give an empty text. If a pipe stays open, a notice says what Pith waits for. */
export async function readStdin(notify: (line: string) => void): Promise<StdinResult> {
  const stdinStats = fstatSync(0);
  if (!stdinStats.isFIFO() && !stdinStats.isFile() && !stdinStats.isSocket()) return { type: "text", text: "" };
  const reminder = setTimeout(() => notify(WAIT_NOTICE), WAIT_NOTICE_DELAY_MS);
  try {
    return await readAllText(process.stdin);
  } finally {
    clearTimeout(reminder);
  }
}

export type StdinResult = { readonly type: "text"; readonly text: string } | UsageError;

const WAIT_NOTICE_DELAY_MS = 3_000;

const WAIT_NOTICE = "waiting for the piped input to end; if nothing is piped in, add < /dev/null";

export async function readAllText(input: AsyncIterable<Uint8Array>): Promise<StdinResult> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_STDIN_BYTES)
      return usageError("the piped input is larger than 256 KB; save it to a file and let the model read it");
  }
  const bytes = Buffer.concat(chunks, size);
  if (bytes.includes(0)) return usageError("the piped input is not text");
  return { type: "text", text: new TextDecoder().decode(bytes).trimEnd() };
}

export const MAX_STDIN_BYTES: number = 256 * 1024;
