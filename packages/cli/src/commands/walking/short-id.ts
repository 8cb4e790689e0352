/** Ids of entries, short enough to be typed. Those of one turn begin alike: a reply has the id of what it answers, and a number behind it. */

import { oneLine } from "../../printing/one-line.ts";

const LETTERS = 8;

/** `0123456789abcdef0123-1-0` becomes `01234567-1-0`; of an id that other programs made, the beginning. */
export function shortId(id: string): string {
  const { stem, number } = partsOf(id);
  return oneLine(`${stem.slice(0, LETTERS)}${number}`);
}

/** Whether somebody who writes this may mean that id. */
export function mayMean(written: string, id: string): boolean {
  const known = partsOf(id);
  if (known.number === "") return id.startsWith(written);
  const said = partsOf(written);
  return known.stem.startsWith(said.stem) && known.number === said.number;
}

function partsOf(id: string): { readonly stem: string; readonly number: string } {
  const [, stem = id, number = ""] = /^([^-]+)((?:-\d{1,9})+)$/.exec(id) ?? [];
  return { stem, number };
}
