/** What was pasted where one line is typed, as in a search: harmless, and one line of it. */

import { harmless } from "../typing/harmless.ts";

const BEGIN = "\x1b[200~";
const END = "\x1b[201~";
/** Nobody means more by one line. */
const MOST = 2_000;

/** Null where the key is no paste. */
export function pastedLine(key: string): string | null {
  if (!key.startsWith(BEGIN) || !key.endsWith(END)) return null;
  const text = key.slice(BEGIN.length, -END.length);
  return harmless(text.slice(0, MOST)).replaceAll(/\s+/g, " ").trim();
}
