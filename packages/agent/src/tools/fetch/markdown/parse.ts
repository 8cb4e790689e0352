/** HTML to a tree, a stretch at a time, so that the rest of the program keeps running beside a large page. */

import type { Token, Tokenizer } from "parse5";
import { rawTexts } from "./tags.ts";
import { type Attributes, type Element, Tree } from "./tree.ts";

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
