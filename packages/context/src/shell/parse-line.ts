/** Parses a line of bash into its commands, nested ones too. What is not understood for certain makes the whole line unreadable. */

import { type PendingDocument, Scanner, Unreadable } from "./scanner.ts";
import { isNoFile, type ShellCommand, type ShellLine, type ShellSetting } from "./shell-line.ts";
import { type ParsedWord, parseDocumentBody, parseWord, type ShellWord, type Substitutions } from "./words.ts";

/** Parses a line in time that grows with its length alone; null where bash could take it for something else, or refuses it. */
export function parseShellLine(line: string): ShellLine | null {
  if (line.length > LONGEST || line.includes("\0")) return null;
  const found: Found = { commands: [], bodies: [], hasComment: false };
  try {
    new LineParser(new Scanner(line), found, { depth: 0, nesting: 0, isInner: false }).parseAll();
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
  const { commands, bodies, hasComment } = found;
  const starts = [0, ...bodies.map(({ end }) => end)];
  return {
    commands: commands.map(({ texts, isPlain, ...command }) => ({
      ...command,
      text: texts.join(" "),
      isPlain: isPlain && !hasComment,
    })),
    outline: starts.map((start, at) => line.slice(start, bodies[at]?.start)).join(""),
  };
}

const LONGEST = 200_000;
const MOST_COMMANDS = 5_000;
const DEEPEST = 20;

interface Found {
  readonly commands: CommandDraft[];
  readonly bodies: { readonly start: number; readonly end: number }[];
  hasComment: boolean;
}

type CommandDraft = Omit<
  ShellCommand,
  "text" | "words" | "beginnings" | "settings" | "readsFrom" | "writesTo" | "inputs"
> & {
  readonly texts: string[];
  readonly words: ShellWord[];
  readonly beginnings: string[];
  readonly settings: ShellSetting[];
  readonly readsFrom: ShellWord[];
  readonly writesTo: ShellWord[];
  readonly inputs: ShellWord[];
  isPlain: boolean;
};

interface Place {
  /** Of parentheses and substitutions. */
  readonly depth: number;
  /** Of these, and of loops, conditions and groups. */
  readonly nesting: number;
  /** In a text of its own, whose here-documents are no part of the line as it is written. */
  readonly isInner: boolean;
}

type IsEnd = () => boolean;

class LineParser {
  readonly #scanner: Scanner;
  readonly #found: Found;
  readonly #isInner: boolean;
  readonly #substitutions: Substitutions;
  #depth: number;
  #nesting: number;
  #operator = "";

  constructor(scanner: Scanner, found: Found, { depth, nesting, isInner }: Place) {
    this.#scanner = scanner;
    this.#found = found;
    this.#isInner = isInner;
    this.#depth = depth;
    this.#nesting = nesting;
    this.#substitutions = {
      parseParentheses: () => this.#parseSubstitution(),
      parseText: (text) => this.#innerParser(text, this.#depth + 1).parseAll(),
    };
  }

  parseAll(): void {
    this.#parseList(() => this.#scanner.next === "", { mayBeEmpty: true });
    if (this.#scanner.documents.length > 0) throw new Unreadable();
  }

  parseBody(): string | null {
    return parseDocumentBody(this.#scanner, this.#substitutions);
  }

  #innerParser(text: string, depth: number): LineParser {
    if (this.#nesting >= DEEPEST) throw new Unreadable();
    const place = { depth, nesting: this.#nesting + 1, isInner: true };
    return new LineParser(new Scanner(text), this.#found, place);
  }

  #parseList(isEnd: IsEnd, { mayBeEmpty = false }: { readonly mayBeEmpty?: boolean } = {}): void {
    this.#skipBlankLines();
    if (isEnd() && mayBeEmpty) return;
    do {
      this.#parsePipeline();
      this.#skipBlanks();
      if (isEnd()) return;
      this.#operator = this.#scanner.require(/&&|\|\||;(?![;&])|&(?![&>])|\n|#/y);
      if (this.#operator === "\n" || this.#operator === "#") this.#scanner.at -= 1;
      if (this.#operator === "#") this.#operator = "\n";
      this.#skipBlankLines();
    } while (/&&|\|\|/.test(this.#operator) || !isEnd());
  }

  #skipBlanks(): void {
    // Bash joins the lines before it looks for a here-document that begins behind the first.
    if (this.#scanner.take(/(?:[ \t]|\\\n)+/y)?.includes("\n") && this.#scanner.documents.length > 0)
      throw new Unreadable();
  }

  /** Blanks, comments and line ends, with the here-documents that begin behind one. */
  #skipBlankLines(): void {
    this.#skipBlanks();
    while (this.#scanner.sees(/[\n#]/y)) {
      if (this.#scanner.take(/#[^\n]*/y) !== null) this.#found.hasComment = true;
      if (this.#scanner.take(/\n/y) !== null) this.#readDocuments();
      this.#skipBlanks();
    }
  }

  #parsePipeline(): void {
    let isPrefixed = false;
    while (this.#scanner.take(PIPELINE_PREFIX) !== null) {
      isPrefixed = true;
      this.#skipBlanks();
    }
    this.#parseCommand({ isPlain: !isPrefixed });
    this.#skipBlanks();
    for (let pipe = this.#takePipe(); pipe !== null; pipe = this.#takePipe()) {
      this.#operator = pipe;
      this.#skipBlankLines();
      this.#parseCommand({ isPlain: true });
      this.#skipBlanks();
    }
  }

  #takePipe(): string | null {
    return this.#scanner.take(/\|&|\|(?!\|)/y);
  }

  #parseCommand({ isPlain }: { readonly isPlain: boolean }): void {
    const keyword = this.#scanner.next === "(" ? "(" : this.#scanner.take(KEYWORD);
    if (keyword === null) this.#parseSimple({ isPlain });
    else if (keyword === "[[") this.#parseTest();
    else this.#parseCompound(this.#compounds[keyword]);
  }

  readonly #compounds: Readonly<Record<string, () => void>> = {
    "(": () => this.#parseSubshell(),
    "{": () => this.#parseUntil("}"),
    if: () => this.#parseIf(),
    while: () => this.#parseLoop(),
    until: () => this.#parseLoop(),
    for: () => this.#parseFor(),
    case: () => this.#parseCase(),
  };

  /** Its redirections become a command without words. */
  #parseCompound(parse: (() => void) | undefined): void {
    if (parse === undefined || this.#nesting >= DEEPEST) throw new Unreadable();
    const operator = this.#operator;
    this.#nesting += 1;
    parse();
    this.#nesting -= 1;
    this.#skipBlanks();
    const draft = this.#createDraft({ operator, isPlain: false });
    while (this.#scanner.sees(REDIRECTION_START)) {
      this.#parseRedirection(draft);
      this.#skipBlanks();
    }
    if (draft.readsFrom.length + draft.writesTo.length + draft.inputs.length > 0) this.#addCommand(draft);
  }

  #parseSubshell(): void {
    // Two begin a sum.
    if (this.#scanner.sees(/\(\(/y)) throw new Unreadable();
    this.#parseParentheses();
  }

  #parseSubstitution(): void {
    // Whether its lines count for a here-document that was begun outside, versions of bash see differently.
    if (this.#nesting >= DEEPEST || this.#scanner.documents.length > 0) throw new Unreadable();
    const operator = this.#operator;
    this.#nesting += 1;
    this.#operator = "";
    this.#parseParentheses();
    this.#operator = operator;
    this.#nesting -= 1;
  }

  #parseParentheses(): void {
    this.#depth += 1;
    this.#scanner.require(/\(/y);
    this.#parseList(() => this.#scanner.next === ")");
    if (this.#scanner.documents.length > 0) throw new Unreadable();
    this.#scanner.require(/\)/y);
    this.#depth -= 1;
  }

  /** The commands up to one of these keywords, which is taken and returned. */
  #parseUntil(...keywords: readonly string[]): string {
    const end = endingKeyword(keywords);
    this.#parseList(() => this.#scanner.sees(end));
    return this.#scanner.require(end);
  }

  #parseIf(): void {
    this.#parseUntil("then");
    const end = this.#parseUntil("elif", "else", "fi");
    if (end === "elif") this.#parseIfAgain();
    if (end === "else") this.#parseUntil("fi");
  }

  #parseIfAgain(): void {
    if (this.#nesting >= DEEPEST) throw new Unreadable();
    this.#nesting += 1;
    this.#parseIf();
    this.#nesting -= 1;
  }

  #parseLoop(): void {
    this.#parseUntil("do");
    this.#parseUntil("done");
  }

  #parseFor(): void {
    this.#skipBlanks();
    this.#scanner.require(/[A-Za-z_]\w*(?=[ \t\n;])/y);
    this.#skipBlankLines();
    if (this.#scanner.take(/in(?=[ \t\n;])/y) !== null) this.#parseWords(/[;\n]/y);
    this.#skipBlanks();
    if (this.#scanner.take(/;/y) !== null) this.#operator = ";";
    this.#skipBlankLines();
    this.#scanner.require(endingKeyword(["do"]));
    this.#parseUntil("done");
  }

  /** Words that are no command. */
  #parseWords(end: RegExp): void {
    this.#skipBlanks();
    while (!this.#scanner.sees(end)) {
      this.#parseKnownWord();
      this.#skipBlanks();
    }
  }

  #parseCase(): void {
    this.#skipBlanks();
    this.#parseKnownWord();
    this.#skipBlankLines();
    this.#scanner.require(/in(?=[ \t\n])/y);
    this.#skipBlankLines();
    const end = endingKeyword(["esac"]);
    while (this.#scanner.take(end) === null) {
      this.#parsePatterns();
      this.#parseList(() => this.#scanner.sees(/;[;&]/y) || this.#scanner.sees(end), { mayBeEmpty: true });
      if (this.#scanner.take(/;;&?|;&/y) === null && !this.#scanner.sees(end)) throw new Unreadable();
      this.#operator = ";";
      this.#skipBlankLines();
    }
  }

  #parsePatterns(): void {
    this.#scanner.take(/\(/y);
    do {
      this.#skipBlanks();
      this.#parseKnownWord();
      this.#skipBlanks();
    } while (this.#scanner.take(/\|/y) !== null);
    this.#scanner.require(/\)/y);
  }

  /** A word that is not empty. */
  #parseKnownWord(): ParsedWord {
    // Where a word may begin, this begins a comment.
    if (this.#scanner.next === "#") throw new Unreadable();
    const parsed = parseWord(this.#scanner, this.#substitutions);
    if (parsed.source === "") throw new Unreadable();
    if (parsed.source.includes("\n") && this.#scanner.documents.length > 0) throw new Unreadable();
    return parsed;
  }

  /** `[[ … ]]`, with its operators as words. */
  #parseTest(): void {
    const draft = this.#createDraft({ operator: this.#operator, isPlain: false });
    const start = this.#scanner.at - 2;
    draft.words.push("[[");
    draft.beginnings.push("[[");
    this.#skipTestBlanks();
    while (this.#scanner.take(TEST_END) === null) {
      const sign = this.#scanner.take(/&&|\|\||[()<>]/y);
      const { word, beginning, source } =
        sign === null ? this.#parseKnownWord() : { word: sign, beginning: sign, source: sign };
      // A regular expression is quoted in its own way.
      if (source === "=~") throw new Unreadable();
      draft.words.push(word);
      draft.beginnings.push(beginning);
      this.#skipTestBlanks();
    }
    draft.texts.push(this.#scanner.since(start));
    this.#addCommand(draft);
  }

  #skipTestBlanks(): void {
    if (this.#scanner.take(/(?:[ \t\n]|\\\n)+/y)?.includes("\n") && this.#scanner.documents.length > 0)
      throw new Unreadable();
  }

  #parseSimple({ isPlain }: { readonly isPlain: boolean }): void {
    const draft = this.#createDraft({ operator: this.#operator, isPlain: isPlain && this.#nesting === 0 });
    const start = this.#scanner.at;
    while (!this.#isAtCommandEnd()) {
      if (this.#scanner.sees(REDIRECTION_START)) this.#parseRedirection(draft);
      else this.#addWord(draft, { isStart: this.#scanner.at === start });
    }
    if (this.#scanner.at === start) throw new Unreadable();
    this.#addCommand(draft);
  }

  #createDraft({ operator, isPlain }: { readonly operator: string; readonly isPlain: boolean }): CommandDraft {
    const depth = this.#depth;
    return {
      operator,
      isPlain,
      depth,
      texts: [],
      words: [],
      beginnings: [],
      settings: [],
      readsFrom: [],
      writesTo: [],
      inputs: [],
    };
  }

  #addCommand(draft: CommandDraft): void {
    if (this.#found.commands.length >= MOST_COMMANDS) throw new Unreadable();
    this.#found.commands.push(draft);
  }

  #isAtCommandEnd(): boolean {
    this.#skipBlanks();
    return this.#scanner.sees(/&(?!>)|[;|\n)#]|$/y);
  }

  #addWord(draft: CommandDraft, { isStart }: { readonly isStart: boolean }): void {
    // Behind a word, a parenthesis would begin a function.
    if (this.#scanner.next === "(") throw new Unreadable();
    const { word, beginning, isPlain, source, isJoined } = this.#parseKnownWord();
    const isFirst = draft.words.length === 0;
    if (isFirst && (isJoined || COMPUTED.test(source))) throw new Unreadable();
    if ((isStart && MISPLACED.has(source)) || (isFirst && GRAMMAR.has(source))) throw new Unreadable();
    // `{name}>file` chooses a number and sets the variable to it; a long number may name an open file or not.
    if (/^(?:\{.*\}|\d+)$/s.test(source) && this.#scanner.sees(/[<>]/y)) throw new Unreadable();
    const [, name] = (isFirst && SETTING.exec(source)) || [];
    if (name !== undefined) this.#addSetting(draft, { name, source, word });
    else {
      draft.words.push(word);
      draft.beginnings.push(beginning);
      draft.texts.push(source);
      // At the beginning of a pipe it is grammar, behind one a program.
      draft.isPlain &&= isPlain && !(isFirst && source === "time");
    }
  }

  #addSetting(draft: CommandDraft, { name, source, word }: { name: string; source: string; word: ShellWord }): void {
    draft.isPlain = false;
    const isList = source.endsWith("=") && this.#scanner.next === "(";
    const value = word === null ? null : word.slice(word.indexOf("=") + 1);
    draft.settings.push({ name, value: isList || /^\w+(?:\[|\+)/.test(source) ? null : value });
    draft.texts.push(isList ? `${source}${this.#parseListValue()}` : source);
  }

  /** `x=(a b)`: words, also over several lines. A subscript in it is computed. */
  #parseListValue(): string {
    const start = this.#scanner.at;
    this.#scanner.require(/\(/y);
    this.#skipBlankLines();
    while (this.#scanner.take(/\)/y) === null) {
      if (this.#scanner.sees(/\[/y)) throw new Unreadable();
      this.#parseKnownWord();
      this.#skipBlankLines();
    }
    if (!this.#scanner.sees(/[ \t\n;&|)<>]|$/y)) throw new Unreadable();
    return this.#scanner.since(start);
  }

  #parseRedirection(draft: CommandDraft): void {
    const [, operator = ""] = /^\d*(.+)$/.exec(this.#scanner.require(REDIRECTION)) ?? [];
    this.#skipBlanks();
    if (operator === "<<" || operator === "<<-") this.#openDocument(draft, operator === "<<-");
    else this.#redirect(draft, operator);
  }

  #redirect(draft: CommandDraft, operator: string): void {
    // To bash the dash that closes a stream ends there: `>&-rm x` runs rm.
    if (operator.endsWith("&") && this.#scanner.take(/-/y) !== null) {
      draft.isPlain = false;
      return;
    }
    const { word, source, isPlain } = this.#parseKnownWord();
    const isJoining = operator.endsWith("&") && /^\d{1,3}-?$/.test(word ?? "");
    const isNowhere = operator !== "<<<" && (word === "/dev/null" || (operator === ">&" && /^[12]$/.test(word ?? "")));
    draft.isPlain &&= isNowhere && isPlain;
    if (operator === "<<<") draft.inputs.push(word);
    else if (operator === "<") draft.readsFrom.push(word);
    else if (operator !== "<&" && !isJoining) {
      draft.writesTo.push(word);
      if (word === null || !isNoFile(word)) draft.texts.push(operator, source);
    }
  }

  #openDocument(draft: CommandDraft, isIndented: boolean): void {
    const { word: lastLine, source } = this.#parseKnownWord();
    if (lastLine === null || /[$`\n]/.test(source)) throw new Unreadable();
    const at = draft.inputs.push(null) - 1;
    draft.isPlain = false;
    this.#scanner.documents.push({
      ...{ lastLine, isIndented, isQuoted: /['"\\]/.test(source) },
      onBody: (body) => {
        draft.inputs[at] = body;
      },
    });
  }

  #readDocuments(): void {
    const { documents } = this.#scanner;
    this.#scanner.documents = [];
    for (const document of documents) document.onBody(this.#readBody(document));
  }

  #readBody({ lastLine, isIndented, isQuoted }: PendingDocument): string | null {
    const start = this.#scanner.at;
    const lines: string[] = [];
    for (let line = this.#takeBodyLine(isIndented); line !== lastLine; line = this.#takeBodyLine(isIndented)) {
      // In a substitution `EOF)` ends it, too, to some versions of bash.
      if (this.#depth > 0 && line.startsWith(lastLine)) throw new Unreadable();
      lines.push(line);
    }
    this.#scanner.at = Math.min(this.#scanner.at, this.#scanner.text.length);
    if (!this.#isInner) this.#found.bodies.push({ start, end: this.#scanner.at });
    const body = lines.map((line) => `${line}\n`).join("");
    if (isQuoted) return body;
    // Bash joins such lines before it looks for the last one.
    if (body.includes("\\\n")) throw new Unreadable();
    return this.#innerParser(body, this.#depth).parseBody();
  }

  #takeBodyLine(isIndented: boolean): string {
    const line = this.#scanner.takeLine();
    return isIndented ? line.replace(/^\t+/, "") : line;
  }
}

const PIPELINE_PREFIX = /!(?=[ \t])|time(?=[ \t])(?:[ \t]+-p(?=[ \t]))?(?:[ \t]+--(?=[ \t]))?/y;
const DELIMITED = "(?=[ \\t\\n;&|()<>]|$)";
const KEYWORD = new RegExp(`(?:\\{|\\[\\[|if|while|until|for|case|select|function|coproc)${DELIMITED}`, "y");
const TEST_END = new RegExp(`\\]\\]${DELIMITED}`, "y");
const REDIRECTION_START = /\d{0,3}[<>](?!\()|&>/y;
const REDIRECTION = /\d{0,3}(?:<<<|<<-?|<>|<&|<|>>|>&|>\||>)|&>>?/y;
const SETTING = /^([A-Za-z_]\w*)(?:\[\d+\])?\+?=/;
// A subscript is computed, and what is substituted in it is run even where it is quoted.
const COMPUTED = /^[A-Za-z_]\w*\[(?!\d+\])/;
/** Keywords that end something, where nothing of the kind was begun. */
const MISPLACED: ReadonlySet<string> = new Set([
  "then",
  "elif",
  "else",
  "fi",
  "do",
  "done",
  "esac",
  "}",
  "]]",
  "!",
  "in",
]);

/** Behind a redirection these are programs to bash, and grammar to whoever reads the line. */
const GRAMMAR: ReadonlySet<string> = new Set(["case", "esac", "select", "function", "coproc", "]]"]);

function endingKeyword(keywords: readonly string[]): RegExp {
  return new RegExp(`(?:${keywords.join("|").replace("}", "\\}")})${DELIMITED}`, "y");
}
