/** Parses HTML into a tree of bounded size and depth, in chunks, so that a large page does not block the rest of the program. */

import type { Token, Tokenizer } from "parse5";

/** They begin a line of their own. */
export const blockTags: ReadonlySet<string> = new Set(
  [
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure",
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search",
    "section summary table tbody td tfoot th thead tr ul",
  ].flatMap((line) => line.split(" ")),
);

/** They hold no page content, or not the part one came for. */
export const noiseTags: ReadonlySet<string> = new Set(
  "audio button canvas datalist dialog footer map math nav object select svg template video".split(" "),
);

/** They have neither content nor end. */
export const voidTags: ReadonlySet<string> = new Set(
  "area base br col embed frame hr img input link meta param source track wbr".split(" "),
);

/** Their content is text to the parser, whatever it looks like. */
export const rawTextTags: ReadonlySet<string> = new Set(
  "iframe noembed noframes plaintext script style textarea title xmp".split(" "),
);

export interface ImpliedEnd {
  /** What ends where the element begins. */
  readonly ends: ReadonlySet<string>;
  /** Beyond these nothing ends. */
  readonly within: ReadonlySet<string>;
}

/** What an element ends by beginning, as `<li>` does with the `<li>` before it. */
export function impliedEnd(tag: string): ImpliedEnd | null {
  return impliedEnds.get(tag) ?? (blockTags.has(tag) ? endsParagraph : null);
}

const tagSet = (names: string): ReadonlySet<string> => new Set(names.split(" "));
const endsParagraph: ImpliedEnd = { ends: tagSet("p"), within: new Set([...blockTags].filter((tag) => tag !== "p")) };
const endsCell: ImpliedEnd = { ends: tagSet("td th"), within: tagSet("tr table") };
const endsTerm: ImpliedEnd = { ends: tagSet("dt dd"), within: tagSet("dl") };
const endsRows: ImpliedEnd = { ends: tagSet("thead tbody tfoot"), within: tagSet("table") };

const impliedEnds: ReadonlyMap<string, ImpliedEnd> = new Map([
  ["a", { ends: tagSet("a"), within: tagSet("td th table") }],
  ["li", { ends: tagSet("li"), within: tagSet("ul ol menu") }],
  ["tr", { ends: tagSet("tr"), within: tagSet("table") }],
  ["td", endsCell],
  ["th", endsCell],
  ["dt", endsTerm],
  ["dd", endsTerm],
  ["thead", endsRows],
  ["tbody", endsRows],
  ["tfoot", endsRows],
]);

/** What is open outside a cell is not ended from inside. */
export const cellTags: ReadonlySet<string> = tagSet("td th caption");
export const tableTags: ReadonlySet<string> = tagSet("table thead tbody tfoot tr td th caption html body");

export type Node = Element | string;

export interface Element {
  readonly tag: string;
  readonly attributes: Attributes;
  readonly children: readonly Node[];
  /** Something inside begins a line of its own. */
  readonly containsBlocks: boolean;
}

export type Attributes = ReadonlyMap<string, string>;

/** Deeper than any page that people wrote; what lies deeper stands in the deepest. */
const MAX_DEPTH = 100;
const MAX_NODES = 200_000;

interface MutableElement extends Element {
  readonly children: Node[];
  readonly isNoise: boolean;
  containsBlocks: boolean;
}

/** Grows while the tags of a page come by, in whatever order they come. */
export class TreeBuilder {
  readonly #root: MutableElement = createElement("body", new Map());
  readonly #openElements: MutableElement[] = [this.#root];
  #nodes = 0;
  /** How many of the open elements are noise. */
  #openNoise = 0;
  /** Elements that began below the deepest and have not ended. */
  #tooDeepCount = 0;

  get root(): Element {
    return this.#root;
  }

  get isFull(): boolean {
    return this.#nodes >= MAX_NODES;
  }

  /** Drawings have rules of their own: a `<title>` there is an element like any other. */
  get isInDrawing(): boolean {
    return this.#openElements.some(({ tag }) => tag === "svg" || tag === "math");
  }

  startElement(tag: string, attributes: Attributes): void {
    this.#endImplied(tag);
    const isVoid = voidTags.has(tag);
    if (!isVoid && this.#openElements.length > MAX_DEPTH) {
      this.#tooDeepCount++;
      return;
    }
    const element = createElement(tag, attributes);
    if (!element.isNoise) this.#add(element);
    if (isVoid) return;
    this.#openElements.push(element);
    if (element.isNoise) this.#openNoise++;
  }

  endElement(tag: string): void {
    if (this.#tooDeepCount > 0) {
      this.#tooDeepCount--;
      return;
    }
    const stop = tableTags.has(tag) ? NO_TAGS : cellTags;
    const index = this.#findLastOpen((open) => open === tag, stop);
    if (index > 0) this.#endFrom(index);
  }

  addText(text: string): void {
    if (this.#openNoise > 0) return;
    const { children } = this.#innermost;
    const last = children.length - 1;
    const previous = children[last];
    if (typeof previous === "string") children[last] = previous + text;
    else this.#add(text);
  }

  get #innermost(): MutableElement {
    return this.#openElements.at(-1) ?? this.#root;
  }

  #add(node: MutableElement | string): void {
    if (this.#openNoise > 0) return;
    this.#innermost.children.push(node);
    this.#nodes++;
    if (typeof node !== "string" && blockTags.has(node.tag)) this.#markBlock();
  }

  #markBlock(): void {
    for (let index = this.#openElements.length - 1; index >= 0; index--) {
      const element = this.#openElements[index];
      if (!element || element.containsBlocks) return;
      element.containsBlocks = true;
    }
  }

  #endImplied(tag: string): void {
    const end = impliedEnd(tag);
    if (end === null) return;
    const index = this.#findLastOpen((open) => end.ends.has(open), end.within);
    if (index > 0) this.#endFrom(index);
  }

  /** The place of the innermost open element that fits, unless one of `failPublishing` comes first; -1 where none does. */
  #findLastOpen(isWanted: (tag: string) => boolean, stop: ReadonlySet<string>): number {
    for (let index = this.#openElements.length - 1; index > 0; index--) {
      const tag = this.#openElements[index]?.tag ?? "";
      if (isWanted(tag)) return index;
      if (stop.has(tag)) return -1;
    }
    return -1;
  }

  #endFrom(index: number): void {
    for (const element of this.#openElements.splice(index)) if (element.isNoise) this.#openNoise--;
  }
}

const NO_TAGS: ReadonlySet<string> = new Set();

function createElement(tag: string, attributes: Attributes): MutableElement {
  return { tag, attributes, children: [], containsBlocks: false, isNoise: isNoise(tag, attributes) };
}

/** Noise by its nature, or hidden from those who see the page. */
function isNoise(tag: string, attributes: Attributes): boolean {
  if (noiseTags.has(tag) || attributes.get("aria-hidden") === "true") return true;
  return attributes.has("hidden") || HIDDEN_STYLE.test(attributes.get("style") ?? "");
}

const HIDDEN_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden/i;

export interface ParsedPage {
  readonly root: Element;
  readonly title: string;
  /** What links are relative to, where the page says so itself. */
  readonly base: string | null;
  /** False where the page was larger than is looked at. */
  readonly isComplete: boolean;
}

export async function parseHtml(html: string, { signal }: { readonly signal: AbortSignal }): Promise<ParsedPage> {
  const page = new PageBuilder();
  const tokenizer = await createTokenizer(page);
  for (let offset = 0; offset <= html.length && !page.tree.isFull; offset += CHUNK_CHARS) {
    signal.throwIfAborted();
    tokenizer.write(html.slice(offset, offset + CHUNK_CHARS), offset + CHUNK_CHARS >= html.length);
    await new Promise(setImmediate);
  }
  return { root: page.tree.root, title: page.title, base: page.base, isComplete: !page.tree.isFull };
}

const CHUNK_CHARS = 64 * 1024;

/** Only tags are taken from the parser: a tree of its own would have no bound. */
async function createTokenizer(page: PageBuilder): Promise<Tokenizer> {
  const { Tokenizer, TokenizerMode } = await import("parse5");
  const tokenizer: Tokenizer = new Tokenizer(
    {},
    {
      onStartTag: ({ tagName, attrs }) => {
        page.startElement(tagName, attrs);
        if (page.isInRawText) tokenizer.state = rawTextMode(tagName, TokenizerMode);
      },
      onEndTag: ({ tagName }) => page.endElement(tagName),
      onCharacter: ({ chars }) => page.addText(chars),
      onWhitespaceCharacter: ({ chars }) => page.addText(chars),
      onNullCharacter: ignoreToken,
      onComment: ignoreToken,
      onDoctype: ignoreToken,
      onEof: ignoreToken,
    },
  );
  return tokenizer;
}

function ignoreToken(): void {}

type TokenizerModes = typeof import("parse5").TokenizerMode;

function rawTextMode(tag: string, modes: TokenizerModes): Tokenizer["state"] {
  if (tag === "script") return modes.SCRIPT_DATA;
  if (tag === "plaintext") return modes.PLAINTEXT;
  return tag === "title" || tag === "textarea" ? modes.RCDATA : modes.RAWTEXT;
}

/** The tree, and the few things of a page that do not stand in its text. */
class PageBuilder {
  readonly tree: TreeBuilder = new TreeBuilder();
  title = "";
  base: string | null = null;
  #rawText: string | null = null;
  #hasTitle = false;

  get isInRawText(): boolean {
    return this.#rawText !== null;
  }

  startElement(tag: string, attributes: readonly Token.Attribute[]): void {
    if (rawTextTags.has(tag) && !this.tree.isInDrawing) this.#rawText = tag;
    else this.tree.startElement(tag, pickAttributes(attributes));
    if (tag === "base") this.base ??= attributes.find(({ name }) => name === "href")?.value ?? null;
  }

  endElement(tag: string): void {
    if (this.#rawText === null) this.tree.endElement(tag);
    if (this.#rawText === "title") this.#hasTitle = true;
    this.#rawText = null;
  }

  addText(text: string): void {
    if (this.#rawText === null) this.tree.addText(text);
    if (this.#rawText === "title" && !this.#hasTitle && this.title.length < MAX_TITLE_CHARS) this.title += text;
  }
}

/** Where a title is not ended, the whole page seems to be one. */
const MAX_TITLE_CHARS = 1_000;

function pickAttributes(attributes: readonly Token.Attribute[]): Attributes {
  const picked = attributes.filter(({ name }) => READ_ATTRIBUTES.has(name));
  return picked.length === 0 ? NO_ATTRIBUTES : new Map(picked.map(({ name, value }) => [name, value]));
}

const NO_ATTRIBUTES: Attributes = new Map();
const READ_ATTRIBUTES: ReadonlySet<string> = new Set(
  "alt aria-hidden class hidden href role src start style".split(" "),
);
