/** Reads and writes the prompt history of a folder, over all its sessions. The file is readable by its owner only, and bounded. */

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeOwnerOnlyFile } from "@pith/agent/node";

/** As many as the editor walks through. */
const MOST_SHOWN = 100;
/** Lines in the file, before it is written anew with the newest. */
const MOST_KEPT = 1_000;
const MOST_LETTERS = 16 * 1024;
const MOST_BYTES = 8 * 1024 * 1024;

export interface HistoryPlace {
  /** Pith's home. */
  readonly home: string;
  readonly cwd: string;
}

/** Oldest first; nothing where nothing can be read. */
export async function readHistory(place: HistoryPlace): Promise<readonly string[]> {
  const path = historyFile(place);
  const text = await readFile(path, "utf8").catch(() => "");
  const said = text.split("\n").flatMap(wordsIn);
  if (said.length > MOST_KEPT || text.length > MOST_BYTES)
    await writeOwnerOnlyFile(path, Buffer.from(said.slice(-MOST_SHOWN).map(lineOf).join("")));
  return [...new Set(said.toReversed())].slice(0, MOST_SHOWN).toReversed();
}

/** Words without secrets. What is very long is not said twice. */
export async function addToHistory(words: string, place: HistoryPlace): Promise<void> {
  if (words.length > MOST_LETTERS) return;
  const path = historyFile(place);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  const file = await open(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  await file
    .chmod(0o600)
    .then(() => file.write(lineOf(words)))
    .finally(() => file.close());
}

export function historyFile({ home, cwd }: HistoryPlace): string {
  return join(home, "history", `${createHash("sha256").update(cwd).digest("hex").slice(0, 24)}.jsonl`);
}

function lineOf(words: string): string {
  return `${JSON.stringify(words)}\n`;
}

/** A line that was broken off is no words. */
function wordsIn(line: string): readonly string[] {
  try {
    const words: unknown = JSON.parse(line);
    return typeof words === "string" ? [words] : [];
  } catch {
    return [];
  }
}
