/** Matches the words of a rule against a shell line: for certain, to allow; as far as it could be, to deny or to ask. */

import { parseShellLine, type ShellCommand, type ShellWord } from "@pith/context/host";
import { withoutGitOptions } from "./git-commands.ts";
import { isInterpreter, mayRunInlineCode, runsInlineCode } from "./inline-code.ts";
import { setsProgramVariables } from "./shell-variables.ts";
import { mayFollowOptions, nestedCommands, programName } from "./wrapper-programs.ts";

type ShellLine = NonNullable<ReturnType<typeof parseShellLine>>;

/** `unsure`: only a shell, or the tool itself, could tell. */
export type RuleMatch = "fits" | "unsure" | "not";

export function closestMatch(matches: readonly RuleMatch[]): RuleMatch {
  return (["fits", "unsure"] as const).find((match) => matches.includes(match)) ?? "not";
}

export interface RuleCommand {
  /** Null where the rule is more than one simple command. */
  readonly words: readonly string[] | null;
  /** More words may follow. */
  readonly isPrefix: boolean;
}

/** Whether each command of the line is plain and wanted; a line that is not plainly readable is neither. */
export function allCommandsMatch(ruleCommands: readonly RuleCommand[], line: string): boolean {
  const commands = line.length > MAX_LINE_CHARS ? [] : (parseShellLine(line)?.commands ?? []);
  if (commands.length === 0) return false;
  return commands.every((command) => {
    const words = plainWords(command);
    // PERM36: a rule on `psql` as it stands does not allow what is piped into it.
    const applicable =
      command.operator.startsWith("|") && command.operator !== "||"
        ? ruleCommands.filter(({ isPrefix }) => isPrefix)
        : ruleCommands;
    return (
      words !== null &&
      applicable.some((ruleCommand) => matchWords(ruleCommand, words) === "fits" && !opensManual(ruleCommand, words))
    );
  });
}

/** `git status --help` runs man, which runs a pager: more than a rule on `git status:*` permits. */
function opensManual({ words: ruleWords }: RuleCommand, words: readonly string[]): boolean {
  return programName(words[0]) === "git" && words.includes("--help") && !ruleWords?.includes("--help");
}

/** The words of a line that is one plain command; null where it is anything more. */
export function simpleCommandWords(line: string): readonly string[] | null {
  const [command, ...more] = parseShellLine(line)?.commands ?? [];
  return command === undefined || more.length > 0 ? null : plainWords(command);
}

function plainWords({ words, isPlain }: ShellCommand): readonly string[] | null {
  const knownWords = words.filter((word) => word !== null);
  return isPlain && knownWords.length > 0 && knownWords.length === words.length ? knownWords : null;
}

/** How near a line comes to running the wanted command. */
export function matchCommandLine(ruleCommand: RuleCommand, line: string): RuleMatch {
  const parsed = line.length > MAX_LINE_CHARS ? null : parseShellLine(line);
  if (parsed === null) return "unsure";
  const match = closestMatch(parsed.commands.map((command) => matchLoosely(ruleCommand, command)));
  if (match !== "not") return match;
  return hidesCommands(parsed, line) || mentionsProgram(ruleCommand.words ?? [], parsed, line) ? "unsure" : "not";
}

const MAX_LINE_CHARS = 20_000;

// `/bin/rm` and `sudo rm` are an `rm` to whoever denies it.
function matchLoosely(ruleCommand: RuleCommand, { words, knownPrefixes }: ShellCommand): RuleMatch {
  if (words.length === 0) return "not";
  const match = closestMatch(nestedCommands(words).map((each) => matchByName(ruleCommand, each)));
  if (match !== "not" || !words.includes(null)) return match;
  // `--exec=$X` is the option, whatever its value.
  const options = words.map(
    (word, index) => word ?? (isOption(knownPrefixes[index] ?? "") ? `${knownPrefixes[index]}$` : null),
  );
  return nestedCommands(options).some(([name, ...rest]) => runsInlineCode(programName(name) ?? "", rest))
    ? "unsure"
    : "not";
}

function isOption(prefix: string): boolean {
  return /^[-+].|^[\w.-]+=/.test(prefix);
}

function matchByName(ruleCommand: RuleCommand, words: readonly ShellWord[]): RuleMatch {
  const name = programName(words[0]);
  const namedWords = [name, ...words.slice(1)];
  const match = closestMatch(
    [words, namedWords, withoutGitOptions(namedWords)].map((each) => matchWords(ruleCommand, each)),
  );
  if (match !== "not" || name === null) return match;
  return runsInlineCode(name, words.slice(1)) || mayFollowOptions(namedWords, ruleCommand.words ?? [])
    ? "unsure"
    : "not";
}

function matchWords({ words: ruleWords, isPrefix }: RuleCommand, words: readonly ShellWord[]): RuleMatch {
  if (ruleWords === null) return "not";
  const mismatchIndex = words.findIndex((word, index) => word === null || word !== ruleWords[index]);
  if (mismatchIndex < 0) return words.length === ruleWords.length ? "fits" : "not";
  if (isPrefix && mismatchIndex >= ruleWords.length) return "fits";
  // A word that is open may become any words, or none.
  const word = words[mismatchIndex];
  return word == null || isAbbreviation(word, { whole: ruleWords[mismatchIndex], index: mismatchIndex })
    ? "unsure"
    : "not";
}

/** Programs know some subcommands and most long options by their beginnings. */
function isAbbreviation(
  word: string,
  { whole = "", index }: { readonly whole: string | undefined; readonly index: number },
): boolean {
  if (index === 0 || word === "" || word === whole || !whole.startsWith(word)) return false;
  return word.startsWith("-") ? /^--./.test(word) : true;
}

/** Whether something in the line could run a command that is not to be seen in it. */
function hidesCommands({ commands }: ShellLine, line: string): boolean {
  return (
    setsProgramVariables(commands, line) ||
    setsOptionVariable(commands) ||
    runsWrittenFile(commands) ||
    (ARITHMETIC.test(line) && SUBSCRIPT.test(line))
  );
}

/** A variable that holds an option, and a command that may get it. */
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
/** Computed, a variable that holds `a[$(rm x)]` runs it. */
const SUBSCRIPT = /[\w'"\\]\[[^\]]*[$`]/;

/** Whether it runs a file that it has written itself: what is in there is not known. */
function runsWrittenFile(commands: readonly ShellCommand[]): boolean {
  const paths = commands.flatMap(writtenPaths);
  const mayWriteAnyPath = commands.some(writesAnyPath) || (paths.some(isCodePath) && commands.some(containsCode));
  if ((paths.length === 0 && !mayWriteAnyPath) || commands.length === 1) return false;
  const names = new Set(paths.flatMap((path) => [fileStem(path), ...path.split("/").slice(0, -1)]));
  const writesTestFile = paths.some((path) => FOUND_BY_TESTS.test(path));
  const innerCommands = commands.flatMap(({ words }) => nestedCommands(words));
  return (
    paths.some((path) => RUN_BY_OTHER_PROGRAMS.test(path)) ||
    innerCommands.some((innerCommand) => runsFile(innerCommand, names) || usesWrittenGitDir(innerCommand, paths)) ||
    (writesTestFile && innerCommands.some(runsTests)) ||
    (mayWriteAnyPath && innerCommands.some(runsAnyFile))
  );
}

function runsFile([program, ...words]: readonly ShellWord[], writtenNames: ReadonlySet<string>): boolean {
  const name = programName(program) ?? "";
  if (program?.includes("/") && writtenNames.has(fileStem(name))) return true;
  return isInterpreter(name) && words.some((word) => word !== null && namesFile(word, writtenNames));
}

/** Also as the value of an option: `-fa.mk`, `-ma`. */
function namesFile(word: string, writtenNames: ReadonlySet<string>): boolean {
  const attached = /^-[a-zA-Z]+/.test(word) ? [1, 2, 3].map((index) => word.slice(index + 1)) : [];
  return (
    word === "." || [word, ...attached].some((candidate) => candidate !== "" && writtenNames.has(fileStem(candidate)))
  );
}

/** Interpreters find `a.js` by `a`, `a.py` by `-ma` and `p/index.js` by `p/`. */
function fileStem(path: string): string {
  const name = programName(path.replace(/^--?[\w-]+=/, "").replace(/\/+$/, "")) ?? "";
  return name.replace(/\.\w+$/, "").replace(/^-m/, "");
}

/** A folder that git takes for a repository has settings, and settings name programs. */
function usesWrittenGitDir([program, ...words]: readonly ShellWord[], paths: readonly string[]): boolean {
  return programName(program) === "git" && paths.length > 0 && words.some((word) => /^--git-dir/.test(word ?? ""));
}

/** Some test runners look for their files themselves. */
function runsTests([program, ...words]: readonly ShellWord[]): boolean {
  const name = programName(program) ?? "";
  if (TEST_RUNNERS.test(name)) return true;
  return isInterpreter(name) && words.some((word) => TEST_WORDS.test(word ?? ""));
}

const TEST_RUNNERS =
  /^(?:py\.?test(?:-?[\d.]+)?|nose\d*|nosetests|tox|nox|vitest|jest|mocha|ava|tap|c8|nyc|rspec|prove|bats|phpunit)$/;
const TEST_WORDS = /^(?:--test|test|-m(?:unittest|pytest)|unittest|pytest|discover)$/;
const FOUND_BY_TESTS =
  /(?:^|\/)(?:tests?|__tests__|specs?)\/|(?:^|[/._-])(?:test|spec)s?[._-][^/]*$|[._-](?:test|spec)\.\w+$|(?:^|\/)test\.\w+$/;

/** It runs a file, whatever its name. */
function runsAnyFile(words: readonly ShellWord[]): boolean {
  const [program, ...rest] = words;
  const name = programName(program) ?? "";
  if (runsTests(words) || /^\.{0,2}\//.test(program ?? "") || /^(?:npx|bunx|pnpx)$/.test(name)) return true;
  return isInterpreter(name) && !name.endsWith("awk") && rest.some((word) => !/^-/.test(word ?? ""));
}

/** A file that a script may load, whatever the script is. */
function isCodePath(path: string): boolean {
  return /(?:^|\/)[^./]+$|\.(?:sh|bash|zsh|[cm]?[jt]sx?|py|pth|rb|p[lm]|php|lua|r|jl|mk)$/i.test(path);
}

/** Whether a text of it, or one that is open, would run a program as code. */
function containsCode({ words, heredocBodies }: ShellCommand): boolean {
  return [...words.slice(1), ...heredocBodies].some((text) => text === null || PROGRAM_START.test(text));
}

const PROGRAM_START = /[`$]\(|\$\{|\$[A-Z]|`|system|exec|spawn|popen|subprocess|child_process|fork/i;

/** Whether it writes files whose names it makes up or reads from its input. */
function writesAnyPath({ words, outputPaths }: ShellCommand): boolean {
  const isUnknownWriter = (innerCommand: readonly ShellWord[]) =>
    WRITERS.has(programName(innerCommand[0]) ?? "") && innerCommand.includes(null);
  return (
    outputPaths.includes(null) ||
    nestedCommands(words).some((innerCommand) => choosesFileNames(innerCommand) || isUnknownWriter(innerCommand))
  );
}

function choosesFileNames([program, ...rest]: readonly ShellWord[]): boolean {
  const name = programName(program) ?? "";
  const has = (pattern: RegExp) => rest.some((word) => word === null || pattern.test(word));
  if (NAME_CHOOSING_WRITERS.has(name)) return !has(/^(?:-\w*[ctl]|--stdout|--to-stdout|--test|--list|--dry-run)$/);
  if (name === "git") return has(/^(?:apply|am)$/) && !has(/^--(?:check|stat|numstat|summary)$/);
  if (name === "tar" || name === "bsdtar") return has(/^-?[a-zA-Z]*x|^--extract|^--get$/);
  // `print > ("a" "b")`, where a name in quotes is known.
  return name.endsWith("awk") && has(/\bprintf?\b[^;}\n]*>\s*(?:[^"\s\d]|"[^"]*"\s*[^\s;}])/);
}

/** Most of them only show what they would write with `-c`, `-t` or `-l`. */
const NAME_CHOOSING_WRITERS: ReadonlySet<string> = new Set([
  ...["patch", "gunzip", "unxz", "bunzip2", "unzstd", "unlz4", "uncompress", "unlzma", "lzip", "gzip", "xz", "bzip2"],
  ...["zstd", "unzip", "7z", "7za", "7zz", "cpio", "pax", "uudecode", "unar", "unrar", "shar"],
  ...["split", "csplit", "bsplit"],
]);

function writtenPaths({ words, outputPaths }: ShellCommand): readonly string[] {
  const [program, ...rest] = words;
  const name = programName(program) ?? "";
  const isWriter = WRITERS.has(name) || (name === "sed" && rest.some((word) => /^-\w*i|^--in/.test(word ?? "")));
  const operands = isWriter ? rest.map((word) => word?.replace(/^(?:of=|-o|--[a-z-]+=)/, "") ?? null) : [];
  // `print > "file"`, what git is told to write, and what a compiler names by itself.
  const awkPaths = name.endsWith("awk") ? rest.flatMap((word) => word?.match(/(?<=")[^"]+(?=")/g) ?? []) : [];
  const outputOptionPaths = rest.flatMap((word, index) => {
    const [whole, value = rest[index + 1] ?? null] = /^--output(?:=(.+))?$/s.exec(word ?? "") ?? [];
    return whole === undefined ? [] : [value];
  });
  const paths = [...operands, ...awkPaths, ...(COMPILERS.has(name) ? ["a.out"] : [])];
  return [
    ...[...outputPaths, ...outputOptionPaths].filter((path) => path !== null && path !== "" && !DEVICE_PATH.test(path)),
    ...paths.filter((path) => path !== null && !/^(?:-.*|\d{1,3}|)$/s.test(path) && !DEVICE_PATH.test(path)),
  ].filter((path) => path !== null);
}

/** Below /dev there are folders for files too. */
const DEVICE_PATH = /^\/dev\/(?!shm\/|mqueue\/)/;

const COMPILERS: ReadonlySet<string> = new Set(["gcc", "cc", "clang", "g++", "c++", "clang++", "rustc", "go"]);
const WRITERS: ReadonlySet<string> = new Set([
  ...COMPILERS,
  ...["cp", "mv", "ln", "link", "install", "tee", "dd", "curl", "wget", "rsync", "scp", "sponge", "patch", "truncate"],
  ...["find", "sort", "uniq", "shuf", "split", "csplit", "script", "strace", "openssl", "gpg", "xxd", "uudecode"],
  ...["mkfifo", "ed", "zip", "unzip", "tar", "cpio", "ar", "objcopy", "iconv", "base64"],
]);
/** Files that other programs find and run by themselves. */
const RUN_BY_OTHER_PROGRAMS =
  /(?:^|\/)(?:(?:GNU)?[Mm]akefile|[Jj]ustfile|Taskfile\.ya?ml|Rakefile|Gemfile|CMakeLists\.txt|build\.(?:xml|rs)|Cargo\.toml|package\.json|(?:conftest|setup|(?:site|user)customize)\.py|[\w.-]+\.config\.[cm]?[jt]s|hooks\/[\w-]+|config|node_modules\/.+|\.(?:bash\w*|profile|z\w+|gitconfig|gitattributes|npmrc|inputrc|vimrc|lesskey|envrc|git\/.+|cargo\/.+))$/;

/**
 * Whether the wanted program is named anywhere else than as a program that was looked at already: as an argument, in quotes, in a
 * here-document. Of a rule with several words, all have to be there.
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

/** All that a command says beside its program, as a shell would take it. */
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

/** The words of a loop or of a part that was left to the shell are no words of a command. */
function isNamedElsewhere(program: string, commands: readonly ShellCommand[], line: string): boolean {
  const calls = commands.filter(({ words }) => programName(words[0])?.toLowerCase() === program);
  return tokenizeUnquoted(line).filter((token) => token === program).length > calls.length;
}

/** Whole words and last path components: with quotes and backslashes taken out, as a second shell would take them out, and without. */
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
