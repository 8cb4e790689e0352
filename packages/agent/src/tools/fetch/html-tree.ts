/** Parses HTML into a tree of bounded size and depth, in chunks, so that a large page does not block the rest of the program. */

import type { Token, Tokenizer } from "parse5";

/** They begin a line of their own. */
export const blocks: ReadonlySet<string> = new Set(
  [
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure",
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search",
    "section summary table tbody td tfoot th thead tr ul",
  ].flatMap((line) => line.split(" ")),
);

/** They hold no page content, or not the part one came for. */
export const noise: ReadonlySet<string> = new Set(
  "audio button canvas datalist dialog footer map math nav object select svg template video".split(" "),
);

/** They have neither content nor end. */
export const voids: ReadonlySet<string> = new Set(
  "area base br col embed frame hr img input link meta param source track wbr".split(" "),
);

/** Their content is text to the parser, whatever it looks like. */
export const rawTexts: ReadonlySet<string> = new Set(
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
  return implied.get(tag) ?? (blocks.has(tag) ? endsParagraph : null);
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));
const endsParagraph: ImpliedEnd = { ends: set("p"), within: new Set([...blocks].filter((tag) => tag !== "p")) };
const endsCell: ImpliedEnd = { ends: set("td th"), within: set("tr table") };
const endsTerm: ImpliedEnd = { ends: set("dt dd"), within: set("dl") };
const endsRows: ImpliedEnd = { ends: set("thead tbody tfoot"), within: set("table") };

const implied: ReadonlyMap<string, ImpliedEnd> = new Map([
  ["a", { ends: set("a"), within: set("td th table") }],
  ["li", { ends: set("li"), within: set("ul ol menu") }],
  ["tr", { ends: set("tr"), within: set("table") }],
  ["td", endsCell],
  ["th", endsCell],
  ["dt", endsTerm],
  ["dd", endsTerm],
  ["thead", endsRows],
  ["tbody", endsRows],
  ["tfoot", endsRows],
]);

/** What is open outside a cell is not ended from inside. */
export const cells: ReadonlySet<string> = set("td th caption");
export const tableParts: ReadonlySet<string> = set("table thead tbody tfoot tr td th caption html body");

export type Node = Element | string;

export interface Element {
  readonly tag: string;
  readonly attributes: Attributes;
  readonly children: readonly Node[];
  /** Something inside begins a line of its own. */
  readonly holdsBlocks: boolean;
}

export type Attributes = ReadonlyMap<string, string>;

/** Deeper than any page that people wrote; what lies deeper stands in the deepest. */
const DEEPEST = 100;
const MOST_NODES = 200_000;

interface Growing extends Element {
  readonly children: Node[];
  readonly isNoise: boolean;
  holdsBlocks: boolean;
}

/** Grows while the tags of a page come by, in whatever order they come. */
export class Tree {
  readonly #root: Growing = sprout("body", new Map());
  readonly #open: Growing[] = [this.#root];
  #nodes = 0;
  /** How many of the open elements are noise. */
  #muted = 0;
  /** Elements that began below the deepest and have not ended. */
  #tooDeep = 0;

  get root(): Element {
    return this.#root;
  }

  get isFull(): boolean {
    return this.#nodes >= MOST_NODES;
  }

  /** Drawings have rules of their own: a `<title>` there is an element like any other. */
  get isInDrawing(): boolean {
    return this.#open.some(({ tag }) => tag === "svg" || tag === "math");
  }

  begin(tag: string, attributes: Attributes): void {
    this.#endImplied(tag);
    const isVoid = voids.has(tag);
    if (!isVoid && this.#open.length > DEEPEST) {
      this.#tooDeep++;
      return;
    }
    const element = sprout(tag, attributes);
    if (!element.isNoise) this.#add(element);
    if (isVoid) return;
    this.#open.push(element);
    if (element.isNoise) this.#muted++;
  }

  end(tag: string): void {
    if (this.#tooDeep > 0) {
      this.#tooDeep--;
      return;
    }
    const stop = tableParts.has(tag) ? NOTHING : cells;
    const at = this.#lastOpen((open) => open === tag, stop);
    if (at > 0) this.#endFrom(at);
  }

  text(text: string): void {
    if (this.#muted > 0) return;
    const { children } = this.#innermost;
    const last = children.length - 1;
    const before = children[last];
    if (typeof before === "string") children[last] = before + text;
    else this.#add(text);
  }

  get #innermost(): Growing {
    return this.#open.at(-1) ?? this.#root;
  }

  #add(node: Growing | string): void {
    if (this.#muted > 0) return;
    this.#innermost.children.push(node);
    this.#nodes++;
    if (typeof node !== "string" && blocks.has(node.tag)) this.#markBlock();
  }

  #markBlock(): void {
    for (let at = this.#open.length - 1; at >= 0; at--) {
      const element = this.#open[at];
      if (!element || element.holdsBlocks) return;
      element.holdsBlocks = true;
    }
  }

  #endImplied(tag: string): void {
    const end = impliedEnd(tag);
    if (end === null) return;
    const at = this.#lastOpen((open) => end.ends.has(open), end.within);
    if (at > 0) this.#endFrom(at);
  }

  /** The place of the innermost open element that fits, unless one of `stop` comes first; -1 where none does. */
  #lastOpen(fits: (tag: string) => boolean, stop: ReadonlySet<string>): number {
    for (let at = this.#open.length - 1; at > 0; at--) {
      const tag = this.#open[at]?.tag ?? "";
      if (fits(tag)) return at;
      if (stop.has(tag)) return -1;
    }
    return -1;
  }

  #endFrom(at: number): void {
    for (const element of this.#open.splice(at)) if (element.isNoise) this.#muted--;
  }
}

const NOTHING: ReadonlySet<string> = new Set();

function sprout(tag: string, attributes: Attributes): Growing {
  return { tag, attributes, children: [], holdsBlocks: false, isNoise: isNoise(tag, attributes) };
}

/** Noise by its nature, or hidden from those who see the page. */
function isNoise(tag: string, attributes: Attributes): boolean {
  if (noise.has(tag) || attributes.get("aria-hidden") === "true") return true;
  return attributes.has("hidden") || HIDDEN.test(attributes.get("style") ?? "");
}

const HIDDEN = /display\s*:\s*none|visibility\s*:\s*hidden/i;

export interface Parsed {
  readonly root: Element;
  readonly title: string;
  /** What links are relative to, where the page says so itself. */
  readonly base: string | null;
  /** False where the page was larger than is looked at. */
  readonly isWhole: boolean;
}

export async function parse(html: string, { signal }: { readonly signal: AbortSignal }): Promise<Parsed> {
  const page = new Page();
  const tokenizer = await tokenizerFor(page);
  for (let at = 0; at <= html.length && !page.tree.isFull; at += STRETCH) {
    signal.throwIfAborted();
    tokenizer.write(html.slice(at, at + STRETCH), at + STRETCH >= html.length);
    await new Promise(setImmediate);
  }
  return { root: page.tree.root, title: page.title, base: page.base, isWhole: !page.tree.isFull };
}

const STRETCH = 64 * 1024;

/** Only tags are taken from the parser: a tree of its own would have no bound. */
async function tokenizerFor(page: Page): Promise<Tokenizer> {
  const { Tokenizer, TokenizerMode } = await import("parse5");
  const tokenizer: Tokenizer = new Tokenizer(
    {},
    {
      onStartTag: ({ tagName, attrs }) => {
        page.begin(tagName, attrs);
        if (page.isInRawText) tokenizer.state = rawMode(tagName, TokenizerMode);
      },
      onEndTag: ({ tagName }) => page.end(tagName),
      onCharacter: ({ chars }) => page.text(chars),
      onWhitespaceCharacter: ({ chars }) => page.text(chars),
      onNullCharacter: ignored,
      onComment: ignored,
      onDoctype: ignored,
      onEof: ignored,
    },
  );
  return tokenizer;
}

function ignored(): void {}

type Modes = typeof import("parse5").TokenizerMode;

function rawMode(tag: string, modes: Modes): Tokenizer["state"] {
  if (tag === "script") return modes.SCRIPT_DATA;
  if (tag === "plaintext") return modes.PLAINTEXT;
  return tag === "title" || tag === "textarea" ? modes.RCDATA : modes.RAWTEXT;
}

/** The tree, and the few things of a page that do not stand in its text. */
class Page {
  readonly tree: Tree = new Tree();
  title = "";
  base: string | null = null;
  #rawText: string | null = null;
  #isTitled = false;

  get isInRawText(): boolean {
    return this.#rawText !== null;
  }

  begin(tag: string, attributes: readonly Token.Attribute[]): void {
    if (rawTexts.has(tag) && !this.tree.isInDrawing) this.#rawText = tag;
    else this.tree.begin(tag, kept(attributes));
    if (tag === "base") this.base ??= attributes.find(({ name }) => name === "href")?.value ?? null;
  }

  end(tag: string): void {
    if (this.#rawText === null) this.tree.end(tag);
    if (this.#rawText === "title") this.#isTitled = true;
    this.#rawText = null;
  }

  text(text: string): void {
    if (this.#rawText === null) this.tree.text(text);
    if (this.#rawText === "title" && !this.#isTitled && this.title.length < ENOUGH_TITLE) this.title += text;
  }
}

/** Where a title is not ended, the whole page seems to be one. */
const ENOUGH_TITLE = 1_000;

function kept(attributes: readonly Token.Attribute[]): Attributes {
  const read = attributes.filter(({ name }) => READ.has(name));
  return read.length === 0 ? NONE : new Map(read.map(({ name, value }) => [name, value]));
}

const NONE: Attributes = new Map();
const READ: ReadonlySet<string> = new Set("alt aria-hidden class hidden href role src start style".split(" "));
