/** A new file out of many lines: written in big pieces, with a pause after each, and there whole or not at all. */

import type { Files } from "../../files/files.ts";
import { startWhole } from "../../jsonl/writing/rewrite.ts";

/** Each line with its line end. */
export async function writeCopy(path: string, lines: Iterable<Uint8Array>, files: Files): Promise<void> {
  const file = startWhole(path, files);
  try {
    let pieces: Uint8Array[] = [];
    let held = 0;
    for (const line of lines) {
      pieces.push(line);
      held += line.length;
      if (held < PIECE) continue;
      file.add(Buffer.concat(pieces));
      pieces = [];
      held = 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
    file.add(Buffer.concat(pieces));
    file.keep();
  } finally {
    file.drop();
  }
}

const PIECE = 1024 * 1024;
