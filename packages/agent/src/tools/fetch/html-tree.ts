/** Parses HTML into a tree of limited size and depth, in chunks, so that a large page does not block other work. */

import type { Token, Tokenizer } from "parse5";

/** Elements that start a new line. */
export const blockTags: ReadonlySet<string> = new Set(
  [
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure",
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search",
    "section summary table tbody td tfoot th thead tr ul",
  ].flatMap((line) => line.split(" ")),
);

/** Elements without relevant page content. */
const noiseTags: ReadonlySet<string> = new Set(
  "audio button canvas datalist dialog footer map math nav object select svg template video".split(" "),
);

/** Elements without content and end tag. */
const voidTags: ReadonlySet<string> = new Set(
  "area base br col embed frame hr img input link meta param source track wbr".split(" "),
);

/** Elements whose content is parsed as text only. */
const rawTextTags: ReadonlySet<string> = new Set(
  "iframe noembed noframes plaintext script style textarea title xmp".split(" "),
);

export interface ImpliedEnd {
  /** The open elements that the new element closes. */
  readonly ends: ReadonlySet<string>;
  /** Elements outside these stay open. */
  readonly within: ReadonlySet<string>;
}

/** The elements that a start tag closes, as `<li>` closes the previous `<li>`. */
function findImpliedEnd(tag: string): ImpliedEnd | null {
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

/** An end tag within a cell does not close elements outside of it. */
const cellTags: ReadonlySet<string> = tagSet("td th caption");
const tableTags: ReadonlySet<string> = tagSet("table thead tbody tfoot tr td th caption html body");

export type Node = Element | string;

export interface Element {
  readonly tag: string;
  readonly attributes: Attributes;
  readonly children: readonly Node[];
  /** Whether a descendant starts a new line. */
  readonly containsBlocks: boolean;
}

export type Attributes = ReadonlyMap<string, string>;

/** Deeper elements are added to the deepest one. */
const MAX_DEPTH = 100;
const MAX_NODES = 200_000;

interface MutableElement extends Element {
  readonly children: Node[];
  readonly isNoise: boolean;
  containsBlocks: boolean;
}

/** Builds the tree from tags in any order, also invalid ones. */
class TreeBuilder {
  readonly #root: MutableElement = createElement("body", new Map());
  readonly #openElements: MutableElement[] = [this.#root];
  #nodes = 0;
  /** The number of open noise elements. */
  #openNoise = 0;
  /** Open elements below the maximum depth. */
  #tooDeepCount = 0;

  get root(): Element {
    return this.#root;
  }

  get isFull(): boolean {
    return this.#nodes >= MAX_NODES;
  }

  /** In drawings `<title>` is an ordinary element. */
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
    const end = findImpliedEnd(tag);
    if (end === null) return;
    const index = this.#findLastOpen((open) => end.ends.has(open), end.within);
    if (index > 0) this.#endFrom(index);
  }

  /** The index of the innermost open element that matches, unless a `stop` element comes first; -1 if there is none. */
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

/** Whether the element has no relevant content or is hidden. */
function isNoise(tag: string, attributes: Attributes): boolean {
  if (noiseTags.has(tag) || attributes.get("aria-hidden") === "true") return true;
  return attributes.has("hidden") || HIDDEN_STYLE.test(attributes.get("style") ?? "");
}

const HIDDEN_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden/i;

export interface ParsedPage {
  readonly root: Element;
  readonly title: string;
  /** The base URL that the page declares. */
  readonly base: string | null;
  /** False if the page exceeded the size limit. */
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

/** Uses only the tokenizer of parse5, because its tree has no size limit. */
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

/** Collects the tree, the title and the base URL of a page. */
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

/** An unclosed title would contain the whole page. */
const MAX_TITLE_CHARS = 1_000;

function pickAttributes(attributes: readonly Token.Attribute[]): Attributes {
  const picked = attributes.filter(({ name }) => READ_ATTRIBUTES.has(name));
  return picked.length === 0 ? NO_ATTRIBUTES : new Map(picked.map(({ name, value }) => [name, value]));
}

const NO_ATTRIBUTES: Attributes = new Map();
const READ_ATTRIBUTES: ReadonlySet<string> = new Set(
  "alt aria-hidden class hidden href role src start style".split(" "),
);
