/** Parses a line of bash into its commands, nested ones included. Returns null for the whole line if any part of it is ambiguous. */

import {
  type HeredocStart,
  type ParseWordResult,
  parseHeredocBody,
  parseWord,
  ShellParseError,
  ShellScanner,
  type ShellWord,
  type Substitutions,
} from "./parse-word.ts";

/** Parses a shell line in linear time. Returns null if bash could read the line differently or rejects it. */
export function parseShellLine(line: string): ShellLine | null {
  if (line.length > MAX_LINE_CHARS || line.includes("\0")) return null;
  const state: LineParseState = { commands: [], bodies: [], hasComment: false };
  try {
    new LineParser(new ShellScanner(line), state, { depth: 0, nesting: 0, isInner: false }).parseAll();
  } catch (error) {
    if (error instanceof ShellParseError) return null;
    throw error;
  }
  const { commands, bodies, hasComment } = state;
  const starts = [0, ...bodies.map(({ end }) => end)];
  return {
    commands: commands.map(({ texts, isPlain, ...command }) => ({
      ...command,
      text: texts.join(" "),
      isPlain: isPlain && !hasComment,
    })),
    outline: starts.map((start, index) => line.slice(start, bodies[index]?.start)).join(""),
  };
}

/** A parsed shell line. */
export interface ShellLine {
  /** A command substitution comes before the command that contains it; one in a here-document comes after. */
  readonly commands: readonly ShellCommand[];
  /** The line without the bodies of its here-documents. */
  readonly outline: string;
}

/** One command in a shell line. */
export interface ShellCommand {
  /** The program and its arguments, unquoted. Empty if the command only sets variables or redirects a group. */
  readonly words: readonly ShellWord[];
  /** The known beginning of each word: `--exec=` for `--exec=$X`. */
  readonly knownPrefixes: readonly string[];
  /** Whether each word is unknown and only expands to words with its known beginning, as `src/*.ts` does. */
  readonly hasKnownStart: readonly boolean[];
  /** The words whose only expansions are `*`: `/tmp/a*`. */
  readonly patterns: readonly string[];
  /** Variables that are set for the command: `CI=1 npm test`. */
  readonly assignments: readonly ShellAssignment[];
  /** The source text, without here-documents and without redirections to streams or devices. */
  readonly text: string;
  /** The operator before the command: `&&`, `||`, `|`, `|&`, `;`, `&` or a line break; empty for the first command. */
  readonly operator: string;
  /** The number of subshells and substitutions around the command. */
  readonly depth: number;
  /** The same, with loops, conditions and groups counted too. */
  readonly nesting: number;
  readonly inputPaths: readonly ShellWord[];
  readonly outputPaths: readonly ShellWord[];
  /** The bodies of its here-documents and here-strings. */
  readonly heredocBodies: readonly ShellWord[];
  /** Whether the command consists of words only: no assignment, substitution, redirection, comment or nesting. */
  readonly isPlain: boolean;
}

/** A variable assignment before a command. */
export interface ShellAssignment {
  readonly name: string;
  readonly value: ShellWord;
}

/** Whether a path is `-`, a file descriptor number or a device. */
export function isStreamOrDevice(path: string): boolean {
  return /^(?:-|\d{1,3}|\/dev\/.*)$/s.test(path);
}

const MAX_LINE_CHARS = 200_000;
const MAX_LINE_COMMANDS = 5_000;
const MAX_NESTING = 20;

interface LineParseState {
  readonly commands: CommandDraft[];
  readonly bodies: { readonly start: number; readonly end: number }[];
  hasComment: boolean;
}

type CommandDraft = Omit<
  ShellCommand,
  | "text"
  | "words"
  | "knownPrefixes"
  | "hasKnownStart"
  | "patterns"
  | "assignments"
  | "inputPaths"
  | "outputPaths"
  | "heredocBodies"
> & {
  readonly texts: string[];
  readonly words: ShellWord[];
  readonly knownPrefixes: string[];
  readonly hasKnownStart: boolean[];
  readonly patterns: string[];
  readonly assignments: ShellAssignment[];
  readonly inputPaths: ShellWord[];
  readonly outputPaths: ShellWord[];
  readonly heredocBodies: ShellWord[];
  isPlain: boolean;
};

interface ParserContext {
  /** The number of enclosing subshells and substitutions. */
  readonly depth: number;
  /** The same, with loops, conditions and groups counted too. */
  readonly nesting: number;
  /** Whether the parser reads an extracted text, whose positions are not positions in the line. */
  readonly isInner: boolean;
}

type IsEnd = () => boolean;

class LineParser {
  readonly #scanner: ShellScanner;
  readonly #state: LineParseState;
  readonly #isInner: boolean;
  readonly #substitutions: Substitutions;
  #depth: number;
  #nesting: number;
  #operator = "";

  constructor(scanner: ShellScanner, state: LineParseState, { depth, nesting, isInner }: ParserContext) {
    this.#scanner = scanner;
    this.#state = state;
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
    if (this.#scanner.heredocs.length > 0) throw new ShellParseError();
  }

  parseBody(): string | null {
    return parseHeredocBody(this.#scanner, this.#substitutions);
  }

  #innerParser(text: string, depth: number): LineParser {
    if (this.#nesting >= MAX_NESTING) throw new ShellParseError();
    const context = { depth, nesting: this.#nesting + 1, isInner: true };
    return new LineParser(new ShellScanner(text), this.#state, context);
  }

  #parseList(isEnd: IsEnd, { mayBeEmpty = false }: { readonly mayBeEmpty?: boolean } = {}): void {
    this.#skipBlankLines();
    if (isEnd() && mayBeEmpty) return;
    do {
      this.#parsePipeline();
      this.#skipBlanks();
      if (isEnd()) return;
      this.#operator = this.#scanner.expect(/&&|\|\||;(?![;&])|&(?![&>])|\n|#/y);
      if (this.#operator === "\n" || this.#operator === "#") this.#scanner.position -= 1;
      if (this.#operator === "#") this.#operator = "\n";
      this.#skipBlankLines();
    } while (/&&|\|\|/.test(this.#operator) || !isEnd());
  }

  #skipBlanks(): void {
    // Bash joins the lines before it looks for a here-document that starts after the first.
    if (this.#scanner.consume(/(?:[ \t]|\\\n)+/y)?.includes("\n") && this.#scanner.heredocs.length > 0)
      throw new ShellParseError();
  }

  /** Skips blanks, comments and line breaks, and reads the here-documents that start after a line break. */
  #skipBlankLines(): void {
    this.#skipBlanks();
    while (this.#scanner.matches(/[\n#]/y)) {
      if (this.#scanner.consume(/#[^\n]*/y) !== null) this.#state.hasComment = true;
      if (this.#scanner.consume(/\n/y) !== null) this.#readHeredocs();
      this.#skipBlanks();
    }
  }

  #parsePipeline(): void {
    let isPrefixed = false;
    while (this.#scanner.consume(PIPELINE_PREFIX) !== null) {
      isPrefixed = true;
      this.#skipBlanks();
    }
    this.#parseCommand({ isPlain: !isPrefixed });
    this.#skipBlanks();
    for (let pipe = this.#consumePipe(); pipe !== null; pipe = this.#consumePipe()) {
      this.#operator = pipe;
      this.#skipBlankLines();
      this.#parseCommand({ isPlain: true });
      this.#skipBlanks();
    }
  }

  #consumePipe(): string | null {
    return this.#scanner.consume(/\|&|\|(?!\|)/y);
  }

  #parseCommand({ isPlain }: { readonly isPlain: boolean }): void {
    const keyword = this.#scanner.next === "(" ? "(" : this.#scanner.consume(KEYWORD_PATTERN);
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

  /** Parses a compound command. Its redirections become a command without words. */
  #parseCompound(parse: (() => void) | undefined): void {
    if (parse === undefined || this.#nesting >= MAX_NESTING) throw new ShellParseError();
    const operator = this.#operator;
    this.#nesting += 1;
    parse();
    this.#nesting -= 1;
    this.#skipBlanks();
    const draft = this.#createDraft({ operator, isPlain: false });
    while (this.#scanner.matches(REDIRECTION_START)) {
      this.#parseRedirection(draft);
      this.#skipBlanks();
    }
    if (draft.inputPaths.length + draft.outputPaths.length + draft.heredocBodies.length > 0) this.#addCommand(draft);
  }

  #parseSubshell(): void {
    // `((` starts an arithmetic command.
    if (this.#scanner.matches(/\(\(/y)) throw new ShellParseError();
    this.#parseParentheses();
  }

  #parseSubstitution(): void {
    // Versions of bash disagree on whether these lines belong to a here-document that was opened outside.
    if (this.#nesting >= MAX_NESTING || this.#scanner.heredocs.length > 0) throw new ShellParseError();
    const operator = this.#operator;
    this.#nesting += 1;
    this.#operator = "";
    this.#parseParentheses();
    this.#operator = operator;
    this.#nesting -= 1;
  }

  #parseParentheses(): void {
    this.#depth += 1;
    this.#scanner.expect(/\(/y);
    this.#parseList(() => this.#scanner.next === ")");
    if (this.#scanner.heredocs.length > 0) throw new ShellParseError();
    this.#scanner.expect(/\)/y);
    this.#depth -= 1;
  }

  /** Parses the commands up to one of these keywords, consumes the keyword and returns it. */
  #parseUntil(...keywords: readonly string[]): string {
    const end = keywordPattern(keywords);
    this.#parseList(() => this.#scanner.matches(end));
    return this.#scanner.expect(end);
  }

  #parseIf(): void {
    this.#parseUntil("then");
    const end = this.#parseUntil("elif", "else", "fi");
    if (end === "elif") this.#parseElif();
    if (end === "else") this.#parseUntil("fi");
  }

  #parseElif(): void {
    if (this.#nesting >= MAX_NESTING) throw new ShellParseError();
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
    this.#scanner.expect(/[A-Za-z_]\w*(?=[ \t\n;])/y);
    this.#skipBlankLines();
    if (this.#scanner.consume(/in(?=[ \t\n;])/y) !== null) this.#parseWords(/[;\n]/y);
    this.#skipBlanks();
    if (this.#scanner.consume(/;/y) !== null) this.#operator = ";";
    this.#skipBlankLines();
    this.#scanner.expect(keywordPattern(["do"]));
    this.#parseUntil("done");
  }

  /** Parses words that are not a command, such as the list of a `for` loop. */
  #parseWords(end: RegExp): void {
    this.#skipBlanks();
    while (!this.#scanner.matches(end)) {
      this.#parseNonEmptyWord();
      this.#skipBlanks();
    }
  }

  #parseCase(): void {
    this.#skipBlanks();
    this.#parseNonEmptyWord();
    this.#skipBlankLines();
    this.#scanner.expect(/in(?=[ \t\n])/y);
    this.#skipBlankLines();
    const end = keywordPattern(["esac"]);
    while (this.#scanner.consume(end) === null) {
      this.#parsePatterns();
      this.#parseList(() => this.#scanner.matches(/;[;&]/y) || this.#scanner.matches(end), { mayBeEmpty: true });
      if (this.#scanner.consume(/;;&?|;&/y) === null && !this.#scanner.matches(end)) throw new ShellParseError();
      this.#operator = ";";
      this.#skipBlankLines();
    }
  }

  #parsePatterns(): void {
    this.#scanner.consume(/\(/y);
    do {
      this.#skipBlanks();
      this.#parseNonEmptyWord();
      this.#skipBlanks();
    } while (this.#scanner.consume(/\|/y) !== null);
    this.#scanner.expect(/\)/y);
  }

  #parseNonEmptyWord(): ParseWordResult {
    // At the start of a word, `#` starts a comment.
    if (this.#scanner.next === "#") throw new ShellParseError();
    const parsed = parseWord(this.#scanner, this.#substitutions);
    if (parsed.source === "") throw new ShellParseError();
    if (parsed.source.includes("\n") && this.#scanner.heredocs.length > 0) throw new ShellParseError();
    return parsed;
  }

  /** Parses `[[ … ]]`; its operators become words. */
  #parseTest(): void {
    const draft = this.#createDraft({ operator: this.#operator, isPlain: false });
    const start = this.#scanner.position - 2;
    draft.words.push("[[");
    draft.knownPrefixes.push("[[");
    draft.hasKnownStart.push(false);
    this.#skipTestBlanks();
    while (this.#scanner.consume(TEST_END_PATTERN) === null) {
      const sign = this.#scanner.consume(/&&|\|\||[()<>]/y);
      const { word, knownPrefix, source } =
        sign === null ? this.#parseNonEmptyWord() : { word: sign, knownPrefix: sign, source: sign };
      // A regular expression has its own quoting rules.
      if (source === "=~") throw new ShellParseError();
      draft.words.push(word);
      draft.knownPrefixes.push(knownPrefix);
      draft.hasKnownStart.push(false);
      this.#skipTestBlanks();
    }
    draft.texts.push(this.#scanner.sliceText(start));
    this.#addCommand(draft);
  }

  #skipTestBlanks(): void {
    if (this.#scanner.consume(/(?:[ \t\n]|\\\n)+/y)?.includes("\n") && this.#scanner.heredocs.length > 0)
      throw new ShellParseError();
  }

  #parseSimple({ isPlain }: { readonly isPlain: boolean }): void {
    const draft = this.#createDraft({ operator: this.#operator, isPlain: isPlain && this.#nesting === 0 });
    const start = this.#scanner.position;
    while (!this.#isAtCommandEnd()) {
      if (this.#scanner.matches(REDIRECTION_START)) this.#parseRedirection(draft);
      else this.#addWord(draft, { isStart: this.#scanner.position === start });
    }
    if (this.#scanner.position === start) throw new ShellParseError();
    this.#addCommand(draft);
  }

  #createDraft({ operator, isPlain }: { readonly operator: string; readonly isPlain: boolean }): CommandDraft {
    return {
      operator,
      isPlain,
      depth: this.#depth,
      nesting: this.#nesting,
      texts: [],
      words: [],
      knownPrefixes: [],
      hasKnownStart: [],
      patterns: [],
      assignments: [],
      inputPaths: [],
      outputPaths: [],
      heredocBodies: [],
    };
  }

  #addCommand(draft: CommandDraft): void {
    if (this.#state.commands.length >= MAX_LINE_COMMANDS) throw new ShellParseError();
    this.#state.commands.push(draft);
  }

  #isAtCommandEnd(): boolean {
    this.#skipBlanks();
    return this.#scanner.matches(/&(?!>)|[;|\n)#]|$/y);
  }

  #addWord(draft: CommandDraft, { isStart }: { readonly isStart: boolean }): void {
    // After a word, a parenthesis starts a function definition.
    if (this.#scanner.next === "(") throw new ShellParseError();
    const { word, knownPrefix, hasKnownStart, pattern, isPlain, source, hasLineJoin } = this.#parseNonEmptyWord();
    const isFirst = draft.words.length === 0;
    if (isFirst && (hasLineJoin || SUBSCRIPT_PATTERN.test(source))) throw new ShellParseError();
    if ((isStart && END_KEYWORDS.has(source)) || (isFirst && GRAMMAR_KEYWORDS.has(source))) throw new ShellParseError();
    // `{name}>file` assigns a descriptor number to the variable; a long number may or may not be a descriptor.
    if (/^(?:\{.*\}|\d+)$/s.test(source) && this.#scanner.matches(/[<>]/y)) throw new ShellParseError();
    const [, name] = (isFirst && SHELL_ASSIGNMENT_PATTERN.exec(source)) || [];
    if (name !== undefined) this.#addAssignment(draft, { name, source, word });
    else {
      draft.words.push(word);
      draft.knownPrefixes.push(knownPrefix);
      draft.hasKnownStart.push(hasKnownStart);
      if (pattern !== null) draft.patterns.push(pattern);
      draft.texts.push(source);
      // `time` is a keyword at the start of a pipeline and a program after a pipe.
      draft.isPlain &&= isPlain && !(isFirst && source === "time");
    }
  }

  #addAssignment(draft: CommandDraft, { name, source, word }: { name: string; source: string; word: ShellWord }): void {
    draft.isPlain = false;
    const isList = source.endsWith("=") && this.#scanner.next === "(";
    const value = word === null ? null : word.slice(word.indexOf("=") + 1);
    draft.assignments.push({ name, value: isList || /^\w+(?:\[|\+)/.test(source) ? null : value });
    draft.texts.push(isList ? `${source}${this.#parseListValue()}` : source);
  }

  /** Parses `x=(a b)`, which may span several lines. Rejects subscripts: bash evaluates them. */
  #parseListValue(): string {
    const start = this.#scanner.position;
    this.#scanner.expect(/\(/y);
    this.#skipBlankLines();
    while (this.#scanner.consume(/\)/y) === null) {
      if (this.#scanner.matches(/\[/y)) throw new ShellParseError();
      this.#parseNonEmptyWord();
      this.#skipBlankLines();
    }
    if (!this.#scanner.matches(/[ \t\n;&|)<>]|$/y)) throw new ShellParseError();
    return this.#scanner.sliceText(start);
  }

  #parseRedirection(draft: CommandDraft): void {
    const [, operator = ""] = /^\d*(.+)$/.exec(this.#scanner.expect(REDIRECTION_PATTERN)) ?? [];
    this.#skipBlanks();
    if (operator === "<<" || operator === "<<-") this.#openHeredoc(draft, operator === "<<-");
    else this.#redirect(draft, operator);
  }

  #redirect(draft: CommandDraft, operator: string): void {
    // Bash ends the redirection at the dash that closes a stream: `>&-rm x` runs rm.
    if (operator.endsWith("&") && this.#scanner.consume(/-/y) !== null) {
      draft.isPlain = false;
      return;
    }
    const { word, source, isPlain } = this.#parseNonEmptyWord();
    const isDescriptorCopy = operator.endsWith("&") && /^\d{1,3}-?$/.test(word ?? "");
    const isDiscarded =
      operator !== "<<<" && (word === "/dev/null" || (operator === ">&" && /^[12]$/.test(word ?? "")));
    draft.isPlain &&= isDiscarded && isPlain;
    if (operator === "<<<") draft.heredocBodies.push(word);
    else if (operator === "<") draft.inputPaths.push(word);
    else if (operator !== "<&" && !isDescriptorCopy) {
      draft.outputPaths.push(word);
      if (word === null || !isStreamOrDevice(word)) draft.texts.push(operator, source);
    }
  }

  #openHeredoc(draft: CommandDraft, isIndented: boolean): void {
    const { word: lastLine, source } = this.#parseNonEmptyWord();
    if (lastLine === null || /[$`\n]/.test(source)) throw new ShellParseError();
    const index = draft.heredocBodies.push(null) - 1;
    draft.isPlain = false;
    this.#scanner.heredocs.push({
      ...{ lastLine, isIndented, isQuoted: /['"\\]/.test(source) },
      onBody: (body) => {
        draft.heredocBodies[index] = body;
      },
    });
  }

  #readHeredocs(): void {
    const { heredocs } = this.#scanner;
    this.#scanner.heredocs = [];
    for (const heredoc of heredocs) heredoc.onBody(this.#readBody(heredoc));
  }

  #readBody({ lastLine, isIndented, isQuoted }: HeredocStart): string | null {
    const start = this.#scanner.position;
    const lines: string[] = [];
    for (let line = this.#consumeBodyLine(isIndented); line !== lastLine; line = this.#consumeBodyLine(isIndented)) {
      // In a substitution, some versions of bash also accept `EOF)` as the last line.
      if (this.#depth > 0 && line.startsWith(lastLine)) throw new ShellParseError();
      lines.push(line);
    }
    this.#scanner.position = Math.min(this.#scanner.position, this.#scanner.text.length);
    if (!this.#isInner) this.#state.bodies.push({ start, end: this.#scanner.position });
    const body = lines.map((line) => `${line}\n`).join("");
    if (isQuoted) return body;
    // Bash joins such lines before it looks for the last line.
    if (body.includes("\\\n")) throw new ShellParseError();
    return this.#innerParser(body, this.#depth).parseBody();
  }

  #consumeBodyLine(isIndented: boolean): string {
    const line = this.#scanner.consumeLine();
    return isIndented ? line.replace(/^\t+/, "") : line;
  }
}

const PIPELINE_PREFIX = /!(?=[ \t])|time(?=[ \t])(?:[ \t]+-p(?=[ \t]))?(?:[ \t]+--(?=[ \t]))?/y;
const WORD_DELIMITER = "(?=[ \\t\\n;&|()<>]|$)";
const KEYWORD_PATTERN = new RegExp(
  `(?:\\{|\\[\\[|if|while|until|for|case|select|function|coproc)${WORD_DELIMITER}`,
  "y",
);
const TEST_END_PATTERN = new RegExp(`\\]\\]${WORD_DELIMITER}`, "y");
const REDIRECTION_START = /\d{0,3}[<>](?!\()|&>/y;
const REDIRECTION_PATTERN = /\d{0,3}(?:<<<|<<-?|<>|<&|<|>>|>&|>\||>)|&>>?/y;
const SHELL_ASSIGNMENT_PATTERN = /^([A-Za-z_]\w*)(?:\[\d+\])?\+?=/;
// Bash evaluates a subscript and runs substitutions in it even if they are quoted.
const SUBSCRIPT_PATTERN = /^[A-Za-z_]\w*\[(?!\d+\])/;
/** Keywords that close or continue a compound command, and are an error at the start of a command. */
const END_KEYWORDS: ReadonlySet<string> = new Set([
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

/** After a redirection bash runs these as programs, but a reader takes them for keywords. */
const GRAMMAR_KEYWORDS: ReadonlySet<string> = new Set(["case", "esac", "select", "function", "coproc", "]]"]);

function keywordPattern(keywords: readonly string[]): RegExp {
  return new RegExp(`(?:${keywords.join("|").replace("}", "\\}")})${WORD_DELIMITER}`, "y");
}
