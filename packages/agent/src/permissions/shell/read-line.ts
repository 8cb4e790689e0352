/** A shell line as its commands, those in brackets and substitutions too. Nothing is guessed: what is not surely understood makes the whole line unreadable. */

import { readWord } from "./read-word.ts";
import { type Command, Reader, Unreadable, type Word } from "./reader.ts";
import { readRedirection } from "./redirection.ts";

/** Every command of it, in no particular order; null where the line is beyond us. */
export function readLine(line: string): readonly Command[] | null {
  if (line.length > LONGEST || FOREIGN.test(line)) return null;
  const reader = new Reader(line, readCommands);
  try {
    readCommands(reader, "");
    return reader.commands;
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

const LONGEST = 20_000;
// Blanks that only look like blanks, and signs that do not look like anything.
const FOREIGN = /[[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Cs}]--[\t\n ]]/v;

function readCommands(reader: Reader, closing: ")" | ""): void {
  do readCommand(reader);
  while (reader.take(/&&|\|\||\|&|;(?![;&|])|[&|\n]/y) !== null);
  if (reader.next !== closing) throw new Unreadable();
}

interface Draft {
  readonly words: Word[];
  isPlain: boolean;
  /** From here on no word is grammar. */
  isBegun: boolean;
}

function readCommand(reader: Reader): void {
  const draft: Draft = { words: [], isPlain: true, isBegun: false };
  while (!isAtEnd(reader)) {
    if (reader.next === "#") skipRemark(reader, draft);
    else if (reader.next === "(") readGroup(reader, draft);
    else if (reader.sees(/\d*[<>](?!\()|&>/y)) redirect(reader, draft);
    else addWord(reader, draft);
  }
  const isEmpty = draft.words.length === 0 && draft.isPlain;
  if (!isEmpty) reader.commands.push({ words: draft.words, isPlain: draft.isPlain && !reader.isNested });
}

function isAtEnd(reader: Reader): boolean {
  reader.take(/(?:[ \t]|\\\n)+/y);
  return reader.sees(/&(?!>)|[;|\n)]|$/y);
}

function skipRemark(reader: Reader, draft: Draft): void {
  reader.take(/[^\n]*/y);
  draft.isPlain = false;
}

// Behind a word, a bracket would begin a function.
function readGroup(reader: Reader, draft: Draft): void {
  if (draft.words.length > 0) throw new Unreadable();
  reader.readBrackets();
  draft.isPlain = false;
}

function redirect(reader: Reader, draft: Draft): void {
  const redirection = readRedirection(reader);
  draft.isPlain &&= redirection === "nowhere";
  draft.isBegun = true;
}

function addWord(reader: Reader, draft: Draft): void {
  const { word, isPlain, written } = readWord(reader);
  const isFirst = draft.words.length === 0;
  if (isFirst && (UNKNOWN_GRAMMAR.has(written) || COMPUTED.test(written))) throw new Unreadable();
  const isKeyword = !draft.isBegun && KEYWORDS.has(written);
  const isSetting = isFirst && SETTING.test(written);
  // At the beginning of a pipe it is grammar, behind one a command.
  const isTiming = isFirst && written === "time";
  if (!isKeyword && !isSetting) draft.words.push(word);
  draft.isPlain &&= isPlain && !isKeyword && !isSetting && !isTiming;
  draft.isBegun ||= !isKeyword;
}

/** They stand before a command or behind the last, and are none. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...["!", "{", "}", "if", "then", "elif", "else", "fi"],
  ...["for", "while", "until", "do", "done"],
]);
const UNKNOWN_GRAMMAR: ReadonlySet<string> = new Set(["case", "esac", "select", "function", "coproc", "[[", "]]"]);
const SETTING = /^[A-Za-z_]\w*(?:\[\d+\])?\+?=/;
// A subscript is computed, and what is substituted in it is run even where it is quoted.
const COMPUTED = /^[A-Za-z_]\w*\[(?!\d+\])/;
