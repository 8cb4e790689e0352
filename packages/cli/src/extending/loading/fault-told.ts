/** What went wrong in an extension, with the file and the line where it did. */

import { fileURLToPath, pathToFileURL } from "node:url";

/** `path` is where it lies; of what happened elsewhere only the words are told. */
export function faultTold(error: unknown, path: string): string {
  return `${placeIn(error, path) ?? path}: ${wordsOf(error)}`;
}

/** No more of it than one reads. */
export function wordsOf(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  const [first = ""] = words.split("\n");
  return first.slice(0, MOST);
}

const MOST = 500;

/** The nearest place in a file beside it. */
function placeIn(error: unknown, path: string): string | null {
  if (!(error instanceof Error) || error.stack === undefined) return null;
  const folder = pathToFileURL(path).href.replace(/[^/]*$/, "");
  const at = error.stack.indexOf(folder);
  const [, url, line] =
    (at < 0 ? null : /^(file:[^?\s:]+)(?:\?pith=[0-9a-f]+)?:(\d+)/.exec(error.stack.slice(at))) ?? [];
  return url === undefined ? null : `${fileURLToPath(url)}:${line}`;
}
