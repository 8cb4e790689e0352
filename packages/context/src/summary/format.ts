/** Which sections a story has: what the model is asked for, and what the audit looks for. */

import { FORMATS } from "./prompts.ts";

export type Format = keyof typeof FORMATS;

/** The headings, in order. */
export function headings(format: Format): readonly string[] {
  return FORMATS[format].split("\n").filter((line) => line.startsWith("#"));
}
