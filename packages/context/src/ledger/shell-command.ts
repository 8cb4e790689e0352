/** Parses a shell line into simple commands and finds the files they read and modify. Nothing is run, and nothing is guessed. */

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
  /** How many brackets it stands in. */
  readonly depth: number;
  readonly words: readonly Word[];
  readonly readsFrom: readonly Word[];
  readonly writesTo: readonly Word[];
}

/** Any text gives commands, in time that grows with its length alone; what stands in brackets comes before what they stand in. */
export function shellCommands(line: string): readonly ShellCommand[] {
  const reader: Reader = { text: line, at: 0, commands: [], current: emptyCommand(), outer: [], documents: [] };
  while (reader.at < line.length && reader.commands.length < MOST_COMMANDS) readNext(reader);
  while (reader.outer.length > 0) closeBracket(reader);
  endCommand(reader);
  return reader.commands;
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
}

interface CommandDraft {
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
  const { word, end } = readWord(reader.text, reader.at);
  reader.at = end;
  const { readsFrom, writesTo } = reader.current;
  if (operator === "<<" || operator === "<<-") openDocument(reader, word, operator === "<<-");
  else if (operator === "<") readsFrom.push(word);
  else if (WRITING.has(operator) && !joinsOpenFile(operator, word)) writesTo.push(word);
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

function skip(reader: Reader, { lastLine, isIndented }: HereDocument): void {
  while (reader.at < reader.text.length) {
    const end = endOfLine(reader);
    const line = reader.text.slice(reader.at, end);
    reader.at = end + 1;
    if ((isIndented ? line.replace(/^\t+/, "") : line).trimEnd() === lastLine) return;
  }
}

function endOfLine({ text, at }: Reader): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function endCommand(reader: Reader): void {
  const { words, readsFrom, writesTo } = reader.current;
  const isEmpty = words.length + readsFrom.length + writesTo.length === 0;
  if (!isEmpty) reader.commands.push({ ...reader.current, depth: reader.outer.length });
  if (!isEmpty) reader.current = emptyCommand();
  reader.at += 1;
}

function emptyCommand(): CommandDraft {
  return { words: [], readsFrom: [], writesTo: [] };
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
  reader.at = end;
}

export interface Operands {
  /** One letter each, in order. */
  readonly options: string;
  readonly paths: readonly Word[];
}

/** How a program takes its words. */
export interface Taking {
  /** Options that take the word behind them. */
  readonly takes?: string;
  /** The first operand is a pattern or a script, unless one of these options brings it. */
  readonly script?: string;
}

export function operands(words: readonly Word[], { takes = "", script }: Taking): Operands {
  const over = words.indexOf("--");
  const paths: Word[] = [];
  let options = "";
  let isTaken = false;
  for (const word of over < 0 ? words : words.slice(0, over)) {
    const said: Options | null = isTaken ? null : optionsIn(word, takes);
    if (said) options += said.letters;
    else if (!isTaken) paths.push(word);
    isTaken = said?.takesNext ?? false;
  }
  // The empty word is how one kind of `sed -i` says that it wants no copy.
  const named = paths.concat(over < 0 ? [] : words.slice(over + 1)).filter((path) => path !== "");
  const isScripted = script !== undefined && ![...script].some((letter) => options.includes(letter));
  return { options, paths: isScripted ? named.slice(1) : named };
}

interface Options {
  readonly letters: string;
  readonly takesNext: boolean;
}

/** `-ni.bak` says n and i; behind a letter that takes a value comes the value. Null for a word that is no option. */
function optionsIn(word: Word, takes: string): Options | null {
  const [, long, short] = /^-(?:(-[\w-]{1,40})|(\w{1,40}))/.exec(word ?? "") ?? [];
  if (long !== undefined) return { letters: LONG[long] ?? "", takesNext: false };
  if (short === undefined) return null;
  const valued = [...short].findIndex((letter) => takes.includes(letter));
  if (valued < 0) return { letters: short, takesNext: false };
  return { letters: short.slice(0, valued + 1), takesNext: word?.length === valued + 2 };
}

const LONG: Readonly<Record<string, string>> = { "-in-place": "i", "-recursive": "r" };

export interface Touch {
  readonly path: string;
  readonly did: "read" | "modified";
}

/** In the order of the command. */
export function commandTouches({ words, readsFrom, writesTo }: ShellCommand): readonly Touch[] {
  const { name, rest } = invocation(words);
  const program = programs.get(name);
  const named = program ? program.touches(operands(rest, program)) : [];
  return [...named, ...touches(readsFrom, "read"), ...touches(writesTo, "modified")];
}

/** Whether it only shows what can be had again: files, searches, listings. */
export function isLook({ words, writesTo }: ShellCommand): boolean {
  const { name, rest } = invocation(words);
  if (writesTo.some((path) => path === null || !isNoFile(path))) return false;
  return LOOKING.test(name) && !(name === "sed" && isInPlace(operands(rest, { takes: "efl" })));
}

const LOOKING =
  /^(?:cat|tac|nl|wc|less|more|head|tail|grep|rg|ag|awk|sed|ls|find|fd|tree|stat|file|cd|pwd|echo|sort|uniq|cut|tr|jq|which|git (?:log|diff|show|status|grep|blame|ls-files))$/;

interface Invocation {
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

interface Program extends Taking {
  readonly touches: (said: Operands) => readonly Touch[];
}

const reading: Program["touches"] = ({ paths }) => touches(paths, "read");
const modifying: Program["touches"] = ({ paths }) => touches(paths, "modified");
const searching: Program["touches"] = (said) => (/r/i.test(said.options) ? [] : reading(said));
const streaming: Program["touches"] = (said) => (isInPlace(said) ? modifying(said) : reading(said));
const patching: Program["touches"] = ({ paths }) => touches(paths.slice(0, 1), "modified");
const moving: Program["touches"] = ({ paths }) => [...touches(sources(paths), "modified"), ...target(paths)];
const copying: Program["touches"] = ({ options, paths }) =>
  /[ra]/i.test(options) ? [] : [...touches(sources(paths), "read"), ...target(paths)];

const isInPlace = ({ options }: Operands): boolean => options.includes("i");
const sources = (paths: readonly Word[]): readonly Word[] => paths.slice(0, -1);
// Behind several sources the last one is a folder.
const target = (paths: readonly Word[]): readonly Touch[] =>
  touches(paths.length === 2 ? paths.slice(1) : [], "modified");

const programs: ReadonlyMap<string, Program> = new Map<string, Program>([
  ["cat", { touches: reading }],
  ["tac", { touches: reading }],
  ["nl", { touches: reading }],
  ["wc", { touches: reading }],
  ["less", { touches: reading }],
  ["more", { touches: reading }],
  ["head", { takes: "nc", touches: reading }],
  ["tail", { takes: "nc", touches: reading }],
  ["awk", { takes: "fFv", script: "f", touches: reading }],
  ["grep", { takes: "efmABC", script: "ef", touches: searching }],
  ["sed", { takes: "efl", script: "ef", touches: streaming }],
  ["tee", { touches: modifying }],
  ["touch", { takes: "drt", touches: modifying }],
  ["rm", { touches: modifying }],
  ["git rm", { touches: modifying }],
  ["mv", { touches: moving }],
  ["git mv", { touches: moving }],
  ["cp", { touches: copying }],
  ["patch", { takes: "pido", touches: patching }],
]);

function touches(words: readonly Word[], did: Touch["did"]): readonly Touch[] {
  return words.flatMap((path) => (path === null || isNoFile(path) ? [] : [{ path, did }]));
}

/** Standard input, the numbers of open files, and devices. */
function isNoFile(path: string): boolean {
  return /^(?:-|\d{1,3}|\/dev\/.*)$/s.test(path);
}

/** In the order of the line. A path behind a `cd` is said in two parts: they are joined, and nothing else is done to it. */
export function shellTouches(line: string): readonly Touch[] {
  const folders: Word[] = [AS_SAID];
  return shellCommands(line).flatMap((command) => {
    enter(folders, command);
    const folder = folders.at(-1) ?? null;
    return commandTouches(command).flatMap(({ path, did }) => {
      const whole = joined(folder, path);
      return whole === null ? [] : [{ path: whole, did }];
    });
  });
}

/** Whether a line only shows what can be had again: files, searches, listings. Then nothing in its output is news. */
export function onlyLooks(line: string): boolean {
  const commands = shellCommands(line);
  return commands.length > 0 && commands.every(isLook);
}

const AS_SAID = "";

/** Where each bracket stands, the innermost last: what is changed inside does not hold outside. */
function enter(folders: Word[], { depth, words }: ShellCommand): void {
  while (folders.length > depth + 1) folders.pop();
  while (folders.length < depth + 1) folders.push(folders.at(-1) ?? null);
  const { name, rest } = invocation(words);
  if (name === "cd") folders[depth] = changed(folders[depth] ?? null, rest);
}

function changed(folder: Word, [to = null, ...more]: readonly Word[]): Word {
  return to === null || to === "-" || more.length > 0 ? null : joined(folder, to);
}

/** Null where nobody can say. */
function joined(folder: Word, path: string): Word {
  if (/^(?:[/~]|[A-Za-z]:)/.test(path) || folder === AS_SAID) return path;
  return folder === null ? null : `${folder.replace(/\/$/, "")}/${path.replace(/^\.\//, "")}`;
}
