/** Lines that were typed before: listed by number, and said again by it, since no key of a plain terminal brings them back. Pure. */

import { clipped } from "../../../printing/clipped.ts";
import { plain } from "../../../printing/plain.ts";

export type Recalled =
  /** What is to be said instead of the line. */
  { readonly type: "line"; readonly text: string } | { readonly type: "told"; readonly lines: readonly string[] };

/** `/history` lists them, `/history 3` means the third; every other line means itself. */
export function recalled(line: string, earlier: readonly string[]): Recalled {
  const [whole, number] = /^\/history(?:\s+(\d+))?\s*$/.exec(line) ?? [];
  if (whole === undefined) return { type: "line", text: line };
  if (number === undefined) return { type: "told", lines: listed(earlier) };
  const text = earlier[Number(number) - 1];
  if (text === undefined) return { type: "told", lines: [`There is no line ${number}; /history names them.`] };
  return { type: "line", text };
}

function listed(earlier: readonly string[]): readonly string[] {
  if (earlier.length === 0) return ["Nothing was typed yet."];
  const rows = earlier.map((text, at) => `${at + 1}. ${plain(clipped(text))}`);
  return [...rows.slice(-MOST), "/history and a number says one of them again."];
}

const MOST = 20;
