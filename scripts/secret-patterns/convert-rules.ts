/**
 * Converts gitleaks rules into families of secrets: the prefixes to look for, and a JavaScript pattern that starts at the prefix. The regular
 * expressions of gitleaks are in Go's RE2 syntax and are parsed into a tree of characters, repeats and groups.
 */

export interface Rule {
  readonly id: string;
  readonly regex: string;
  readonly entropy?: number;
}

export interface ConvertedRule {
  readonly rule: Rule;
  /** How the secret may begin; empty if its beginning is not distinctive. */
  readonly prefixes: readonly string[];
  /** The alternatives of the secret itself, without the text that gitleaks expects around it. */
  readonly shapes: readonly (readonly RegexNode[])[];
  /** Whether gitleaks looks for the name of the service before the secret. */
  readonly needsName: boolean;
}

/** Rules with a prefix that are excluded, and why. */
export const EXCLUDED_RULES: Readonly<Record<string, string>> = {
  "curl-auth-header": "headers are found by `bearer`, `basic` and `assigned`, in any program",
  "kubernetes-secret-yaml": "a whole document, not a secret; its values are Base64 of anything",
  "private-key": "private keys are found line by line by private-keys.ts",
  "freemius-secret-key": "`sk_` and any 29 characters, meant for PHP files alone; `assigned` finds it after its name",
  "flutterwave-public-key": "public by design",
  "lob-pub-api-key": "public by design",
  "mailgun-pub-key": "public by design",
  "mapbox-api-token": "public by design (`pk.`)",
};

export function convertRule(rule: Rule): ConvertedRule {
  const tokens = parseRegex(rule.regex).choices.map(findSecretGroup);
  const shapes = tokens.flatMap(({ nodes }) => expandStart(nodes)).map(removeSpaces);
  const prefixed = shapes.filter((shape) => listPrefixes(shape).every(isDistinctive));
  const prefixes = prefixed.flatMap(listPrefixes);
  const needsName = tokens.every((token) => token.needsName);
  return { rule, prefixes: [...new Set(prefixes)], shapes: prefixed, needsName };
}

/** The first captured group is the secret; without one, the whole match is. */
function findSecretGroup(nodes: readonly RegexNode[]): {
  readonly nodes: readonly RegexNode[];
  readonly needsName: boolean;
} {
  const index = nodes.findIndex((node) => node.type === "group" && node.isCaptured);
  const token = nodes[index];
  if (token?.type !== "group") return { nodes: nodes.filter((node) => !isEndCondition(node)), needsName: false };
  const needsName = nodes.slice(0, index).some((node) => node.type === "repeat");
  return { nodes: [{ ...token, isCaptured: false }], needsName };
}

/** Whether a node describes what must follow the secret, such as the end of the text. */
function isEndCondition(node: RegexNode): boolean {
  return (
    node.type === "group" &&
    node.choices.some(([first]) => first?.type === "assertion" && /^(?:\$|\\z)$/.test(first.text))
  );
}

/** Expands the groups at the beginning, so that each shape begins with characters. */
function expandStart([first, ...rest]: readonly RegexNode[]): readonly (readonly RegexNode[])[] {
  if (first === undefined) return [];
  if (first.type === "assertion") return expandStart(rest);
  if (first.type === "group") return first.choices.flatMap((choice) => expandStart([...choice, ...rest]));
  return [[first, ...rest]];
}

/** Removes word boundaries, which the pattern expresses differently, and white space and backslashes, which belong to the text around it. */
function removeSpaces(nodes: readonly RegexNode[]): readonly RegexNode[] {
  return nodes.filter(({ type }) => type !== "assertion").map(removeSpacesInNode);
}

function removeSpacesInNode(node: RegexNode): RegexNode {
  switch (node.type) {
    case "characters":
      return { ...node, characters: node.characters.replace(/[\s\\]/g, "") };
    case "repeat":
      return { ...node, node: removeSpacesInNode(node.node) };
    case "group":
      return { ...node, choices: node.choices.map(removeSpaces) };
    case "assertion":
      return node;
  }
}

/** Lists the literal beginnings of a shape. A prefix is matched as it is written, even if gitleaks ignores case. */
function listPrefixes(nodes: readonly RegexNode[]): readonly string[] {
  let prefixes = [""];
  for (const node of nodes) {
    const next = listLiterals(node);
    if (next === null || prefixes.length * next.length > MAX_PREFIXES) break;
    prefixes = prefixes.flatMap((prefix) => next.map((literal) => prefix + literal));
  }
  return prefixes;
}

const MAX_PREFIXES = 12;
const MAX_CHOICES = 4;

function listLiterals(node: RegexNode): readonly string[] | null {
  switch (node.type) {
    case "characters":
      return dropCaseVariants(node.characters).length <= MAX_CHOICES
        ? Array.from(dropCaseVariants(node.characters))
        : null;
    case "repeat": {
      const innerLiterals = node.least === node.most ? listLiterals(node.node) : null;
      return innerLiterals?.length === 1 ? [String(innerLiterals[0]).repeat(node.least)] : null;
    }
    case "group": {
      const choices = node.choices.map((choice) => (choice.every(isLiteral) ? listPrefixes(choice) : null));
      return choices.some((choice) => choice === null) ? null : choices.flatMap((choice) => choice ?? []);
    }
    case "assertion":
      return [""];
  }
}

function isLiteral(node: RegexNode): boolean {
  return listLiterals(node) !== null;
}

function isSingleCharacter(characters: string): boolean {
  return dropCaseVariants(characters).length === 1;
}

/** Keeps each letter once, in the case in which the rule writes it. */
export function dropCaseVariants(characters: string): string {
  const small = characters.toLowerCase();
  return Array.from(characters)
    .filter((_, index) => small.indexOf(small.charAt(index)) === index)
    .join("");
}

/** The search needs at least three characters. The beginning of a URL is not distinctive. */
function isDistinctive(prefix: string): boolean {
  return prefix.length >= 3 && !prefix.startsWith("http");
}

/** Whether the prefix alone identifies a secret, as `glpat-` does. */
function hasDistinctivePrefix({ prefixes, needsName }: ConvertedRule): boolean {
  return !needsName && prefixes.every((prefix) => prefix.length >= 4 && /[_.~=-]$/.test(prefix));
}

/** Whether ordinary words could follow the prefix (`live_`), so that what follows must look random. */
export function mayMatchWords(converted: ConvertedRule): boolean {
  if (hasDistinctivePrefix(converted) || converted.prefixes.every((prefix) => prefix.length > MAX_WORDLIKE_PREFIX))
    return false;
  return converted.shapes.some((shape) => shape.some((node) => node.type === "repeat" && hasAllLetters(node.node)));
}

const MAX_WORDLIKE_PREFIX = 5;

function hasAllLetters(node: RegexNode): boolean {
  return node.type === "characters" && /[g-z]/.test(node.characters);
}

/** The length of the shortest secret of this rule. */
export function minLength({ shapes }: ConvertedRule): number {
  return Math.min(...shapes.map((shape) => sumMinLengths(shape)));
}

function sumMinLengths(nodes: readonly RegexNode[]): number {
  return nodes.reduce((sum, node) => {
    if (node.type === "characters") return sum + 1;
    if (node.type === "repeat") return sum + node.least * sumMinLengths([node.node]);
    return node.type === "group" ? sum + Math.min(...node.choices.map((choice) => sumMinLengths(choice))) : sum;
  }, 0);
}

/** Returns the pattern of a family, which starts at its prefix; see `Family` in `@pith/context/secrets`. */
export function toPattern(converted: ConvertedRule): string {
  const choices = [...new Set(converted.shapes.map((shape) => formatShape(shape, hasDistinctivePrefix(converted))))];
  return choices.length === 1 ? String(choices[0]) : `(?:${choices.join("|")})`;
}

/** After a distinctive prefix the secret continues as long as its characters do, so that nothing of a longer one is left. */
function formatShape(nodes: readonly RegexNode[], isOpen: boolean): string {
  const last = nodes.at(-1);
  if (isOpen && last?.type === "repeat" && last.node.type === "characters" && last.node.characters.length >= 10) {
    const max = isWord(last.node.characters) ? Number.POSITIVE_INFINITY : Math.max(last.most, last.least + MAX_REST);
    return [...nodes.slice(0, -1), { ...last, most: max }].map(formatNode).join("");
  }
  return `${nodes.map(formatNode).join("")}(?![A-Za-z0-9])`;
}

/** A bound, so that the search takes linear time. */
const MAX_REST = 600;

function isWord(characters: string): boolean {
  return /^[\w-]+$/.test(characters);
}

function formatNode(node: RegexNode): string {
  switch (node.type) {
    case "characters":
      return isSingleCharacter(node.characters)
        ? escapeCharacter(node.characters.charAt(0))
        : formatClass(node.characters);
    case "repeat":
      return formatRepeat(node);
    case "group":
      return formatGroup(node);
    case "assertion":
      return "";
  }
}

function formatRepeat({ node, least: min, most: max }: Extract<RegexNode, { type: "repeat" }>): string {
  const innerPattern =
    node.type === "group" && node.choices.length === 1 ? `(?:${formatNode(node)})` : formatNode(node);
  if (min === 0 && max === 1) return `${innerPattern}?`;
  if (min === max) return min === 1 ? innerPattern : `${innerPattern}{${min}}`;
  const isUnbounded = max === Number.POSITIVE_INFINITY;
  if (isUnbounded && node.type === "characters" && isWord(node.characters)) return `${innerPattern}{${min},}`;
  return `${innerPattern}{${min},${isUnbounded ? min + MAX_REST : max}}`;
}

function formatGroup({ choices }: RegexGroup): string {
  if (choices.length === 1) return (choices[0] ?? []).map(formatNode).join("");
  return `(?:${choices.map((choice) => choice.map(formatNode).join("")).join("|")})`;
}

function formatClass(characters: string): string {
  const sorted = [...new Set(characters)].sort().join("");
  const hasWord = containsAll(`${LETTERS}${DIGITS}_`, sorted);
  const rest = hasWord ? sorted.replace(/\w/g, "") : sorted;
  if (rest === "") return "\\w";
  const ranges = rest.replace(/[A-Z]+|[a-z]+|[0-9]+/g, toRanges).replace(/[\]\\^]/g, "\\$&");
  // A hyphen at the end of a class is literal.
  const hyphen = sorted.includes("-") ? "-" : "";
  return `[${hasWord ? "\\w" : ""}${hyphen ? ranges.replace(/(?<![A-Za-z0-9])-|-(?![A-Za-z0-9])/, "") : ranges}${hyphen}]`;
}

function containsAll(part: string, whole: string): boolean {
  return Array.from(part).every((character) => whole.includes(character));
}

/** `abcdef` becomes `a-f`; characters without a sequence stay as they are. */
function toRanges(run: string): string {
  let ranges = "";
  for (let start = 0; start < run.length; ) {
    let end = start;
    while (run.charCodeAt(end + 1) === run.charCodeAt(end) + 1) end += 1;
    ranges += end - start >= 2 ? `${run[start]}-${run[end]}` : run.slice(start, end + 1);
    start = end + 1;
  }
  return ranges;
}

function escapeCharacter(character: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}

export type RegexNode =
  | { readonly type: "characters"; readonly characters: string }
  | { readonly type: "assertion"; readonly text: string }
  | { readonly type: "repeat"; readonly node: RegexNode; readonly least: number; readonly most: number }
  | { readonly type: "group"; readonly choices: readonly (readonly RegexNode[])[]; readonly isCaptured: boolean };

type RegexGroup = Extract<RegexNode, { type: "group" }>;

/** Applies `(?i)`: a letter that ignores case becomes a class of two characters, the written one first. */
function parseRegex(source: string): RegexGroup {
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

  /** Returns one character, or all characters that an escape matches. */
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

/** A dot that is not repeated is between two words and means a literal dot. */
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
