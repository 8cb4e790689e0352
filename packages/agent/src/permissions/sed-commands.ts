/** Detects sed commands that could run a program or write a file. A script that cannot be parsed with certainty counts as one. */

import type { ShellWord } from "@pith/context/host";

/** `words` are the arguments after `sed`. The scripts of several `-e` options form one script, line by line. */
export function sedRunsInlineCode(words: readonly ShellWord[]): boolean {
  const scripts: ShellWord[] = [];
  const operands: ShellWord[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? null;
    if (word === "--") {
      operands.push(...words.slice(index + 1));
      break;
    }
    if (word === null || !word.startsWith("-") || word === "-") operands.push(word);
    // An unknown word before it could be `--`, or an option that takes it as value.
    else if (/^--(?:version|help)$/.test(word)) return words.slice(0, index).includes(null);
    else {
      const option = parseSedOption(word, words[index + 1] ?? null);
      if (option === "file") return true;
      if (option !== null && option !== "skip") scripts.push(option.script);
      if (option === "skip" || option?.isNextWord) index += 1;
    }
  }
  const effectiveScripts = scripts.length > 0 ? scripts : operands.slice(0, 1);
  return (
    effectiveScripts.some((script) => script === null || !isHarmlessSedScript(script)) ||
    !isHarmlessSedScript(effectiveScripts.join("\n"))
  );
}

interface SedScript {
  readonly script: ShellWord;
  /** The script is the word after the option. */
  readonly isNextWord: boolean;
}

/** `file`: the script is in a file. `skip`: the next word is a value without effect here. */
function parseSedOption(word: string, next: ShellWord): SedScript | "file" | "skip" | null {
  const [, longName, value] = /^--([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
  if (longName !== undefined) {
    if ("file".startsWith(longName) && !"follow-symlinks".startsWith(longName)) return "file";
    if ("expression".startsWith(longName)) return { script: value ?? next, isNextWord: value === undefined };
    return "line-length".startsWith(longName) && value === undefined ? "skip" : null;
  }
  // `i` and `l` take the rest as their value.
  const [, letter, rest = ""] = /^-[nrsuzEb]*([efilsE])?(.*)$/s.exec(word) ?? [];
  if (letter === "f") return "file";
  if (letter === "e") return { script: rest === "" ? next : rest, isNextWord: rest === "" };
  if (letter === "l") return rest === "" ? "skip" : null;
  // In some versions of sed the suffix of `-i` is the next word; `-ie` has no script there either.
  if (letter === "i" || rest === "") return null;
  return "file";
}

/** Whether the script only edits text: no `e`, no `s///e`, no `w`. */
function isHarmlessSedScript(script: string): boolean {
  const reader = new SedScriptReader(script);
  while (!reader.isAtEnd) if (!reader.readCommand()) return false;
  return true;
}

class SedScriptReader {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    this.#take(/(?:[\s;}]|#[^\n]*)+/y);
    return this.#position >= this.#text.length;
  }

  /** False if the command is harmful or cannot be parsed. */
  readCommand(): boolean {
    if (!this.#readAddresses()) return false;
    const name = this.#take(/./sy) ?? "";
    switch (name) {
      case "{":
        return true;
      case "s":
        return this.#readSubstitution();
      case "y":
        return this.#readDelimited(2);
      case "a":
      case "i":
      case "c":
        return this.#readText();
      case ":":
      case "b":
      case "t":
      case "T":
        return this.#take(/[ \t]*[\w.-]*[ \t]*(?=[;}\n]|$)/y) !== null;
      case "r":
      case "R":
        return this.#take(/[^\n]*/y) !== null;
      case "w":
      case "W":
        return this.#take(/[ \t]*\/dev\/(?:stdout|stderr)(?=\n|$)/y) !== null;
      case "l":
      case "q":
      case "Q":
      case "L":
        return this.#take(/[ \t]*\d*[ \t]*(?=[;}\n#]|$)/y) !== null;
    }
    return COMMANDS_WITHOUT_ARGUMENTS.has(name) && this.#take(/[ \t]*(?=[;}\n#]|$)/y) !== null;
  }

  #readAddresses(): boolean {
    const hasFirst = this.#readAddress();
    if (hasFirst && this.#take(/[ \t]*,[ \t]*/y) !== null && !this.#readAddress()) return false;
    this.#take(/[ \t!]*/y);
    return true;
  }

  #readAddress(): boolean {
    if (this.#take(/[+~]?\d+(?:~\d+)?|\$/y) !== null) return true;
    if (this.#take(/\\(?=[^\n\\])/y) === null && this.#text[this.#position] !== "/") return false;
    return this.#readDelimited(1) && this.#take(/[IM]*/y) !== null;
  }

  #readSubstitution(): boolean {
    if (!this.#readDelimited(2)) return false;
    // The flag `w`, which writes a file, and the flag `e` do not match.
    return this.#take(/(?:[gpiImM]|\d+)*[ \t]*(?=[;}\n#]|$)/y) !== null;
  }

  /** Reads `count` parts, each ended by the delimiter. The first delimiter ends a part, also within a bracket expression. */
  #readDelimited(count: number): boolean {
    const delimiter = this.#take(/[^\n\\]/y);
    if (delimiter === null) return false;
    for (let part = 0; part < count; part += 1) if (!this.#readPart(delimiter)) return false;
    return true;
  }

  #readPart(delimiter: string): boolean {
    let isInBracket = false;
    for (; this.#position < this.#text.length; this.#position += 1) {
      const character = this.#text[this.#position];
      if (character === "[") isInBracket = true;
      if (character === "]") isInBracket = false;
      if (character === delimiter) {
        this.#position += 1;
        // Versions of sed differ on whether a delimiter within brackets ends the part.
        return !isInBracket || !this.#text.slice(this.#position).includes("e");
      }
      if (character === "\\") this.#position += 1;
    }
    return false;
  }

  /** Reads one line, or several joined by backslashes at the line ends. */
  #readText(): boolean {
    return this.#take(/[ \t]*(?:\\\n)?(?:[^\\\n]|\\.)*(?=\n|$)/sy) !== null;
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#position;
    const [match] = pattern.exec(this.#text) ?? [null];
    this.#position += match?.length ?? 0;
    return match;
  }
}

const COMMANDS_WITHOUT_ARGUMENTS: ReadonlySet<string> = new Set([
  "=",
  "d",
  "D",
  "g",
  "G",
  "h",
  "H",
  "n",
  "N",
  "p",
  "P",
  "x",
  "z",
  "F",
]);
