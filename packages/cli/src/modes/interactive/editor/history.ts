/** Reads and writes the prompt history of a folder, over all its sessions. The file is readable by its owner only, and bounded. */

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeOwnerOnlyFile } from "@pith/agent/node";

/** As many as the editor walks through. */
const MAX_LOADED_PROMPTS = 100;
/** Lines in the file, before it is written anew with the newest. */
const MAX_FILE_LINES = 1_000;
const MAX_PROMPT_CHARS = 16 * 1024;
const MAX_FILE_BYTES = 8 * 1024 * 1024;

export interface HistoryLocation {
  /** Pith's home. */
  readonly home: string;
  readonly cwd: string;
}

/** Oldest first; nothing where nothing can be read. */
export async function readHistory(location: HistoryLocation): Promise<readonly string[]> {
  const path = historyFile(location);
  const text = await readFile(path, "utf8").catch(() => "");
  const prompts = text.split("\n").flatMap(parseLine);
  if (prompts.length > MAX_FILE_LINES || text.length > MAX_FILE_BYTES)
    await writeOwnerOnlyFile(path, Buffer.from(prompts.slice(-MAX_LOADED_PROMPTS).map(formatLine).join("")));
  return [...new Set(prompts.toReversed())].slice(0, MAX_LOADED_PROMPTS).toReversed();
}

/** Words without secrets. What is very long is not said twice. */
export async function addToHistory(prompt: string, location: HistoryLocation): Promise<void> {
  if (prompt.length > MAX_PROMPT_CHARS) return;
  const path = historyFile(location);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  const file = await open(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  await file
    .chmod(0o600)
    .then(() => file.write(formatLine(prompt)))
    .finally(() => file.close());
}

export function historyFile({ home, cwd }: HistoryLocation): string {
  return join(home, "history", `${createHash("sha256").update(cwd).digest("hex").slice(0, 24)}.jsonl`);
}

function formatLine(prompt: string): string {
  return `${JSON.stringify(prompt)}\n`;
}

/** A line that was broken off is no words. */
function parseLine(line: string): readonly string[] {
  try {
    const prompt: unknown = JSON.parse(line);
    return typeof prompt === "string" ? [prompt] : [];
  } catch {
    return [];
  }
}
