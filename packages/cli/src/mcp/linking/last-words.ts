/** Why a server failed, with what else is known of it; all of it may be the server's own word. */

import { plain } from "../../printing/plain.ts";

export function withLastWords(error: unknown, words: string): string {
  const why = (error instanceof Error ? error.message : String(error)).slice(0, MOST_LETTERS);
  return plain(words === "" ? why : `${why}\n${words}`);
}

const MOST_LETTERS = 1_000;
