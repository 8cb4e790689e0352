/** What stands within a line: words, links, emphasis, code. Blocks among them are run together. */

import { imageText, linkText } from "./links.ts";
import { blocks } from "./tags.ts";
import type { Element, Node } from "./tree.ts";

export interface Place {
  /** What relative links are relative to. */
  readonly base: string;
  /** The link in which all of this stands. */
  readonly href?: string | undefined;
  /** How many quotes and lists are around it. */
  readonly depth: number;
}

export function lineOf(nodes: readonly Node[], place: Place): string {
  const text = joined(nodes, place)
    .replace(/ {2,}/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .trim();
  return place.href === undefined ? text : linkText(text, place.href, place.base);
}

function joined(nodes: readonly Node[], place: Place): string {
  return nodes.map((node) => (typeof node === "string" ? node.replace(SPACES, " ") : inline(node, place))).join("");
}

const SPACES = /[\t\n\f\r \u00a0]+/g;

function inline({ tag, attributes, children }: Element, place: Place): string {
  if (tag === "br") return "\n";
  if (tag === "img") return imageText(attributes, place.base);
  const text = joined(children, place);
  if (tag === "a") return spaced(text, (inner) => linkText(inner, attributes.get("href"), place.base));
  const mark = marks.get(tag);
  if (mark !== undefined) return spaced(text, (inner) => `${mark}${inner}${mark}`);
  // Run together without a space, two blocks would become one word.
  return blocks.has(tag) ? ` ${text} ` : text;
}

const marks: ReadonlyMap<string, string> = new Map([
  ["b", "**"],
  ["strong", "**"],
  ["em", "*"],
  ["i", "*"],
  ["del", "~~"],
  ["code", "`"],
  ["kbd", "`"],
  ["samp", "`"],
  ["tt", "`"],
]);

/** A mark stands at its word: the space around it goes outside. */
function spaced(text: string, marked: (inner: string) => string): string {
  const inner = text.trim();
  if (inner === "") return text;
  return `${text.startsWith(" ") ? " " : ""}${marked(inner)}${text.endsWith(" ") ? " " : ""}`;
}
