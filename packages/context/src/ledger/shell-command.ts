/** Parses a shell line into simple commands. Nothing is run, and nothing is guessed. */

/** Null where a variable, a pattern or a substitution stands in it. */
export type Word = string | null;

export interface ReadWord {
  readonly word: Word;
  /** Where the text goes on. */
  readonly end: number;
}

export const BLANKS: ReadonlySet<string> = new Set([" ", "\t", "\r"]);
export const SEPARATORS: ReadonlySet<string> = new Set([";", "&", "|", "(", ")"]);

export function readWord(text: string, from: number): ReadWord {
  let said = "";
  let isOpen = false;
  let at = from;
  while (at < text.length && !WORD_ENDS.has(text[at] ?? "")) {
    const piece = pieceAt(text, at);
    said += piece.said;
    isOpen ||= piece.isOpen;
    at += piece.length;
  }
  return { word: isOpen ? null : said, end: at };
}

const WORD_ENDS: ReadonlySet<string> = new Set([...BLANKS, ...SEPARATORS, "\n", "<", ">"]);
const OPEN_LETTERS: ReadonlySet<string> = new Set(["$", "`", "*", "?", "[", "{"]);

interface Piece {
  readonly said: string;
  readonly isOpen: boolean;
  /** In the text, quotes included. */
  readonly length: number;
}

function pieceAt(text: string, at: number): Piece {
  const letter = text[at] ?? "";
  if (letter === "'") return singleQuoted(text, at);
  if (letter === '"') return doubleQuoted(text, at);
  if (letter === "\\") return escaped(text[at + 1] ?? "");
  return { said: letter, isOpen: OPEN_LETTERS.has(letter), length: 1 };
}

function singleQuoted(text: string, at: number): Piece {
  const close = text.indexOf("'", at + 1);
  const end = close < 0 ? text.length : close;
  return { said: text.slice(at + 1, end), isOpen: close < 0, length: end + 1 - at };
}

function doubleQuoted(text: string, at: number): Piece {
  let said = "";
  let isOpen = false;
  let end = at + 1;
  while (end < text.length && text[end] !== '"') {
    const letter = text[end] ?? "";
    const next = text[end + 1] ?? "";
    const isEscape = letter === "\\" && ESCAPED_IN_QUOTES.has(next);
    said += isEscape ? next : letter;
    isOpen ||= letter === "$" || letter === "`";
    end += isEscape ? 2 : 1;
  }
  return { said, isOpen: isOpen || end >= text.length, length: end + 1 - at };
}

const ESCAPED_IN_QUOTES: ReadonlySet<string> = new Set(['"', "\\", "$", "`"]);

// A line end behind a backslash joins two lines.
function escaped(next: string): Piece {
  return { said: next === "\n" ? "" : next, isOpen: false, length: 2 };
}

export interface ShellCommand {
  /** As it was written, on one line, without here-documents and without redirections that name no file. */
  readonly text: string;
  /** What joins it to the command before it: `&&`, `||`, `|`, `;` or a line end; empty for the first one. */
  readonly operator: string;
  /** How many brackets it stands in. */
  readonly depth: number;
  readonly words: readonly Word[];
  readonly readsFrom: readonly Word[];
  readonly writesTo: readonly Word[];
}

/** Any text gives commands, in time that grows with its length alone; what stands in brackets comes before what they stand in. */
export function shellCommands(line: string): readonly ShellCommand[] {
  return readLine(line).commands;
}

/** The same line without the bodies of its here-documents. */
export function withoutHereDocuments(line: string): string {
  const { bodies } = line.includes("<<") ? readLine(line) : { bodies: [] };
  const starts = [0, ...bodies.map(({ end }) => end)];
  return starts.map((start, at) => line.slice(start, bodies[at]?.start)).join("");
}

function readLine(line: string): Reader {
  const reader: Reader = {
    text: line,
    at: 0,
    commands: [],
    current: emptyCommand(),
    outer: [],
    documents: [],
    bodies: [],
  };
  while (reader.at < line.length && reader.commands.length < MOST_COMMANDS) readNext(reader);
  while (reader.outer.length > 0) closeBracket(reader);
  endCommand(reader);
  return reader;
}

/** More in one line were made to be slow. */
const MOST_COMMANDS = 5_000;
const MOST_BRACKETS = 100;

interface Reader {
  readonly text: string;
  at: number;
  readonly commands: ShellCommand[];
  current: CommandDraft;
  /** The commands around the brackets we are in, the innermost last. */
  readonly outer: CommandDraft[];
  /** The here-documents that begin behind this line, in order. */
  documents: HereDocument[];
  readonly bodies: { readonly start: number; readonly end: number }[];
}

interface CommandDraft {
  operator: string;
  readonly texts: string[];
  readonly words: Word[];
  readonly readsFrom: Word[];
  readonly writesTo: Word[];
}

interface HereDocument {
  readonly lastLine: string;
  /** Written `<<-`: tabs before its last line do not count. */
  readonly isIndented: boolean;
}

function readNext(reader: Reader): void {
  const letter = reader.text[reader.at] ?? "";
  const operator = redirection(reader);
  if (operator !== null) redirect(reader, operator);
  else if (letter === "#") reader.at = endOfLine(reader);
  else if (letter === "\n") endLine(reader);
  else if (letter === "(" && reader.outer.length < MOST_BRACKETS) openBracket(reader);
  else if (letter === ")" && reader.outer.length > 0) closeBracket(reader);
  else if (SEPARATORS.has(letter)) endCommand(reader);
  else if (BLANKS.has(letter)) reader.at += 1;
  else addWord(reader);
}

function redirection({ text, at }: Reader): string | null {
  if (!REDIRECTING.has(text[at] ?? "")) return null;
  const operator = /^(?:<<<|<<-?|<[>&]?|>>|>[&|]?|&>>?)/.exec(text.slice(at, at + 3));
  return operator ? operator[0] : null;
}

const REDIRECTING: ReadonlySet<string> = new Set(["<", ">", "&"]);

function redirect(reader: Reader, operator: string): void {
  reader.at += operator.length;
  while (BLANKS.has(reader.text[reader.at] ?? "")) reader.at += 1;
  const start = reader.at;
  const { word, end } = readWord(reader.text, start);
  reader.at = end;
  const { readsFrom, writesTo, texts } = reader.current;
  if (operator === "<<" || operator === "<<-") openDocument(reader, word, operator === "<<-");
  else if (operator === "<") readsFrom.push(word);
  else if (WRITING.has(operator) && !joinsOpenFile(operator, word)) {
    writesTo.push(word);
    if (word === null || !isNoFile(word)) texts.push(operator, reader.text.slice(start, end));
  }
}

const WRITING: ReadonlySet<string> = new Set([">", ">>", ">|", ">&", "&>", "&>>", "<>"]);

// `2>&1` goes where another goes already.
function joinsOpenFile(operator: string, word: Word): boolean {
  return operator === ">&" && /^(?:\d{1,3}|-)$/.test(word ?? "");
}

function openDocument(reader: Reader, lastLine: Word, isIndented: boolean): void {
  // Where nobody knows its end, the rest could be anything.
  if (lastLine === null) reader.at = reader.text.length;
  else reader.documents.push({ lastLine, isIndented });
}

function endLine(reader: Reader): void {
  endCommand(reader);
  for (const document of reader.documents) skip(reader, document);
  reader.documents = [];
}

function skip(reader: Reader, document: HereDocument): void {
  const start = reader.at;
  while (reader.at < reader.text.length && !endsDocument(reader, document));
  reader.bodies.push({ start, end: reader.at });
}

/** Reads one line of it. */
function endsDocument(reader: Reader, { lastLine, isIndented }: HereDocument): boolean {
  const end = endOfLine(reader);
  const line = reader.text.slice(reader.at, end);
  reader.at = end + 1;
  return (isIndented ? line.replace(/^\t+/, "") : line).trimEnd() === lastLine;
}

function endOfLine({ text, at }: Reader): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function endCommand(reader: Reader): void {
  const { texts, ...command } = reader.current;
  const { words, readsFrom, writesTo } = command;
  const isEmpty = words.length + readsFrom.length + writesTo.length === 0;
  if (!isEmpty) reader.commands.push({ ...command, text: texts.join(" "), depth: reader.outer.length });
  if (!isEmpty) reader.current = emptyCommand();
  const letter = reader.text[reader.at] ?? "";
  if (letter !== ")" && reader.current.operator.length < LONGEST_OPERATOR) reader.current.operator += letter;
  reader.at += 1;
}

/** Behind a bracket or an empty line several may follow each other. */
const LONGEST_OPERATOR = 10;

function emptyCommand(): CommandDraft {
  return { operator: "", texts: [], words: [], readsFrom: [], writesTo: [] };
}

function openBracket(reader: Reader): void {
  reader.outer.push(reader.current);
  reader.current = emptyCommand();
  reader.at += 1;
}

// Behind `$(…)` the command around it goes on.
function closeBracket(reader: Reader): void {
  endCommand(reader);
  reader.current = reader.outer.pop() ?? emptyCommand();
}

function addWord(reader: Reader): void {
  const { word, end } = readWord(reader.text, reader.at);
  // The 2 of `2>log` names an open file.
  const isDescriptor = /^\d{1,3}$/.test(word ?? "") && /[<>]/.test(reader.text[end] ?? "");
  if (!isDescriptor) reader.current.words.push(word);
  if (!isDescriptor) reader.current.texts.push(reader.text.slice(reader.at, end));
  reader.at = end;
}

/** Standard input, the numbers of open files, and devices. */
export function isNoFile(path: string): boolean {
  return /^(?:-|\d{1,3}|\/dev\/.*)$/s.test(path);
}

export interface Invocation {
  /** Without the folder it lies in; git's programs have two words. */
  readonly name: string;
  readonly rest: readonly Word[];
}

export function invocation(words: readonly Word[]): Invocation {
  const at = words.findIndex((word) => word === null || !STANDS_BEFORE.test(word));
  const first = words[at] ?? "";
  const name = first.slice(first.lastIndexOf("/") + 1);
  const rest = words.slice(at + 1);
  return name === "git" ? { name: `git ${rest[0]}`, rest: rest.slice(1) } : { name, rest };
}

/** Words of loops and conditions, `LANG=C`, and programs that run another. */
const STANDS_BEFORE = /^(?:then|do|else|if|while|!|sudo|env|time|command|nohup|exec|[A-Za-z_]\w{0,99}=.*)$/s;

/** A command and the folder it runs in: empty where the line starts, null where nobody can say. */
export interface CommandAt {
  readonly command: ShellCommand;
  readonly folder: Word;
}

/** The commands of a line, each with the folder that a `cd` before it leads to. */
export function locatedCommands(line: string): readonly CommandAt[] {
  const folders: Word[] = [START];
  return shellCommands(line).map((command) => {
    enterFolder(folders, command);
    return { command, folder: folders.at(-1) ?? null };
  });
}

const START = "";

/** Where each bracket stands, the innermost last: what is changed inside does not hold outside. */
function enterFolder(folders: Word[], { depth, words }: ShellCommand): void {
  while (folders.length > depth + 1) folders.pop();
  while (folders.length < depth + 1) folders.push(folders.at(-1) ?? null);
  const { name, rest } = invocation(words);
  if (name === "cd") folders[depth] = changeFolder(folders[depth] ?? null, rest);
}

function changeFolder(folder: Word, [to = null, ...more]: readonly Word[]): Word {
  return to === null || to === "-" || more.length > 0 ? null : joinPath(folder, to);
}

/** Null where nobody can say. */
export function joinPath(folder: Word, path: string): Word {
  if (/^(?:[/~]|[A-Za-z]:)/.test(path) || folder === START) return path;
  return folder === null ? null : `${folder.replace(/\/$/, "")}/${path.replace(/^\.\//, "")}`;
}
