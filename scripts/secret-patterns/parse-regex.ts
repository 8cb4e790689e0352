/** Parses a regular expression in Go's RE2 syntax, as gitleaks writes its rules, into a tree of characters, repeats and groups. */

export type Node =
  | { readonly type: "characters"; readonly characters: string }
  | { readonly type: "assertion"; readonly text: string }
  | { readonly type: "repeat"; readonly node: Node; readonly least: number; readonly most: number }
  | { readonly type: "group"; readonly choices: readonly (readonly Node[])[]; readonly isCaptured: boolean };

export type Group = Extract<Node, { type: "group" }>;

/** `(?i)` is applied here: a letter that counts in both cases becomes a choice of two characters, first the one that is written. */
export function parseRegex(source: string): Group {
  const parser = new Parser(source);
  const group = parser.group({ isCaptured: false, ignoresCase: false });
  if (parser.isDone) return group;
  throw new Error(`unbalanced ")" in ${source}`);
}

class Parser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  get isDone(): boolean {
    return this.#at >= this.#source.length;
  }

  group({
    isCaptured,
    ignoresCase: inherited,
  }: {
    readonly isCaptured: boolean;
    readonly ignoresCase: boolean;
  }): Group {
    const choices: Node[][] = [[]];
    let ignoresCase = inherited;
    while (!this.isDone && this.#next !== ")") {
      const flag = this.#take(/\(\?(-?)i\)/y);
      if (flag) ignoresCase = flag[1] === "";
      else if (this.#take(/\|/y)) choices.push([]);
      else choices.at(-1)?.push(this.#repeated(this.#part(ignoresCase)));
    }
    return { type: "group", choices, isCaptured };
  }

  get #next(): string {
    return this.#source.charAt(this.#at);
  }

  #take(shape: RegExp): RegExpExecArray | null {
    shape.lastIndex = this.#at;
    const found = shape.exec(this.#source);
    if (found) this.#at = shape.lastIndex;
    return found;
  }

  #part(ignoresCase: boolean): Node {
    const opening = this.#take(/\((\?P<\w+>|\?(?:-?[is])*:)?/y);
    if (opening) {
      const flags = opening[1] ?? "";
      const group = this.group({
        isCaptured: flags === "" || flags.startsWith("?P"),
        ignoresCase: flags.includes("-i") ? false : ignoresCase || /^\?i/.test(flags),
      });
      this.#at += 1;
      return group;
    }
    const assertion = this.#take(/\^|\$|\\[bBz]/y);
    if (assertion) return { type: "assertion", text: assertion[0] };
    const characters = this.#next === "[" ? this.#class() : this.#take(ANY) ? PRINTABLE : this.#character();
    return { type: "characters", characters: unique(ignoresCase ? inBothCases(characters) : characters) };
  }

  #repeated(node: Node): Node {
    const count = this.#take(/(?:\{(\d+)(,?)(\d*)\}|[*+?])\??/y);
    if (!count) return node;
    const [text = "", least, comma, most] = count;
    if (least !== undefined)
      return { type: "repeat", node, least: +least, most: most ? +most : comma ? Infinity : +least };
    return {
      type: "repeat",
      node,
      least: text[0] === "+" ? 1 : 0,
      most: text[0] === "?" ? 1 : Number.POSITIVE_INFINITY,
    };
  }

  #class(): string {
    const isNegated = this.#take(/\[(\^?)/y)?.[1] === "^";
    let characters = "";
    while (this.#next !== "]") {
      const named = this.#take(/\[:(\w+):\]/y);
      characters += named ? (NAMED[named[1] ?? ""] ?? "") : this.#range();
    }
    this.#at += 1;
    return isNegated
      ? Array.from(PRINTABLE)
          .filter((each) => !characters.includes(each))
          .join("")
      : characters;
  }

  #range(): string {
    const first = this.#character();
    if (first.length > 1 || this.#next !== "-" || this.#source.charAt(this.#at + 1) === "]") return first;
    this.#at += 1;
    return span(first, this.#character());
  }

  /** One character, or all that an escape stands for. */
  #character(): string {
    const code = this.#take(/\\x([0-9a-fA-F]{2})/y);
    if (code) return String.fromCharCode(Number.parseInt(code[1] ?? "", 16));
    const escaped = this.#take(/\\(.)/y);
    if (escaped) return ESCAPES[escaped[1] ?? ""] ?? escaped[1] ?? "";
    const character = this.#next;
    this.#at += 1;
    return character;
  }
}

/** A dot that is not repeated stands between two words and means a dot. */
const ANY = /\.(?=[*+{?])/y;

function span(first: string, last: string): string {
  const [from, to] = [first.charCodeAt(0), last.charCodeAt(0)];
  return Array.from({ length: to - from + 1 }, (_, at) => String.fromCharCode(from + at)).join("");
}

function inBothCases(characters: string): string {
  return Array.from(characters, (each) => each + each.toLowerCase() + each.toUpperCase()).join("");
}

function unique(characters: string): string {
  return [...new Set(characters)].join("");
}

const DIGITS = span("0", "9");
const LETTERS = span("A", "Z") + span("a", "z");
const PRINTABLE = span("!", "~");
const NAMED: Readonly<Record<string, string>> = { alnum: LETTERS + DIGITS, alpha: LETTERS, digit: DIGITS };
const ESCAPES: Readonly<Record<string, string>> = {
  d: DIGITS,
  w: `${LETTERS}${DIGITS}_`,
  s: " \t\n\r",
  S: PRINTABLE,
  t: "\t",
  n: "\n",
  r: "\r",
};
