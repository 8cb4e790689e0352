/** Commands in a rule: word for word, or with `:*` whatever begins with these words. */

import { readLine } from "../shell/read-line.ts";
import type { Command, Word } from "../shell/reader.ts";
import { runsText } from "../shell/runs-text.ts";
import { mayComeLater, withoutOptions } from "../shell/subcommand.ts";
import { adding, wrappers } from "../shell/wrappers.ts";
import { type Fit, nearest } from "./fit.ts";
import { mistake, type RuleMistake } from "./mistake.ts";

export interface CommandPattern {
  readonly type: "command";
  /** Without its `:*`. */
  readonly text: string;
  /** Null where it is more than one simple command: such a rule means this very text. */
  readonly words: readonly string[] | null;
  readonly isBeginning: boolean;
}

export function commandPattern(inside: string): CommandPattern | RuleMistake {
  const isBeginning = inside.endsWith(":*");
  const text = isBeginning ? inside.slice(0, -2).trim() : inside;
  if (text === "") return mistake("empty", "no command is named; without brackets it stands for all of them");
  if (text.includes("*")) return mistake("star", "a * means something only at the end, as in npm test:*");
  const words = simpleWords(readLine(text));
  if (isBeginning && words === null) return mistake("not-simple", "before :* there can be one simple command only");
  return { type: "command", text, words, isBeginning };
}

/** A line that stands in a rule as it is, or one whose every command a rule fits; what is not plainly readable is neither. */
export function isSurelyCommand(patterns: readonly CommandPattern[], line: string): boolean {
  if (patterns.some(({ text, isBeginning }) => !isBeginning && text === line)) return true;
  const commands = readLine(line);
  if (commands === null || commands.length === 0) return false;
  return commands.every((command) => {
    const words = simpleWords([command]);
    return words !== null && patterns.some((pattern) => fitOf(pattern, words) === "fits");
  });
}

export function couldBeCommand(pattern: CommandPattern, line: string): Fit {
  if (!pattern.isBeginning && pattern.text === line) return "fits";
  const commands = readLine(line);
  return commands === null ? "unsure" : nearest(commands.map(({ words }) => looseFit(pattern, words)));
}

/** The words of one plain command; null where it is anything more. */
function simpleWords(commands: readonly Command[] | null): readonly string[] | null {
  const [command, ...more] = commands ?? [];
  if (!command?.isPlain || more.length > 0) return null;
  const words = command.words.filter((word) => word !== null);
  return words.length > 0 && words.length === command.words.length ? words : null;
}

// `/bin/rm` and `sudo rm` are an `rm` to whoever denies it.
function looseFit(pattern: CommandPattern, words: readonly Word[]): Fit {
  if (words.length === 0) return "not";
  const name = calledName(words[0]) ?? "";
  if (!wrappers.has(name)) return fitByName(pattern, words);
  const all = adding.has(name) ? [...words, null] : words;
  // More than this of a command says nothing more, and thousands of wrappers are wrapped around each other only to be slow.
  const enough = Math.max(LEAST_WORDS, (pattern.words?.length ?? 0) + 1);
  return nearest(words.map((_, start) => fitByName(pattern, all.slice(start, start + enough))));
}

const LEAST_WORDS = 8;

function fitByName(pattern: CommandPattern, words: readonly Word[]): Fit {
  const called = calledName(words[0]);
  const named = [called, ...words.slice(1)];
  const fit = nearest([words, named, withoutOptions(named)].map((each) => fitOf(pattern, each)));
  if (fit !== "not" || called === null) return fit;
  return runsText(called, words.slice(1)) || mayComeLater(named, pattern.words ?? []) ? "unsure" : "not";
}

function calledName(word: Word | undefined): Word {
  return word == null ? null : word.slice(word.lastIndexOf("/") + 1);
}

function fitOf({ words: wanted, isBeginning }: CommandPattern, words: readonly Word[]): Fit {
  if (wanted === null) return "not";
  const other = words.findIndex((word, at) => word === null || word !== wanted[at]);
  if (other < 0) return words.length === wanted.length ? "fits" : "not";
  if (isBeginning && other >= wanted.length) return "fits";
  // A word that is open may become any words, or none.
  return words[other] === null ? "unsure" : "not";
}
