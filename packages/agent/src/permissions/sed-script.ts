/** Tells whether a sed script could run a command or write a file. A script that is not understood for certain could. */

/** Whether it only edits text: no `e`, no `s///e`, no `w`. */
export function isHarmlessSedScript(script: string): boolean {
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

  /** False where it is harmful or not understood. */
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
    // Behind `w` comes the name of a file.
    return this.#take(/(?:[gpiImM]|\d+)*[ \t]*(?=[;}\n#]|$)/y) !== null;
  }

  /** This many texts, each ended by the first character. A bracket is read as a reading without brackets would: no later end. */
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
        // Whether a delimiter in brackets ends the text, versions of sed see differently.
        return !isInBracket || !this.#text.slice(this.#position).includes("e");
      }
      if (character === "\\") this.#position += 1;
    }
    return false;
  }

  /** One line, or several where each but the last ends with a backslash. */
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
