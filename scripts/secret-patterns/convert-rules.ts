/** Converts rules of gitleaks into families of secrets: which prefixes to look for, and a JavaScript pattern from there on. */

import { type Group, type Node, parseRegex } from "./parse-regex.ts";

export interface Rule {
  readonly id: string;
  readonly regex: string;
  readonly entropy?: number;
}

export interface ConvertedRule {
  readonly rule: Rule;
  /** How the secret may begin; empty where nothing distinctive stands at its beginning. */
  readonly prefixes: readonly string[];
  /** The choices of the secret alone, without what gitleaks asks for around it. */
  readonly shapes: readonly (readonly Node[])[];
  /** gitleaks looks for the name of the service before it. */
  readonly needsName: boolean;
}

/** Rules with a prefix that are left out, and why. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  "curl-auth-header": "headers are found by `bearer`, `basic` and `assigned`, in whichever program they stand",
  "kubernetes-secret-yaml": "a whole document, not a secret; what it holds is Base64 of anything",
  "private-key": "private keys are found line by line by private-keys.ts",
  "freemius-secret-key": "`sk_` and any 29 characters, meant for PHP files alone; `assigned` finds it behind its name",
  "flutterwave-public-key": "public by design",
  "lob-pub-api-key": "public by design",
  "mailgun-pub-key": "public by design",
  "mapbox-api-token": "public by design (`pk.`)",
};

export function convertRule(rule: Rule): ConvertedRule {
  const tokens = parseRegex(rule.regex).choices.map(tokenIn);
  const shapes = tokens.flatMap(({ nodes }) => startingShapes(nodes)).map(onOneLine);
  const prefixed = shapes.filter((shape) => prefixesOf(shape).every(isDistinctive));
  const prefixes = prefixed.flatMap(prefixesOf);
  const needsName = tokens.every((token) => token.needsName);
  return { rule, prefixes: [...new Set(prefixes)], shapes: prefixed, needsName };
}

/** The first group that gitleaks captures is the secret; without one, the whole match is. */
function tokenIn(nodes: readonly Node[]): { readonly nodes: readonly Node[]; readonly needsName: boolean } {
  const at = nodes.findIndex((node) => node.type === "group" && node.isCaptured);
  const token = nodes[at];
  if (token?.type !== "group") return { nodes: nodes.filter((node) => !isEnd(node)), needsName: false };
  const needsName = nodes.slice(0, at).some((node) => node.type === "repeat");
  return { nodes: [{ ...token, isCaptured: false }], needsName };
}

/** What must follow the secret, such as the end of the text. */
function isEnd(node: Node): boolean {
  return (
    node.type === "group" &&
    node.choices.some(([first]) => first?.type === "assertion" && /^(?:\$|\\z)$/.test(first.text))
  );
}

/** Takes apart what may stand at the beginning, so that each shape begins with characters. */
function startingShapes([first, ...rest]: readonly Node[]): readonly (readonly Node[])[] {
  if (first === undefined) return [];
  if (first.type === "assertion") return startingShapes(rest);
  if (first.type === "group") return first.choices.flatMap((choice) => startingShapes([...choice, ...rest]));
  return [[first, ...rest]];
}

/** Without word boundaries, which the pattern has another way, and without white space and backslashes, which belong to the text around it. */
function onOneLine(nodes: readonly Node[]): readonly Node[] {
  return nodes.filter(({ type }) => type !== "assertion").map(nodeOnOneLine);
}

function nodeOnOneLine(node: Node): Node {
  switch (node.type) {
    case "characters":
      return { ...node, characters: node.characters.replace(/[\s\\]/g, "") };
    case "repeat":
      return { ...node, node: nodeOnOneLine(node.node) };
    case "group":
      return { ...node, choices: node.choices.map(onOneLine) };
    case "assertion":
      return node;
  }
}

/** The literal beginnings of a shape. A prefix is looked for as it is written, even where gitleaks ignores case. */
export function prefixesOf(nodes: readonly Node[]): readonly string[] {
  let prefixes = [""];
  for (const node of nodes) {
    const next = literals(node);
    if (next === null || prefixes.length * next.length > MOST_PREFIXES) break;
    prefixes = prefixes.flatMap((prefix) => next.map((literal) => prefix + literal));
  }
  return prefixes;
}

const MOST_PREFIXES = 12;
const MOST_CHOICES = 4;

function literals(node: Node): readonly string[] | null {
  switch (node.type) {
    case "characters":
      return asWritten(node.characters).length <= MOST_CHOICES ? Array.from(asWritten(node.characters)) : null;
    case "repeat": {
      const inner = node.least === node.most ? literals(node.node) : null;
      return inner?.length === 1 ? [String(inner[0]).repeat(node.least)] : null;
    }
    case "group": {
      const choices = node.choices.map((choice) => (choice.every(isLiteral) ? prefixesOf(choice) : null));
      return choices.some((choice) => choice === null) ? null : choices.flatMap((choice) => choice ?? []);
    }
    case "assertion":
      return [""];
  }
}

function isLiteral(node: Node): boolean {
  return literals(node) !== null;
}

function isOneLetter(characters: string): boolean {
  return asWritten(characters).length === 1;
}

/** Each letter once, in the case in which the rule has it. */
export function asWritten(characters: string): string {
  const small = characters.toLowerCase();
  return Array.from(characters)
    .filter((_, at) => small.indexOf(small.charAt(at)) === at)
    .join("");
}

/** Three characters at least, which the search needs; the beginning of every address is none. */
function isDistinctive(prefix: string): boolean {
  return prefix.length >= 3 && !prefix.startsWith("http");
}

/** Whether the prefix alone tells that a secret follows, as `glpat-` does. */
export function isTelling({ prefixes, needsName }: ConvertedRule): boolean {
  return !needsName && prefixes.every((prefix) => prefix.length >= 4 && /[_.~=-]$/.test(prefix));
}

/** Whether words could stand behind the prefix (`live_`), so that what follows must look random. */
export function mayBeWords(converted: ConvertedRule): boolean {
  if (isTelling(converted) || converted.prefixes.every((prefix) => prefix.length > LONGEST_WORDLIKE)) return false;
  return converted.shapes.some((shape) => shape.some((node) => node.type === "repeat" && hasAllLetters(node.node)));
}

const LONGEST_WORDLIKE = 5;

function hasAllLetters(node: Node): boolean {
  return node.type === "characters" && /[g-z]/.test(node.characters);
}

/** The fewest characters that a secret of this rule has. */
export function leastLength({ shapes }: ConvertedRule): number {
  return Math.min(...shapes.map((shape) => lengthOf(shape)));
}

function lengthOf(nodes: readonly Node[]): number {
  return nodes.reduce((sum, node) => {
    if (node.type === "characters") return sum + 1;
    if (node.type === "repeat") return sum + node.least * lengthOf([node.node]);
    return node.type === "group" ? sum + Math.min(...node.choices.map((choice) => lengthOf(choice))) : sum;
  }, 0);
}

/** The pattern of a family, from its prefix on; see `Family` in `@pith/context/secrets`. */
export function toPattern(converted: ConvertedRule): string {
  const choices = [...new Set(converted.shapes.map((shape) => shapePattern(shape, isTelling(converted))))];
  return choices.length === 1 ? String(choices[0]) : `(?:${choices.join("|")})`;
}

/** Behind a telling prefix the secret goes on as far as its characters do, so that nothing of a longer one is left. */
function shapePattern(nodes: readonly Node[], isOpen: boolean): string {
  const last = nodes.at(-1);
  if (isOpen && last?.type === "repeat" && last.node.type === "characters" && last.node.characters.length >= 10) {
    const most = isWord(last.node.characters)
      ? Number.POSITIVE_INFINITY
      : Math.max(last.most, last.least + LONGEST_REST);
    return [...nodes.slice(0, -1), { ...last, most }].map(nodePattern).join("");
  }
  return `${nodes.map(nodePattern).join("")}(?![A-Za-z0-9])`;
}

/** Bounded, so that looking takes as long as the text does, whatever it holds. */
const LONGEST_REST = 600;

function isWord(characters: string): boolean {
  return /^[\w-]+$/.test(characters);
}

function nodePattern(node: Node): string {
  switch (node.type) {
    case "characters":
      return isOneLetter(node.characters) ? escaped(node.characters.charAt(0)) : classPattern(node.characters);
    case "repeat":
      return repeatPattern(node);
    case "group":
      return groupPattern(node);
    case "assertion":
      return "";
  }
}

function repeatPattern({ node, least, most }: Extract<Node, { type: "repeat" }>): string {
  const inner = node.type === "group" && node.choices.length === 1 ? `(?:${nodePattern(node)})` : nodePattern(node);
  if (least === 0 && most === 1) return `${inner}?`;
  if (least === most) return least === 1 ? inner : `${inner}{${least}}`;
  const isUnbounded = most === Number.POSITIVE_INFINITY;
  if (isUnbounded && node.type === "characters" && isWord(node.characters)) return `${inner}{${least},}`;
  return `${inner}{${least},${isUnbounded ? least + LONGEST_REST : most}}`;
}

function groupPattern({ choices }: Group): string {
  if (choices.length === 1) return (choices[0] ?? []).map(nodePattern).join("");
  return `(?:${choices.map((choice) => choice.map(nodePattern).join("")).join("|")})`;
}

function classPattern(characters: string): string {
  const sorted = [...new Set(characters)].sort().join("");
  const hasWord = isWithin(`${LETTERS}${DIGITS}_`, sorted);
  const rest = hasWord ? sorted.replace(/\w/g, "") : sorted;
  if (rest === "") return "\\w";
  const ranges = rest.replace(/[A-Z]+|[a-z]+|[0-9]+/g, toRanges).replace(/[\]\\^]/g, "\\$&");
  // A hyphen stands at the end, where it means itself.
  const hyphen = sorted.includes("-") ? "-" : "";
  return `[${hasWord ? "\\w" : ""}${hyphen ? ranges.replace(/(?<![A-Za-z0-9])-|-(?![A-Za-z0-9])/, "") : ranges}${hyphen}]`;
}

function isWithin(part: string, whole: string): boolean {
  return Array.from(part).every((character) => whole.includes(character));
}

/** `abcdef` is `a-f`; characters that do not follow each other stay as they are. */
function toRanges(run: string): string {
  let made = "";
  for (let from = 0; from < run.length; ) {
    let to = from;
    while (run.charCodeAt(to + 1) === run.charCodeAt(to) + 1) to += 1;
    made += to - from >= 2 ? `${run[from]}-${run[to]}` : run.slice(from, to + 1);
    from = to + 1;
  }
  return made;
}

function escaped(character: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
