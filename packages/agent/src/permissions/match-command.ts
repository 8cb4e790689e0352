/** Matches the command of a rule against a shell line. Allow rules need a certain match; for deny and ask rules a possible match counts. */

import { parseShellLine, type ShellCommand, type ShellWord } from "@pith/context/host";
import { mayRunSubcommand, withoutGitOptions } from "./git-commands.ts";
import {
  findNestedCommands,
  mayFollowOptions,
  programName,
  runsWrittenFile,
  setsProgramVariables,
} from "./indirect-commands.ts";
import { mayRunInlineCode, runsInlineCode } from "./inline-code.ts";
import { mayRunUnknownProgram } from "./unknown-words.ts";

type ShellLine = NonNullable<ReturnType<typeof parseShellLine>>;

/** `maybe`: the shell or the tool could make it a match, for example by expanding a variable. */
export type RuleMatch = "yes" | "maybe" | "no";

export function closestMatch(matches: readonly RuleMatch[]): RuleMatch {
  return (["yes", "maybe"] as const).find((match) => matches.includes(match)) ?? "no";
}

export interface RuleCommand {
  /** Null if the rule is not a single simple command. */
  readonly words: readonly string[] | null;
  /** More words may follow. */
  readonly isPrefix: boolean;
}

/** Whether every command of the line is plain and matches a rule. False if the line cannot be parsed with certainty. */
export function allCommandsMatch(ruleCommands: readonly RuleCommand[], line: string): boolean {
  const commands = line.length > MAX_LINE_CHARS ? [] : (parseShellLine(line)?.commands ?? []);
  if (commands.length === 0) return false;
  return commands.every((command) => {
    const words = plainWords(command);
    // PERM36: an exact rule such as `psql` does not allow piping input into the command.
    const applicable =
      command.operator.startsWith("|") && command.operator !== "||"
        ? ruleCommands.filter(({ isPrefix }) => isPrefix)
        : ruleCommands;
    return (
      words !== null &&
      applicable.some((ruleCommand) => matchWords(ruleCommand, words) === "yes" && !opensManual(ruleCommand, words))
    );
  });
}

/** `git status --help` runs man and a pager, which a rule on `git status:*` does not allow. */
function opensManual({ words: ruleWords }: RuleCommand, words: readonly string[]): boolean {
  return programName(words[0]) === "git" && words.includes("--help") && !ruleWords?.includes("--help");
}

/** The words of a line that is a single plain command; null otherwise. */
export function simpleCommandWords(line: string): readonly string[] | null {
  const [command, ...more] = parseShellLine(line)?.commands ?? [];
  return command === undefined || more.length > 0 ? null : plainWords(command);
}

function plainWords({ words, isPlain }: ShellCommand): readonly string[] | null {
  const knownWords = words.filter((word) => word !== null);
  return isPlain && knownWords.length > 0 && knownWords.length === words.length ? knownWords : null;
}

/** Whether the line runs the command of a rule, or may run it. */
export function matchCommandLine(ruleCommand: RuleCommand, line: string): RuleMatch {
  const parsed = line.length > MAX_LINE_CHARS ? null : parseShellLine(line);
  if (parsed === null) return "maybe";
  const match = closestMatch(parsed.commands.map((command) => matchLoosely(ruleCommand, command)));
  if (match !== "no") return match;
  return hidesCommands(parsed, line) || mentionsProgram(ruleCommand.words ?? [], parsed, line) ? "maybe" : "no";
}

const MAX_LINE_CHARS = 20_000;

// A rule on `rm` also matches `/bin/rm` and `sudo rm`.
function matchLoosely(ruleCommand: RuleCommand, command: ShellCommand): RuleMatch {
  const { words } = command;
  if (words.length === 0) return "no";
  const match = closestMatch(findNestedCommands(words).map((each) => matchByName(ruleCommand, each)));
  return match === "no" && mayRunUnknownProgram(command) ? "maybe" : match;
}

function matchByName(ruleCommand: RuleCommand, words: readonly ShellWord[]): RuleMatch {
  const name = programName(words[0]);
  const namedWords = [name, ...words.slice(1)];
  const match = closestMatch(
    [words, namedWords, withoutGitOptions(namedWords)].map((each) => matchWords(ruleCommand, each)),
  );
  if (match !== "no" || name === null) return match;
  const [program, subcommand] = ruleCommand.words ?? [];
  const isSubcommandPossible =
    mayFollowOptions(namedWords, ruleCommand.words ?? []) ||
    (name === "git" && program === "git" && mayRunSubcommand(words.slice(1), subcommand ?? ""));
  return runsInlineCode(name, words.slice(1)) || isSubcommandPossible ? "maybe" : "no";
}

function matchWords({ words: ruleWords, isPrefix }: RuleCommand, words: readonly ShellWord[]): RuleMatch {
  if (ruleWords === null) return "no";
  const mismatchIndex = words.findIndex((word, index) => word === null || word !== ruleWords[index]);
  if (mismatchIndex < 0) return words.length === ruleWords.length ? "yes" : "no";
  if (isPrefix && mismatchIndex >= ruleWords.length) return "yes";
  // An unknown word may expand to any number of words.
  const word = words[mismatchIndex];
  return word == null || isAbbreviation(word, { whole: ruleWords[mismatchIndex], index: mismatchIndex })
    ? "maybe"
    : "no";
}

/** Whether the word abbreviates a subcommand or a long option, which many programs accept. */
function isAbbreviation(
  word: string,
  { whole = "", index }: { readonly whole: string | undefined; readonly index: number },
): boolean {
  if (index === 0 || word === "" || word === whole || !whole.startsWith(word)) return false;
  return word.startsWith("-") ? /^--./.test(word) : true;
}

/** Whether the line could run a command that does not appear in it. */
function hidesCommands({ commands }: ShellLine, line: string): boolean {
  return (
    setsProgramVariables(commands, line) ||
    setsOptionVariable(commands) ||
    runsWrittenFile(commands) ||
    (ARITHMETIC.test(line) && SUBSCRIPT.test(line))
  );
}

/** Whether a variable contains an option, and a command with unknown words could receive it. */
function setsOptionVariable(commands: readonly ShellCommand[]): boolean {
  const hasOptionValue = commands.some(({ assignments }) =>
    assignments.some(({ value }) => /(?:^|\s)-/.test(value ?? "")),
  );
  return (
    hasOptionValue &&
    commands.some(({ words }) => words.includes(null) && mayRunInlineCode(programName(words[0]) ?? ""))
  );
}

const ARITHMETIC = /\$\(\(|\[\[|\$\{\w+:/;
/** Arithmetic evaluates a variable with the value `a[$(rm x)]` and runs the substitution. */
const SUBSCRIPT = /[\w'"\\]\[[^\]]*[$`]/;

/**
 * Whether the program of a rule appears elsewhere than as the program of a parsed command: as an argument, in quotes or in a
 * here-document. All words of the rule must appear.
 */
function mentionsProgram(ruleWords: readonly string[], { commands }: ShellLine, line: string): boolean {
  const [program = "", ...more] = ruleWords.map((word) => word.toLowerCase());
  if (program === "") return false;
  const texts = [line, ...commands.flatMap(argumentTexts)];
  const tokens = new Set(texts.flatMap((text) => [...tokenize(text)]));
  if (tokens.has(ruleWords.join("-"))) return true;
  const hasAllWords = more.every((word) => tokens.has(word));
  return (
    hasAllWords &&
    (commands.flatMap(argumentTexts).some((text) => tokenize(text).includes(program)) ||
      isNamedElsewhere(program, commands, line))
  );
}

/** All known texts of a command except its program. */
function argumentTexts({
  words,
  assignments,
  heredocBodies,
  inputPaths,
  outputPaths,
}: ShellCommand): readonly string[] {
  const values = assignments.map(({ value }) => value);
  return [...words.slice(1), ...values, ...heredocBodies, ...inputPaths, ...outputPaths].filter(
    (word) => word !== null,
  );
}

/** Whether the program appears more often than it is called, for example in a loop or in a part that was not parsed. */
function isNamedElsewhere(program: string, commands: readonly ShellCommand[], line: string): boolean {
  const calls = commands.filter(({ words }) => programName(words[0])?.toLowerCase() === program);
  return tokenizeUnquoted(line).filter((token) => token === program).length > calls.length;
}

/** Words and base names, with quotes and backslashes removed as a second shell would remove them, and without. */
function tokenize(text: string): readonly string[] {
  return [...tokenizeUnquoted(text), ...splitTokens(text), ...splitTokens(text.replaceAll(/\\[abefnrtv]/g, " "))];
}

function tokenizeUnquoted(text: string): readonly string[] {
  return splitTokens(text.replaceAll(/\\\n|\$(?=['"])|['"\\]/g, ""));
}

function splitTokens(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[\s;&|()<>{}[\]"'`$=,:!?*#%^~@\\]+/)
    .map((token) => token.slice(token.lastIndexOf("/") + 1));
}
