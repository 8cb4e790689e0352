/** What of a message a person wrote, without the files that went with it: their names are in the words. Pure. */

import { type Entry, entryWords, type ImageBlock, type TextBlock } from "@pith/context";

export function saidWords(content: string | readonly (TextBlock | ImageBlock)[]): string {
  if (typeof content === "string") return content;
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const words = texts.at(-1) ?? "";
  if (isAttached(words)) return texts.map(nameOf).join("\n");
  const unnamed = texts
    .slice(0, -1)
    .map(nameOf)
    .filter((name) => !words.includes(name));
  return [...unnamed, words].join("\n");
}

/** The words of an entry as people know them. */
export function entrySaid(entry: Entry): string {
  if (entry.type !== "message" || entry.message.role !== "user") return entryWords(entry);
  return saidWords(entry.message.content);
}

function isAttached(text: string): boolean {
  return nameOf(text) !== text;
}

/** A text that stands for itself is its own name. */
function nameOf(text: string): string {
  const path = ATTACHED.exec(text)?.[1] ?? PICTURE.exec(text)?.[1];
  if (path === undefined) return text;
  return /\s/.test(path) ? `@"${path}"` : `@${path}`;
}

const ATTACHED = /^<(?:file|folder) path="([^"\n]+)">\n/;
const PICTURE = /^The picture ([^\n]+):$/;
