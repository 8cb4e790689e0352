/** Converts an HTML page to Markdown, in bounded time however deeply the page is nested. */

import { type Attributes, blocks, type Element, type Node, parse } from "./html-tree.ts";

/** A fenced block that keeps every space; nothing inside can end the fence. */
export function codeText(element: Element): string {
  const text = raw(element.children).replace(/^\n/, "").trimEnd();
  if (text === "") return "";
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${languageOf(element)}\n${text}\n${fence}`;
}

function raw(nodes: readonly Node[]): string {
  return nodes.map((node) => (typeof node === "string" ? node : rawElement(node))).join("");
}

/** Some pages wrap each line of code in a block. */
function rawElement({ tag, children }: Element): string {
  if (tag === "br") return "\n";
  const text = raw(children);
  return blocks.has(tag) && !text.endsWith("\n") ? `${text}\n` : text;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

function languageOf({ attributes, children }: Element): string {
  const inner = children.find((child) => typeof child !== "string" && child.tag === "code");
  const classes = [attributes, ...(typeof inner === "object" ? [inner.attributes] : [])].map((all) => all.get("class"));
  return /(?:^|\s)lang(?:uage)?-([\w+#.-]{1,30})/.exec(classes.join(" "))?.[1] ?? "";
}

export function linkText(text: string, href: string | undefined, base: string): string {
  if (href?.startsWith("#")) return ANCHOR.test(text) ? "" : text;
  const url = absolute(href, base);
  return url === null || text === "" ? text : `[${text}](${url})`;
}

/** The signs that link a heading to itself. */
const ANCHOR = /^[#¶§🔗]?$/u;

/** Only named: what it shows is not fetched. */
export function imageText(attributes: Attributes, base: string): string {
  const alt = (attributes.get("alt") ?? "").replace(/\s+/g, " ").trim();
  const url = absolute(attributes.get("src"), base);
  return url === null || alt === "" ? alt : `![${alt}](${url})`;
}

function absolute(href: string | undefined, base: string): string | null {
  if (href === undefined || href.length > LONGEST_LINK) return null;
  const url = URL.parse(href, base);
  return url !== null && SHOWN.has(url.protocol) ? url.href.replaceAll(")", "%29") : null;
}

const LONGEST_LINK = 2_000;
const SHOWN: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

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

/** Several rows and columns, and nothing in a cell that needs lines of its own. */
export function isTable(table: Element): boolean {
  const rows = rowsOf(table);
  return rows.length > 1 && rows.some((row) => cellsOf(row).length > 1) && !table.children.some(holdsLayout);
}

export function tableText(table: Element, place: Place): string {
  const [head = "", ...rest] = rowsOf(table).map((row) => `| ${cellTexts(row, place).join(" | ")} |`);
  const columns = cellsOf(rowsOf(table)[0]).length;
  return [head, `|${" --- |".repeat(columns)}`, ...rest].join("\n");
}

/** A row of a layout whose cells are mere words. */
export function isPlainRow(row: Element): boolean {
  const cells = cellsOf(row);
  return cells.length > 0 && cells.every(({ holdsBlocks }) => !holdsBlocks);
}

export function rowText(row: Element, place: Place): string {
  return cellTexts(row, place)
    .filter((text) => text !== "")
    .join(" | ");
}

function cellTexts(row: Element, place: Place): readonly string[] {
  return cellsOf(row).map(({ children }) => lineOf(children, place).replaceAll("\n", " ").replaceAll("|", "\\|"));
}

function rowsOf(table: Element): readonly Element[] {
  return elements(table.children).flatMap((child) => {
    if (child.tag === "tr") return [child];
    return SECTIONS.has(child.tag) ? elements(child.children).filter(({ tag }) => tag === "tr") : [];
  });
}

function cellsOf(row: Element | undefined): readonly Element[] {
  return elements(row?.children ?? []).filter(({ tag }) => tag === "td" || tag === "th");
}

function holdsLayout(node: Node): boolean {
  if (typeof node === "string") return false;
  return LAYOUT.has(node.tag) || (node.holdsBlocks && node.children.some(holdsLayout));
}

function elements(nodes: readonly Node[]): readonly Element[] {
  return nodes.filter((node) => typeof node !== "string");
}

const SECTIONS: ReadonlySet<string> = new Set(["thead", "tbody", "tfoot"]);
const LAYOUT: ReadonlySet<string> = new Set(
  "table ul ol dl pre blockquote h1 h2 h3 h4 h5 h6 section article".split(" "),
);

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
