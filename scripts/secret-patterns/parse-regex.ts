/** Parses a regular expression in Go's RE2 syntax, as gitleaks writes its rules, into a tree of characters, repeats and groups. */

export type RegexNode =
  | { readonly type: "characters"; readonly characters: string }
  | { readonly type: "assertion"; readonly text: string }
  | { readonly type: "repeat"; readonly node: RegexNode; readonly least: number; readonly most: number }
  | { readonly type: "group"; readonly choices: readonly (readonly RegexNode[])[]; readonly isCaptured: boolean };

export type RegexGroup = Extract<RegexNode, { type: "group" }>;

/** `(?i)` is applied here: a letter that counts in both cases becomes a choice of two characters, first the one that is written. */
export function parseRegex(source: string): RegexGroup {
  const parser = new RegexParser(source);
  const group = parser.parseGroup({ isCaptured: false, ignoresCase: false });
  if (parser.isDone) return group;
  throw new Error(`unbalanced ")" in ${source}`);
}

class RegexParser {
  readonly #source: string;
  #position = 0;

  constructor(source: string) {
    this.#source = source;
  }

  get isDone(): boolean {
    return this.#position >= this.#source.length;
  }

  parseGroup({
    isCaptured,
    ignoresCase: inherited,
  }: {
    readonly isCaptured: boolean;
    readonly ignoresCase: boolean;
  }): RegexGroup {
    const choices: RegexNode[][] = [[]];
    let ignoresCase = inherited;
    while (!this.isDone && this.#nextCharacter !== ")") {
      const flag = this.#match(/\(\?(-?)i\)/y);
      if (flag) ignoresCase = flag[1] === "";
      else if (this.#match(/\|/y)) choices.push([]);
      else choices.at(-1)?.push(this.#parseRepeat(this.#parsePart(ignoresCase)));
    }
    return { type: "group", choices, isCaptured };
  }

  get #nextCharacter(): string {
    return this.#source.charAt(this.#position);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#position;
    const match = pattern.exec(this.#source);
    if (match) this.#position = pattern.lastIndex;
    return match;
  }

  #parsePart(ignoresCase: boolean): RegexNode {
    const opening = this.#match(/\((\?P<\w+>|\?(?:-?[is])*:)?/y);
    if (opening) {
      const flags = opening[1] ?? "";
      const group = this.parseGroup({
        isCaptured: flags === "" || flags.startsWith("?P"),
        ignoresCase: flags.includes("-i") ? false : ignoresCase || /^\?i/.test(flags),
      });
      this.#position += 1;
      return group;
    }
    const assertion = this.#match(/\^|\$|\\[bBz]/y);
    if (assertion) return { type: "assertion", text: assertion[0] };
    const characters =
      this.#nextCharacter === "["
        ? this.#parseClass()
        : this.#match(ANY_CHARACTER)
          ? PRINTABLE
          : this.#parseCharacter();
    return { type: "characters", characters: uniqueCharacters(ignoresCase ? addBothCases(characters) : characters) };
  }

  #parseRepeat(node: RegexNode): RegexNode {
    const count = this.#match(/(?:\{(\d+)(,?)(\d*)\}|[*+?])\??/y);
    if (!count) return node;
    const [text = "", min, comma, max] = count;
    if (min !== undefined) return { type: "repeat", node, least: +min, most: max ? +max : comma ? Infinity : +min };
    return {
      type: "repeat",
      node,
      least: text[0] === "+" ? 1 : 0,
      most: text[0] === "?" ? 1 : Number.POSITIVE_INFINITY,
    };
  }

  #parseClass(): string {
    const isNegated = this.#match(/\[(\^?)/y)?.[1] === "^";
    let characters = "";
    while (this.#nextCharacter !== "]") {
      const namedClass = this.#match(/\[:(\w+):\]/y);
      characters += namedClass ? (NAMED_CLASSES[namedClass[1] ?? ""] ?? "") : this.#parseRange();
    }
    this.#position += 1;
    return isNegated
      ? Array.from(PRINTABLE)
          .filter((each) => !characters.includes(each))
          .join("")
      : characters;
  }

  #parseRange(): string {
    const first = this.#parseCharacter();
    if (first.length > 1 || this.#nextCharacter !== "-" || this.#source.charAt(this.#position + 1) === "]")
      return first;
    this.#position += 1;
    return characterRange(first, this.#parseCharacter());
  }

  /** One character, or all that an escape stands for. */
  #parseCharacter(): string {
    const code = this.#match(/\\x([0-9a-fA-F]{2})/y);
    if (code) return String.fromCharCode(Number.parseInt(code[1] ?? "", 16));
    const escaped = this.#match(/\\(.)/y);
    if (escaped) return ESCAPES[escaped[1] ?? ""] ?? escaped[1] ?? "";
    const character = this.#nextCharacter;
    this.#position += 1;
    return character;
  }
}

/** A dot that is not repeated stands between two words and means a dot. */
const ANY_CHARACTER = /\.(?=[*+{?])/y;

function characterRange(first: string, last: string): string {
  const [start, end] = [first.charCodeAt(0), last.charCodeAt(0)];
  return Array.from({ length: end - start + 1 }, (_, index) => String.fromCharCode(start + index)).join("");
}

function addBothCases(characters: string): string {
  return Array.from(characters, (each) => each + each.toLowerCase() + each.toUpperCase()).join("");
}

function uniqueCharacters(characters: string): string {
  return [...new Set(characters)].join("");
}

const DIGITS = characterRange("0", "9");
const LETTERS = characterRange("A", "Z") + characterRange("a", "z");
const PRINTABLE = characterRange("!", "~");
const NAMED_CLASSES: Readonly<Record<string, string>> = { alnum: LETTERS + DIGITS, alpha: LETTERS, digit: DIGITS };
const ESCAPES: Readonly<Record<string, string>> = {
  d: DIGITS,
  w: `${LETTERS}${DIGITS}_`,
  s: " \t\n\r",
  S: PRINTABLE,
  t: "\t",
  n: "\n",
  r: "\r",
};
