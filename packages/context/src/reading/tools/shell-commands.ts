/** A shell line as its simple commands, with where each reads from and writes to. Nothing is run, and nothing is guessed. */

import { BLANKS, readWord, SEPARATORS, type Word } from "./shell-words.ts";

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
