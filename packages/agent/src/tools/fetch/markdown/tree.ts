/** A page as a small tree: what a reader sees of it, no deeper and no larger than can be walked safely. */

import { blocks, cells, impliedEnd, noise, tableParts, voids } from "./tags.ts";

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
