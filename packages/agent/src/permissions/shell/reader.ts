/** Where we are in a shell line, and the commands found in it so far. */

/** Null where only a shell could tell what it becomes. */
export type Word = string | null;

export interface Command {
  readonly words: readonly Word[];
  /** Nothing but words: no variable set, nothing substituted, redirected, remarked or nested. */
  readonly isPlain: boolean;
}

/** Thrown where a line is beyond us, and caught where its reading began. */
export class Unreadable extends Error {}

/** Reads commands up to the bracket that closes them, or to the end. */
export type ReadCommands = (reader: Reader, closing: ")" | "") => void;

export class Reader {
  readonly commands: Command[];
  readonly #text: string;
  readonly #readCommands: ReadCommands;
  #at = 0;
  #depth: number;

  constructor(text: string, readCommands: ReadCommands, outer?: Reader) {
    this.#text = text;
    this.#readCommands = readCommands;
    this.commands = outer?.commands ?? [];
    this.#depth = outer ? deeper(outer.#depth) : 0;
  }

  /** The letter we are at; empty at the end. */
  get next(): string {
    return this.#text[this.#at] ?? "";
  }

  get isNested(): boolean {
    return this.#depth > 0;
  }

  get place(): number {
    return this.#at;
  }

  since(place: number): string {
    return this.#text.slice(place, this.#at);
  }

  sees(sticky: RegExp): boolean {
    sticky.lastIndex = this.#at;
    return sticky.test(this.#text);
  }

  /** Goes past what is here; null where it is something else. */
  take(sticky: RegExp): string | null {
    sticky.lastIndex = this.#at;
    const [taken] = sticky.exec(this.#text) ?? [null];
    this.#at += taken?.length ?? 0;
    return taken;
  }

  /** The commands between two brackets; we are at the first. */
  readBrackets(): void {
    this.#depth = deeper(this.#depth);
    this.#at += 1;
    this.#readCommands(this, ")");
    this.#at += 1;
    this.#depth -= 1;
  }

  /** The commands of a text that was quoted on its way here. */
  readAside(text: string): void {
    this.#readCommands(new Reader(text, this.#readCommands, this), "");
  }
}

const DEEPEST = 20;

function deeper(depth: number): number {
  if (depth >= DEEPEST) throw new Unreadable();
  return depth + 1;
}
