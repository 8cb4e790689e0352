/** Converts an HTML page to Markdown, in limited time at any nesting depth. */

import { type Attributes, blockTags, type Element, type Node, parseHtml } from "./html-tree.ts";

export interface MarkdownPage {
  readonly title: string;
  readonly text: string;
  /** False if the page exceeded the size limit. */
  readonly isComplete: boolean;
}

export interface HtmlToMarkdownOptions {
  /** The URL of the page, the base of its links. */
  readonly url: string;
  readonly signal: AbortSignal;
}

export async function htmlToMarkdown(html: string, { url, signal }: HtmlToMarkdownOptions): Promise<MarkdownPage> {
  const { root, title, base, isComplete } = await parseHtml(html, { signal });
  const context = { base: URL.parse(base ?? "", url)?.href ?? url, depth: 0 };
  const main = findMain(root);
  const text =
    (main && joinBlocks(renderBlocks(main.children, context))) || joinBlocks(renderBlocks(root.children, context));
  return { title: title.replace(/\s+/g, " ").trim().slice(0, MAX_TITLE_CHARS).toWellFormed(), text, isComplete };
}

const MAX_TITLE_CHARS = 300;

/** The element that the page marks as its main content. */
function findMain(element: Element): Element | null {
  if (element.tag === "main" || element.attributes.get("role") === "main") return element;
  for (const child of element.children) {
    const found = typeof child === "string" ? null : findMain(child);
    if (found !== null) return found;
  }
  return null;
}

export interface RenderContext {
  /** The base URL of relative links. */
  readonly base: string;
  /** The URL of the enclosing link. */
  readonly href?: string | undefined;
  /** The number of enclosing quotes and lists. */
  readonly depth: number;
}

export interface Block {
  readonly text: string;
  /** A list within another list is not separated by an empty line. */
  readonly isList?: true;
}

function renderBlocks(nodes: readonly Node[], context: RenderContext): readonly Block[] {
  return groupInline(nodes).flatMap((run) => {
    if (Array.isArray(run)) return textBlock(inlineText(run, context));
    return (renderers.get(run.tag) ?? renderChildren)(run, context);
  });
}

function joinBlocks(blocks: readonly Block[], separator: "\n" | "\n\n" = "\n\n"): string {
  let text = "";
  for (const part of blocks) text += text === "" ? part.text : `${part.isList ? separator : "\n\n"}${part.text}`;
  return text;
}

/** Groups consecutive inline nodes. */
function groupInline(nodes: readonly Node[]): readonly (Element | Node[])[] {
  const runs: (Element | Node[])[] = [];
  for (const node of nodes) {
    const last = runs.at(-1);
    if (typeof node !== "string" && isBlock(node)) runs.push(node);
    else if (Array.isArray(last)) last.push(node);
    else runs.push([node]);
  }
  return runs;
}

function isBlock({ tag, containsBlocks }: Element): boolean {
  return blockTags.has(tag) || containsBlocks;
}

function textBlock(text: string): readonly Block[] {
  return text === "" ? [] : [{ text }];
}

type Renderer = (element: Element, context: RenderContext) => readonly Block[];

const renderChildren: Renderer = ({ children }, context) => renderBlocks(children, context);

const renderHeading: Renderer = ({ tag, children }, context) => {
  const text = inlineText(children, context).replaceAll("\n", " ");
  return text === "" ? [] : textBlock(`${"#".repeat(Number(tag[1]))} ${text}`);
};

const renderQuote: Renderer = ({ children }, context) => {
  if (context.depth >= MAX_INDENT_DEPTH) return renderBlocks(children, context);
  const text = joinBlocks(renderBlocks(children, createNestedContext(context)));
  return text === "" ? [] : textBlock(text.replace(/^/gm, "> ").replace(/ $/gm, ""));
};

const renderList: Renderer = ({ tag, attributes, children }, context) => {
  let number = Number.parseInt(attributes.get("start") ?? "1", 10) || 1;
  const items = children.map((child) => {
    if (typeof child === "string" || child.tag !== "li") return renderItem([child], "", context);
    return renderItem(child.children, tag === "ol" ? `${number++}. ` : "- ", context);
  });
  const text = items.filter((one) => one !== "").join("\n");
  return text === "" ? [] : [{ text, isList: true }];
};

function renderItem(nodes: readonly Node[], marker: string, context: RenderContext): string {
  const text = joinBlocks(renderBlocks(nodes, createNestedContext(context)), "\n");
  if (text === "" || context.depth >= MAX_INDENT_DEPTH) return text;
  return marker + text.replace(/\n(?=[^\n])/g, `\n${" ".repeat(Math.max(2, marker.length))}`);
}

/** Each level lengthens every line, so deeply nested quotes would make the text grow without limit. */
const MAX_INDENT_DEPTH = 8;

function createNestedContext(context: RenderContext): RenderContext {
  return { ...context, depth: context.depth + 1 };
}

// A map, because a page can contain elements with names such as `constructor`.
const renderers: ReadonlyMap<string, Renderer> = new Map<string, Renderer>([
  ["h1", renderHeading],
  ["h2", renderHeading],
  ["h3", renderHeading],
  ["h4", renderHeading],
  ["h5", renderHeading],
  ["h6", renderHeading],
  ["ul", renderList],
  ["ol", renderList],
  ["menu", renderList],
  ["blockquote", renderQuote],
  ["hr", () => textBlock("---")],
  ["pre", (element) => textBlock(codeText(element))],
  ["a", ({ attributes, children }, context) => renderBlocks(children, { ...context, href: attributes.get("href") })],
  [
    "table",
    (table, context) => (isTable(table) ? textBlock(tableText(table, context)) : renderChildren(table, context)),
  ],
  ["tr", (row, context) => (isPlainRow(row) ? textBlock(rowText(row, context)) : renderChildren(row, context))],
]);

function inlineText(nodes: readonly Node[], context: RenderContext): string {
  const text = joinInline(nodes, context)
    .replace(/ {2,}/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .trim();
  return context.href === undefined ? text : linkText(text, context.href, context.base);
}

function joinInline(nodes: readonly Node[], context: RenderContext): string {
  return nodes
    .map((node) => (typeof node === "string" ? node.replace(SPACES, " ") : inlineElementText(node, context)))
    .join("");
}

const SPACES = /[\t\n\f\r \u00a0]+/g;

function inlineElementText({ tag, attributes, children }: Element, context: RenderContext): string {
  if (tag === "br") return "\n";
  if (tag === "img") return imageText(attributes, context.base);
  const text = joinInline(children, context);
  if (tag === "a") return keepOuterSpaces(text, (inner) => linkText(inner, attributes.get("href"), context.base));
  const mark = inlineMarks.get(tag);
  if (mark !== undefined) return keepOuterSpaces(text, (inner) => `${mark}${inner}${mark}`);
  // Without a space, the words of two blocks would join.
  return blockTags.has(tag) ? ` ${text} ` : text;
}

const inlineMarks: ReadonlyMap<string, string> = new Map([
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

/** Moves outer spaces outside the marks, as Markdown requires. */
function keepOuterSpaces(text: string, format: (inner: string) => string): string {
  const inner = text.trim();
  if (inner === "") return text;
  return `${text.startsWith(" ") ? " " : ""}${format(inner)}${text.endsWith(" ") ? " " : ""}`;
}

function linkText(text: string, href: string | undefined, base: string): string {
  if (href?.startsWith("#")) return ANCHOR_SYMBOL.test(text) ? "" : text;
  const url = absoluteUrl(href, base);
  return url === null || text === "" ? text : `[${text}](${url})`;
}

/** Symbols that link a heading to itself. */
const ANCHOR_SYMBOL = /^[#¶§🔗]?$/u;

/** The image as a link; it is not fetched. */
function imageText(attributes: Attributes, base: string): string {
  const alt = (attributes.get("alt") ?? "").replace(/\s+/g, " ").trim();
  const url = absoluteUrl(attributes.get("src"), base);
  return url === null || alt === "" ? alt : `![${alt}](${url})`;
}

function absoluteUrl(href: string | undefined, base: string): string | null {
  if (href === undefined || href.length > MAX_LINK_CHARS) return null;
  const url = URL.parse(href, base);
  return url !== null && LINK_PROTOCOLS.has(url.protocol) ? url.href.replaceAll(")", "%29") : null;
}

const MAX_LINK_CHARS = 2_000;
const LINK_PROTOCOLS: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** A fenced code block that keeps all spaces and that its content cannot close. */
function codeText(element: Element): string {
  const text = rawText(element.children).replace(/^\n/, "").trimEnd();
  if (text === "") return "";
  const fence = "`".repeat(Math.max(3, longestBacktickRun(text) + 1));
  return `${fence}${codeLanguage(element)}\n${text}\n${fence}`;
}

function rawText(nodes: readonly Node[]): string {
  return nodes.map((node) => (typeof node === "string" ? node : rawElementText(node))).join("");
}

/** Adds line ends for pages that wrap each line of code in a block element. */
function rawElementText({ tag, children }: Element): string {
  if (tag === "br") return "\n";
  const text = rawText(children);
  return blockTags.has(tag) && !text.endsWith("\n") ? `${text}\n` : text;
}

function longestBacktickRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

function codeLanguage({ attributes, children }: Element): string {
  const inner = children.find((child) => typeof child !== "string" && child.tag === "code");
  const classes = [attributes, ...(typeof inner === "object" ? [inner.attributes] : [])].map((all) => all.get("class"));
  return /(?:^|\s)lang(?:uage)?-([\w+#.-]{1,30})/.exec(classes.join(" "))?.[1] ?? "";
}

/** Whether it is a data table: several rows and columns, and no block content in cells. */
function isTable(table: Element): boolean {
  const rows = tableRows(table);
  return rows.length > 1 && rows.some((row) => rowCells(row).length > 1) && !table.children.some(containsLayout);
}

function tableText(table: Element, context: RenderContext): string {
  const [head = "", ...rest] = tableRows(table).map((row) => `| ${cellTexts(row, context).join(" | ")} |`);
  const columns = rowCells(tableRows(table)[0]).length;
  return [head, `|${" --- |".repeat(columns)}`, ...rest].join("\n");
}

/** Whether all cells of a layout row contain only inline content. */
function isPlainRow(row: Element): boolean {
  const cells = rowCells(row);
  return cells.length > 0 && cells.every(({ containsBlocks }) => !containsBlocks);
}

function rowText(row: Element, context: RenderContext): string {
  return cellTexts(row, context)
    .filter((text) => text !== "")
    .join(" | ");
}

function cellTexts(row: Element, context: RenderContext): readonly string[] {
  return rowCells(row).map(({ children }) =>
    inlineText(children, context).replaceAll("\n", " ").replaceAll("|", "\\|"),
  );
}

function tableRows(table: Element): readonly Element[] {
  return childElements(table.children).flatMap((child) => {
    if (child.tag === "tr") return [child];
    return TABLE_SECTIONS.has(child.tag) ? childElements(child.children).filter(({ tag }) => tag === "tr") : [];
  });
}

function rowCells(row: Element | undefined): readonly Element[] {
  return childElements(row?.children ?? []).filter(({ tag }) => tag === "td" || tag === "th");
}

function containsLayout(node: Node): boolean {
  if (typeof node === "string") return false;
  return LAYOUT_TAGS.has(node.tag) || (node.containsBlocks && node.children.some(containsLayout));
}

function childElements(nodes: readonly Node[]): readonly Element[] {
  return nodes.filter((node) => typeof node !== "string");
}

const TABLE_SECTIONS: ReadonlySet<string> = new Set(["thead", "tbody", "tfoot"]);
const LAYOUT_TAGS: ReadonlySet<string> = new Set(
  "table ul ol dl pre blockquote h1 h2 h3 h4 h5 h6 section article".split(" "),
);
