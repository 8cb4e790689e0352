/** A long text as its head, its tail and the handle that opens all of it. */

import { textTokens } from "../reading/tokens/text-tokens.ts";

export interface Shortening {
  /** How many may be left, the mark in the middle included. */
  readonly tokens: number;
  /** What opens the whole, e.g. `entry:4f2a…`. */
  readonly handle: string;
}

/** The text itself where it is short enough. */
export function shortened(text: string, { tokens, handle }: Shortening): string {
  if (isShort(text, tokens)) return text;
  const all = textTokens(text);
  const mark = `\n[… ${(all - tokens).toLocaleString("en-US")} of about ${all.toLocaleString("en-US")} tokens are left out here; ${handle} opens all of it …]\n`;
  const room = Math.max(0, tokens - textTokens(mark));
  for (let letters = Math.floor((text.length / all) * room); ; letters = Math.floor(letters * 0.85)) {
    const short = `${headOf(text, Math.ceil(letters * HEAD))}${mark}${tailOf(text, Math.floor(letters * (1 - HEAD)))}`;
    if (!(letters > 0) || isShort(short, tokens)) return short;
  }
}

/** What comes first says what it is; what comes last says how it ended. */
const HEAD = 0.6;

// No text has more tokens than UTF-8 bytes: a very short one need not be counted.
function isShort(text: string, tokens: number): boolean {
  return text.length * 3 <= tokens || textTokens(text) <= tokens;
}

// At a line end where one is near; never in the middle of a surrogate pair.
function headOf(text: string, letters: number): string {
  const cut = text.slice(0, letters);
  const line = cut.lastIndexOf("\n");
  return line > letters * 0.8 ? cut.slice(0, line) : cut.slice(0, cut.length - (endsInHalf(cut) ? 1 : 0));
}

function tailOf(text: string, letters: number): string {
  const cut = letters === 0 ? "" : text.slice(-letters);
  const line = cut.indexOf("\n");
  return line !== -1 && line < letters * 0.2 ? cut.slice(line + 1) : cut.slice(beginsInHalf(cut) ? 1 : 0);
}

const endsInHalf = (text: string): boolean => /[\ud800-\udbff]$/.test(text);
const beginsInHalf = (text: string): boolean => /^[\udc00-\udfff]/.test(text);
