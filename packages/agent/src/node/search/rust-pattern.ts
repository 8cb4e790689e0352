/**
 * Translates a regular expression in ripgrep's syntax, which is that of Rust, to JavaScript, for machines without ripgrep. A pattern that
 * means something else in JavaScript is never passed on as it is: it is translated or refused.
 */

import { LINE_BREAK_PROBLEM } from "./engine.ts";

export type TranslatedPattern =
  /** A source for the flag `v`; `ignoresCase` if the pattern starts with `(?i)`. */
  | { readonly type: "translated"; readonly source: string; readonly ignoresCase: boolean }
  /** Ripgrep refuses the pattern as well. */
  | { readonly type: "invalid"; readonly why: string }
  /** Only ripgrep can search for it. */
  | { readonly type: "unsupported"; readonly what: string };

export function translateRustPattern(pattern: string): TranslatedPattern {
  const characters = [...pattern];
  try {
    const state: ParserState = { characters, index: 0, globalFlags: { ignoresCase: false } };
    const source = parseAlternatives(state, noFlags, 0);
    if (state.index < characters.length) throw new InvalidPattern("unopened group");
    return { type: "translated", source, ...state.globalFlags };
  } catch (error) {
    if (error instanceof InvalidPattern) return { type: "invalid", why: error.message };
    if (error instanceof UnsupportedPattern) return { type: "unsupported", what: error.message };
    throw error;
  }
}

class InvalidPattern extends Error {}
class UnsupportedPattern extends Error {}

interface ParserState {
  readonly characters: readonly string[];
  index: number;
  /** A flag at the very start applies to the whole pattern. Older versions of Node have no flags for a part of it. */
  readonly globalFlags: { ignoresCase: boolean };
}

interface Flags {
  readonly ignoresCase: boolean;
  readonly dotMatchesAll: boolean;
  /** White space and comments are left out. */
  readonly isVerbose: boolean;
}

const noFlags: Flags = { ignoresCase: false, dotMatchesAll: false, isVerbose: false };
const MAX_DEPTH = 100;

/** Parses up to the end of the group or of the pattern. */
function parseAlternatives(state: ParserState, outer: Flags, depth: number): string {
  if (depth > MAX_DEPTH) throw new InvalidPattern("the groups are nested too deeply");
  let flags = outer;
  let source = "";
  const scopes: string[] = [];
  let atom: string | null = null;
  const flush = (): void => {
    source += atom ?? "";
    atom = null;
  };
  for (let next = peek(state, flags); next !== undefined && next !== ")"; next = peek(state, flags)) {
    if (REPETITION_SIGNS.includes(next)) {
      if (atom === null) throw new InvalidPattern("repetition operator missing expression");
      atom = `(?:${atom})${parseRepetition(state, flags)}`;
      continue;
    }
    flush();
    if (next === "|") {
      state.index += 1;
      // A flag applies up to the end of its group, so its scope is opened again after the bar.
      source += `${")".repeat(scopes.length)}|${scopes.join("")}`;
      continue;
    }
    const isAtStart = depth === 0 && state.index === 0;
    const newFlags = next === "(" ? parseFlagSetting(state, flags) : null;
    if (newFlags === null) {
      atom = next === "(" ? parseGroup(state, flags, depth) : parseAtom(state, flags);
      continue;
    }
    if (isAtStart && newFlags.ignoresCase) state.globalFlags.ignoresCase = true;
    else if (newFlags.ignoresCase !== flags.ignoresCase) {
      scopes.push(caseScope(newFlags));
      source += caseScope(newFlags);
    }
    flags = newFlags;
  }
  flush();
  return source + ")".repeat(scopes.length);
}

const REPETITION_SIGNS: readonly string[] = ["*", "+", "?", "{"];

function caseScope({ ignoresCase }: Flags): string {
  return ignoresCase ? "(?i:" : "(?-i:";
}

/** The next character that counts. */
function peek(state: ParserState, { isVerbose }: Flags): string | undefined {
  while (isVerbose) {
    const next = state.characters[state.index] ?? "";
    if (next === "#") state.index = state.characters.length;
    else if (/^\p{White_Space}$/u.test(next)) state.index += 1;
    else break;
  }
  return state.characters[state.index];
}

/** In Rust, a second sign repeats the repetition: `a++` is `(a+)+`. Whether it is lazy does not matter for the lines that match. */
function parseRepetition(state: ParserState, flags: Flags): string {
  const sign = state.characters[state.index] ?? "";
  state.index += 1;
  const repetition = sign === "{" ? parseCount(state) : sign;
  if (peek(state, flags) === "?") state.index += 1;
  return repetition;
}

function parseCount(state: ParserState): string {
  const end = state.characters.indexOf("}", state.index);
  if (end < 0) throw new InvalidPattern("unclosed counted repetition");
  const text = state.characters.slice(state.index, end).join("");
  const [, minimum = "", comma, maximum = ""] = /^\s*(\d*)\s*(,?)\s*(\d*)\s*$/.exec(text) ?? [];
  if (comma === undefined || minimum === "" || (comma === "" && maximum !== ""))
    throw new InvalidPattern("repetition quantifier expects a valid decimal");
  if (comma === "," && maximum !== "" && Number(minimum) > Number(maximum))
    throw new InvalidPattern("invalid repetition count range, the start must be <= the end");
  state.index = end + 1;
  return `{${minimum}${comma}${maximum}}`;
}

/** Reads `(?ix)`. Null, and nothing is read, for a group. */
function parseFlagSetting(state: ParserState, flags: Flags): Flags | null {
  const [setting, names] =
    /^\(\?([a-zA-Z-]+)\)/.exec(state.characters.slice(state.index, state.index + 20).join("")) ?? [];
  if (setting === undefined || names === undefined) return null;
  state.index += setting.length;
  return applyFlags(names, flags);
}

function applyFlags(names: string, flags: Flags): Flags {
  let result = flags;
  let isOn = true;
  for (const name of names) {
    switch (name) {
      case "-":
        isOn = false;
        break;
      case "i":
        result = { ...result, ignoresCase: isOn };
        break;
      case "s":
        result = { ...result, dotMatchesAll: isOn };
        break;
      case "x":
        result = { ...result, isVerbose: isOn };
        break;
      // Lines are searched one by one, ends of lines are not part of them, and laziness finds the same lines.
      case "U":
      case "R":
        break;
      case "m":
      case "u":
        if (!isOn) throw new UnsupportedPattern(`the flag (?-${name})`);
        break;
      default:
        throw new InvalidPattern("unrecognized flag");
    }
  }
  return result;
}

function parseGroup(state: ParserState, flags: Flags, depth: number): string {
  const rest = state.characters.slice(state.index, state.index + MAX_GROUP_START).join("");
  if (/^\(\?<?[=!]/.test(rest))
    throw new InvalidPattern("look-around, including look-ahead and look-behind, is not supported");
  const [start = "(", , names] = /^\((?:\?P?<([_\p{L}][\w.[\]\p{L}]*)>|\?([a-zA-Z-]*):)?/u.exec(rest) ?? [];
  if (start === "(" && rest.startsWith("(?")) throw new InvalidPattern("unrecognized flag or an invalid group name");
  state.index += [...start].length;
  const groupFlags = names ? applyFlags(names, flags) : flags;
  const inside = parseAlternatives(state, groupFlags, depth + 1);
  if (state.characters[state.index] !== ")") throw new InvalidPattern("unclosed group");
  state.index += 1;
  return groupFlags.ignoresCase === flags.ignoresCase ? `(?:${inside})` : `${caseScope(groupFlags)}${inside})`;
}

const MAX_GROUP_START = 200;

function parseAtom(state: ParserState, flags: Flags): string {
  const character = state.characters[state.index] ?? "";
  if (character === "\\") return parseEscape(state);
  if (character === "[") return parseClass(state, flags, 0);
  state.index += 1;
  if (character === ".") return flags.dotMatchesAll ? "[\\s\\S]" : "[^\\n\\r]";
  return character === "^" || character === "$" ? character : escapeCharacter(character);
}

/** Every sign is written by its number, so that it has no meaning of its own. */
function escapeCharacter(character: string): string {
  return /^[A-Za-z0-9]$/.test(character) ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

const WORD = "[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]";
const SPACE = "\\p{White_Space}";
const WORD_START = `(?<!${WORD})(?=${WORD})`;
const WORD_END = `(?<=${WORD})(?!${WORD})`;

/** What an escape stands for, inside and outside of a class. */
const CLASS_ESCAPES: Readonly<Record<string, string>> = {
  w: WORD,
  W: `[^${WORD}]`,
  d: "\\p{Nd}",
  D: "\\P{Nd}",
  s: SPACE,
  S: "\\P{White_Space}",
};

const BOUNDARIES: Readonly<Record<string, string>> = {
  b: `(?:${WORD_START}|${WORD_END})`,
  B: `(?:(?<=${WORD})(?=${WORD})|(?<!${WORD})(?!${WORD}))`,
  "<": WORD_START,
  ">": WORD_END,
  "b{start}": WORD_START,
  "b{end}": WORD_END,
  "b{start-half}": `(?<!${WORD})`,
  "b{end-half}": `(?!${WORD})`,
};

const CONTROL_ESCAPES: Readonly<Record<string, string>> = {
  a: "\\x07",
  f: "\\f",
  t: "\\t",
  v: "\\v",
};

function parseEscape(state: ParserState): string {
  const rest = state.characters.slice(state.index + 1, state.index + MAX_GROUP_START).join("");
  const boundary = /^(?:b\{(?:start|end)(?:-half)?\}|[bB<>])/.exec(rest)?.[0];
  if (boundary !== undefined) {
    state.index += 1 + boundary.length;
    return BOUNDARIES[boundary] ?? "";
  }
  const next = rest[0] ?? "";
  if (next === "A" || next === "z")
    throw new UnsupportedPattern(`\\${next}; use ^ and $ for the start and the end of a line`);
  if (next === "n") throw new InvalidPattern(LINE_BREAK_PROBLEM);
  if (next === "r") throw new UnsupportedPattern("\\r; ends of lines are not searched");
  return parseClassEscape(state);
}

/** Reads an escape that is also allowed in a class. */
function parseClassEscape(state: ParserState): string {
  state.index += 1;
  const next = state.characters[state.index];
  if (next === undefined) throw new InvalidPattern("incomplete escape sequence, reached end of pattern prematurely");
  if (next === "p" || next === "P") return parseUnicodeClass(state);
  if (next === "x" || next === "u" || next === "U") return parseHexadecimal(state);
  state.index += 1;
  const known = CLASS_ESCAPES[next] ?? CONTROL_ESCAPES[next];
  if (known !== undefined) return known;
  if (next === "n" || next === "r") return `\\${next}`;
  if (/^\d$/.test(next)) throw new InvalidPattern("backreferences are not supported");
  if (!/^[!-/:-@[-`{-~\s]$/.test(next) || next === "<" || next === ">")
    throw new InvalidPattern(`unrecognized escape sequence \\${next}`);
  return escapeCharacter(next);
}

function parseHexadecimal(state: ParserState): string {
  const rest = state.characters.slice(state.index, state.index + 12).join("");
  const digits = /^[xuU]\{\s*([0-9a-fA-F]{1,8})\s*\}|^x([0-9a-fA-F]{2})|^u([0-9a-fA-F]{4})|^U([0-9a-fA-F]{8})/.exec(
    rest,
  );
  const code = Number.parseInt(digits?.slice(1).find((each) => each !== undefined) ?? "", 16);
  if (!digits || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
    throw new InvalidPattern("hexadecimal literal is not a Unicode scalar value");
  state.index += digits[0].length;
  return `\\u{${code.toString(16)}}`;
}

/** Rust accepts a script without `Script=`, and any spelling of a name. */
function parseUnicodeClass(state: ParserState): string {
  const rest = state.characters.slice(state.index, state.index + MAX_GROUP_START).join("");
  const [whole, sign = "", single, name = single ?? ""] = /^([pP])(?:([A-Za-z])|\{([^}]+)\})/.exec(rest) ?? [];
  if (whole === undefined) throw new InvalidPattern("invalid Unicode character class");
  state.index += [...whole].length;
  const spelling = name.replace(/!=|:/g, "=");
  const property = [spelling, capitalize(spelling), `Script=${spelling}`, `Script=${capitalize(spelling)}`].find(
    isProperty,
  );
  if (property === undefined || name.includes("!=")) throw new UnsupportedPattern(`the Unicode class \\p{${name}}`);
  return `\\${sign}{${property}}`;
}

function capitalize(name: string): string {
  return name.toLowerCase().replace(/(?:^|_)[a-z]/g, (letter) => letter.toUpperCase());
}

function isProperty(property: string): boolean {
  try {
    return new RegExp(`\\p{${property}}`, "u") instanceof RegExp;
  } catch {
    // The name is not known.
    return false;
  }
}

/** Reads `[…]`, with nested classes and the operators `&&` and `--`. */
function parseClass(state: ParserState, flags: Flags, depth: number): string {
  if (depth > MAX_DEPTH) throw new InvalidPattern("the character classes are nested too deeply");
  state.index += 1;
  const isNegated = peek(state, flags) === "^";
  if (isNegated) state.index += 1;
  let left = "";
  let items = "";
  let isFirst = true;
  for (; peek(state, flags) === "-"; state.index += 1) {
    items += escapeCharacter("-");
    isFirst = false;
  }
  for (;;) {
    const next = peek(state, flags);
    if (next === undefined) throw new InvalidPattern("unclosed character class");
    if (next === "]" && !isFirst) break;
    const operator = next + (state.characters[state.index + 1] ?? "");
    if (operator === "~~") throw new UnsupportedPattern("the operator ~~ in a character class");
    if (operator === "&&" || operator === "--") {
      state.index += 2;
      left = `${combineClass(left, items)}${operator}`;
      items = "";
    } else items += parseClassItem(state, flags, depth);
    isFirst = false;
  }
  state.index += 1;
  return `[${isNegated ? "^" : ""}${combineClass(left, items)}]`;
}

/** An operand of an operator must be a class of its own; a chain of operators is read from the left. */
function combineClass(left: string, items: string): string {
  return left === "" ? `[${items}]` : `[${left}[${items}]]`;
}

function parseClassItem(state: ParserState, flags: Flags, depth: number): string {
  const posix = parsePosixClass(state);
  if (posix !== null) return posix;
  if (state.characters[state.index] === "[") return parseClass(state, flags, depth + 1);
  const start = parseClassCharacter(state);
  const isRange = peek(state, flags) === "-" && !["]", "-", undefined].includes(state.characters[state.index + 1]);
  if (!isRange) return start;
  state.index += 1;
  peek(state, flags);
  const end = parseClassCharacter(state);
  const [first, last] = [readCode(start), readCode(end)];
  if (first === null || last === null || first > last) throw new InvalidPattern("invalid character class range");
  return `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`;
}

function parseClassCharacter(state: ParserState): string {
  const character = state.characters[state.index] ?? "";
  if (character === "\\") return parseClassEscape(state);
  state.index += 1;
  return escapeCharacter(character);
}

/** The number of a translated character; null for a class. */
function readCode(translated: string): number | null {
  const hexadecimal = /^\\(?:u\{([0-9a-f]+)\}|x([0-9a-f]{2}))$/.exec(translated);
  if (hexadecimal) return Number.parseInt(hexadecimal[1] ?? hexadecimal[2] ?? "", 16);
  const control = { "\\t": 9, "\\n": 10, "\\v": 11, "\\f": 12, "\\r": 13 }[translated];
  return control ?? (translated.length === 1 ? (translated.codePointAt(0) ?? null) : null);
}

function parsePosixClass(state: ParserState): string | null {
  const rest = state.characters.slice(state.index, state.index + 20).join("");
  const [whole = "", negation = "", name = ""] = /^\[:(\^?)([a-z]+):\]/.exec(rest) ?? [];
  const members = Object.hasOwn(POSIX_CLASSES, name) ? POSIX_CLASSES[name] : undefined;
  if (members === undefined) return null;
  state.index += whole.length;
  return `[${negation}${members}]`;
}

const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7f",
  blank: "\\t\\x20",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "\\x21-\\x7e",
  lower: "a-z",
  print: "\\x20-\\x7e",
  punct: "\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e",
  space: "\\t\\n\\v\\f\\r\\x20",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};
