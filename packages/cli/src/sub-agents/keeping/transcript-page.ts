/** A sub-agent's session as its caller's model can read it: page by page, each within its room. */

import type { Entry } from "@pith/context";
import { openStore } from "@pith/context/node";
import { toldEntry } from "../../subcommands/sessions/showing/told-entry.ts";

export interface PageWish {
  readonly path: string;
  /** From 1. */
  readonly page: number;
  /** Bytes of a page. */
  readonly room: number;
}

export type Page =
  | { readonly type: "page"; readonly text: string; readonly pages: number }
  | { readonly type: "failed"; readonly why: string };

export async function transcriptPage({ path, page, room }: PageWish): Promise<Page> {
  const opened = await openStore(path, { as: "follower" });
  if (opened.type !== "opened") return { type: "failed", why: "its session cannot be read" };
  const { store } = opened;
  try {
    const told: string[] = [];
    let id = await store.leaf();
    while (id !== null) {
      const entry: Entry | undefined = await store.entry(id);
      if (!entry) break;
      const words = toldEntry(entry, LONGEST);
      if (words !== null) told.push(words);
      id = entry.parentId;
    }
    const pages = pagesOf(told.reverse(), room);
    const text = pages[page - 1];
    if (text !== undefined) return { type: "page", text, pages: pages.length };
    return { type: "failed", why: `there is no page ${page}; there are ${pages.length}` };
  } finally {
    await store.close();
  }
}

/** Letters of one entry. */
const LONGEST = 32 * 1024;

function pagesOf(paragraphs: readonly string[], room: number): readonly string[] {
  const bytes = Buffer.from(paragraphs.join("\n\n"));
  const pages: string[] = [];
  for (let from = 0; from < bytes.length; ) {
    const to = endOfPage(bytes, from, room);
    pages.push(bytes.subarray(from, to).toString());
    from = to;
  }
  return pages.length === 0 ? ["nothing was said in it"] : pages;
}

/** At the end of a line where there is one in its second half, and never within a letter. */
function endOfPage(bytes: Buffer, from: number, room: number): number {
  if (bytes.length - from <= room) return bytes.length;
  const line = bytes.lastIndexOf(0x0a, from + room - 1);
  if (line > from + room / 2) return line + 1;
  let to = from + room;
  while (to > from + 1 && ((bytes[to] ?? 0) & 0xc0) === 0x80) to -= 1;
  return to;
}
