/** A page of HTML as the Markdown a reader needs of it. Any page ends in bounded time, however it is nested. */

import { blocksOf, stacked } from "./blocks.ts";
import { parse } from "./parse.ts";
import type { Element } from "./tree.ts";

export interface MarkdownPage {
  readonly title: string;
  readonly text: string;
  /** False where the page was larger than is looked at. */
  readonly isWhole: boolean;
}

export interface Origin {
  /** Where the page comes from; its links are relative to that. */
  readonly url: string;
  readonly signal: AbortSignal;
}

export async function htmlToMarkdown(html: string, { url, signal }: Origin): Promise<MarkdownPage> {
  const { root, title, base, isWhole } = await parse(html, { signal });
  const place = { base: URL.parse(base ?? "", url)?.href ?? url, depth: 0 };
  const main = mainOf(root);
  const text = (main && stacked(blocksOf(main.children, place))) || stacked(blocksOf(root.children, place));
  return { title: titleOf(title), text, isWhole };
}

function titleOf(title: string): string {
  return title.replace(/\s+/g, " ").trim().slice(0, LONGEST_TITLE).toWellFormed();
}

const LONGEST_TITLE = 300;

/** The part that the page itself calls its main one. */
function mainOf(element: Element): Element | null {
  if (element.tag === "main" || element.attributes.get("role") === "main") return element;
  for (const child of element.children) {
    const found = typeof child === "string" ? null : mainOf(child);
    if (found !== null) return found;
  }
  return null;
}
