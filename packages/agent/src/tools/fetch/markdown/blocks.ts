/** What stands by itself on a page, from top to bottom, as blocks of Markdown. */

import { codeText } from "./code.ts";
import { lineOf, type Place } from "./inline.ts";
import { isPlainRow, isTable, rowText, tableText } from "./table.ts";
import { blocks } from "./tags.ts";
import type { Element, Node } from "./tree.ts";

export interface Block {
  readonly text: string;
  /** Inside another list it follows what is before it without an empty line. */
  readonly isList?: true;
}

export function blocksOf(nodes: readonly Node[], place: Place): readonly Block[] {
  return runsOf(nodes).flatMap((run) => {
    if (Array.isArray(run)) return textBlock(lineOf(run, place));
    return (renderers.get(run.tag) ?? contents)(run, place);
  });
}

/** Blocks one under the other. */
export function stacked(parts: readonly Block[], between: "\n" | "\n\n" = "\n\n"): string {
  let text = "";
  for (const part of parts) text += text === "" ? part.text : `${part.isList ? between : "\n\n"}${part.text}`;
  return text;
}

/** What stands in one line is taken together. */
function runsOf(nodes: readonly Node[]): readonly (Element | Node[])[] {
  const runs: (Element | Node[])[] = [];
  for (const node of nodes) {
    const last = runs.at(-1);
    if (typeof node !== "string" && standsAlone(node)) runs.push(node);
    else if (Array.isArray(last)) last.push(node);
    else runs.push([node]);
  }
  return runs;
}

function standsAlone({ tag, holdsBlocks }: Element): boolean {
  return blocks.has(tag) || holdsBlocks;
}

function textBlock(text: string): readonly Block[] {
  return text === "" ? [] : [{ text }];
}

type Renderer = (element: Element, place: Place) => readonly Block[];

const contents: Renderer = ({ children }, place) => blocksOf(children, place);

const heading: Renderer = ({ tag, children }, place) => {
  const text = lineOf(children, place).replaceAll("\n", " ");
  return text === "" ? [] : textBlock(`${"#".repeat(Number(tag[1]))} ${text}`);
};

const quote: Renderer = ({ children }, place) => {
  if (place.depth >= DEEPEST_INDENT) return blocksOf(children, place);
  const text = stacked(blocksOf(children, deeper(place)));
  return text === "" ? [] : textBlock(text.replace(/^/gm, "> ").replace(/ $/gm, ""));
};

const list: Renderer = ({ tag, attributes, children }, place) => {
  let number = Number.parseInt(attributes.get("start") ?? "1", 10) || 1;
  const items = children.map((child) => {
    if (typeof child === "string" || child.tag !== "li") return item([child], "", place);
    return item(child.children, tag === "ol" ? `${number++}. ` : "- ", place);
  });
  const text = items.filter((one) => one !== "").join("\n");
  return text === "" ? [] : [{ text, isList: true }];
};

function item(nodes: readonly Node[], marker: string, place: Place): string {
  const text = stacked(blocksOf(nodes, deeper(place)), "\n");
  if (text === "" || place.depth >= DEEPEST_INDENT) return text;
  return marker + text.replace(/\n(?=[^\n])/g, `\n${" ".repeat(Math.max(2, marker.length))}`);
}

/** Each level makes every line longer, so a page of quotes in quotes would grow without end. */
const DEEPEST_INDENT = 8;

function deeper(place: Place): Place {
  return { ...place, depth: place.depth + 1 };
}

// A map: a page can call its elements anything, `constructor` too.
const renderers: ReadonlyMap<string, Renderer> = new Map<string, Renderer>([
  ["h1", heading],
  ["h2", heading],
  ["h3", heading],
  ["h4", heading],
  ["h5", heading],
  ["h6", heading],
  ["ul", list],
  ["ol", list],
  ["menu", list],
  ["blockquote", quote],
  ["hr", () => textBlock("---")],
  ["pre", (element) => textBlock(codeText(element))],
  ["a", ({ attributes, children }, place) => blocksOf(children, { ...place, href: attributes.get("href") })],
  ["table", (table, place) => (isTable(table) ? textBlock(tableText(table, place)) : contents(table, place))],
  ["tr", (row, place) => (isPlainRow(row) ? textBlock(rowText(row, place)) : contents(row, place))],
]);
