/** Matches the words of a rule against a shell line: for certain, to allow; as far as it could be, to deny or to ask. */

import { parseShellLine, type ShellCommand, type ShellWord } from "@pith/context/host";
import { withoutOptions } from "./git-commands.ts";
import { isInterpreter, mayRunText, runsText } from "./hidden-commands.ts";
import { commandsIn, mayComeLater, programName } from "./shell-programs.ts";
import { setsPrograms } from "./shell-settings.ts";

type ShellLine = NonNullable<ReturnType<typeof parseShellLine>>;

/** `unsure`: only a shell, or the tool itself, could tell. */
export type Fit = "fits" | "unsure" | "not";

export function nearest(fits: readonly Fit[]): Fit {
  return (["fits", "unsure"] as const).find((fit) => fits.includes(fit)) ?? "not";
}

export interface WantedCommand {
  /** Null where the rule is more than one simple command. */
  readonly words: readonly string[] | null;
  /** More words may follow. */
  readonly isBeginning: boolean;
}

/** Whether each command of the line is plain and wanted; a line that is not plainly readable is neither. */
export function isEachWanted(wanted: readonly WantedCommand[], line: string): boolean {
  const commands = line.length > LONGEST ? [] : (parseShellLine(line)?.commands ?? []);
  if (commands.length === 0) return false;
  return commands.every((command) => {
    const words = plainWords(command);
    // PERM36: a rule on `psql` as it stands does not allow what is piped into it.
    const counting =
      command.operator.startsWith("|") && command.operator !== "||"
        ? wanted.filter(({ isBeginning }) => isBeginning)
        : wanted;
    return words !== null && counting.some((each) => fitWords(each, words) === "fits" && !opensManual(each, words));
  });
}

/** `git status --help` runs man, which runs a pager: more than a rule on `git status:*` permits. */
function opensManual({ words: wanted }: WantedCommand, words: readonly string[]): boolean {
  return programName(words[0]) === "git" && words.includes("--help") && !wanted?.includes("--help");
}

/** The words of a line that is one plain command; null where it is anything more. */
export function simpleWords(line: string): readonly string[] | null {
  const [command, ...more] = parseShellLine(line)?.commands ?? [];
  return command === undefined || more.length > 0 ? null : plainWords(command);
}

function plainWords({ words, isPlain }: ShellCommand): readonly string[] | null {
  const known = words.filter((word) => word !== null);
  return isPlain && known.length > 0 && known.length === words.length ? known : null;
}

/** How near a line comes to running the wanted command. */
export function couldRun(wanted: WantedCommand, line: string): Fit {
  const parsed = line.length > LONGEST ? null : parseShellLine(line);
  if (parsed === null) return "unsure";
  const fit = nearest(parsed.commands.map((command) => looseFit(wanted, command)));
  if (fit !== "not") return fit;
  return hidesCommands(parsed, line) || mentions(wanted.words ?? [], parsed, line) ? "unsure" : "not";
}

const LONGEST = 20_000;

// `/bin/rm` and `sudo rm` are an `rm` to whoever denies it.
function looseFit(wanted: WantedCommand, { words, knownPrefixes: beginnings }: ShellCommand): Fit {
  if (words.length === 0) return "not";
  const fit = nearest(commandsIn(words).map((each) => fitByName(wanted, each)));
  if (fit !== "not" || !words.includes(null)) return fit;
  // `--exec=$X` is the option, whatever its value.
  const options = words.map((word, at) => word ?? (isOption(beginnings[at] ?? "") ? `${beginnings[at]}$` : null));
  return commandsIn(options).some(([name, ...rest]) => runsText(programName(name) ?? "", rest)) ? "unsure" : "not";
}

function isOption(beginning: string): boolean {
  return /^[-+].|^[\w.-]+=/.test(beginning);
}

function fitByName(wanted: WantedCommand, words: readonly ShellWord[]): Fit {
  const name = programName(words[0]);
  const named = [name, ...words.slice(1)];
  const fit = nearest([words, named, withoutOptions(named)].map((each) => fitWords(wanted, each)));
  if (fit !== "not" || name === null) return fit;
  return runsText(name, words.slice(1)) || mayComeLater(named, wanted.words ?? []) ? "unsure" : "not";
}

function fitWords({ words: wanted, isBeginning }: WantedCommand, words: readonly ShellWord[]): Fit {
  if (wanted === null) return "not";
  const other = words.findIndex((word, at) => word === null || word !== wanted[at]);
  if (other < 0) return words.length === wanted.length ? "fits" : "not";
  if (isBeginning && other >= wanted.length) return "fits";
  // A word that is open may become any words, or none.
  const word = words[other];
  return word == null || isAbbreviation(word, { of: wanted[other], at: other }) ? "unsure" : "not";
}

/** Programs know some subcommands and most long options by their beginnings. */
function isAbbreviation(
  word: string,
  { of: whole = "", at }: { readonly of: string | undefined; readonly at: number },
): boolean {
  if (at === 0 || word === "" || word === whole || !whole.startsWith(word)) return false;
  return word.startsWith("-") ? /^--./.test(word) : true;
}

/** Whether something in the line could run a command that is not to be seen in it. */
function hidesCommands({ commands }: ShellLine, line: string): boolean {
  return (
    setsPrograms(commands, line) ||
    setsOption(commands) ||
    runsOwnFile(commands) ||
    (COMPUTING.test(line) && SUBSCRIPT.test(line))
  );
}

/** A variable that holds an option, and a command that may get it. */
function setsOption(commands: readonly ShellCommand[]): boolean {
  const isSet = commands.some(({ assignments: settings }) =>
    settings.some(({ value }) => /(?:^|\s)-/.test(value ?? "")),
  );
  return isSet && commands.some(({ words }) => words.includes(null) && mayRunText(programName(words[0]) ?? ""));
}

const COMPUTING = /\$\(\(|\[\[|\$\{\w+:/;
/** Computed, a variable that holds `a[$(rm x)]` runs it. */
const SUBSCRIPT = /[\w'"\\]\[[^\]]*[$`]/;

/** Whether it runs a file that it has written itself: what is in there is not known. */
function runsOwnFile(commands: readonly ShellCommand[]): boolean {
  const paths = commands.flatMap(writtenPaths);
  const isAnyPath = commands.some(writesAnyPath) || (paths.some(isCode) && commands.some(holdsCode));
  if ((paths.length === 0 && !isAnyPath) || commands.length === 1) return false;
  const names = new Set(paths.flatMap((path) => [stem(path), ...path.split("/").slice(0, -1)]));
  const isTest = paths.some((path) => FOUND_BY_TESTS.test(path));
  const inner = commands.flatMap(({ words }) => commandsIn(words));
  return (
    paths.some((path) => RUN_BY_OTHERS.test(path)) ||
    inner.some((each) => runsFile(each, names) || usesFolderOfGit(each, paths)) ||
    (isTest && inner.some(runsTests)) ||
    (isAnyPath && inner.some(runsAnyFile))
  );
}

function runsFile([program, ...words]: readonly ShellWord[], written: ReadonlySet<string>): boolean {
  const name = programName(program) ?? "";
  if (program?.includes("/") && written.has(stem(name))) return true;
  return isInterpreter(name) && words.some((word) => word !== null && namesFile(word, written));
}

/** Also as the value of an option: `-fa.mk`, `-ma`. */
function namesFile(word: string, written: ReadonlySet<string>): boolean {
  const attached = /^-[a-zA-Z]+/.test(word) ? [1, 2, 3].map((at) => word.slice(at + 1)) : [];
  return word === "." || [word, ...attached].some((each) => each !== "" && written.has(stem(each)));
}

/** Interpreters find `a.js` by `a`, `a.py` by `-ma` and `p/index.js` by `p/`. */
function stem(path: string): string {
  const name = programName(path.replace(/^--?[\w-]+=/, "").replace(/\/+$/, "")) ?? "";
  return name.replace(/\.\w+$/, "").replace(/^-m/, "");
}

/** A folder that git takes for a repository has settings, and settings name programs. */
function usesFolderOfGit([program, ...words]: readonly ShellWord[], written: readonly string[]): boolean {
  return programName(program) === "git" && written.length > 0 && words.some((word) => /^--git-dir/.test(word ?? ""));
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
function isCode(path: string): boolean {
  return /(?:^|\/)[^./]+$|\.(?:sh|bash|zsh|[cm]?[jt]sx?|py|pth|rb|p[lm]|php|lua|r|jl|mk)$/i.test(path);
}

/** Whether a text of it, or one that is open, would run a program as code. */
function holdsCode({ words, heredocBodies: inputs }: ShellCommand): boolean {
  return [...words.slice(1), ...inputs].some((text) => text === null || STARTING.test(text));
}

const STARTING = /[`$]\(|\$\{|\$[A-Z]|`|system|exec|spawn|popen|subprocess|child_process|fork/i;

/** Whether it writes files whose names it makes up or reads from its input. */
function writesAnyPath({ words, outputPaths: writesTo }: ShellCommand): boolean {
  const isOpenWriter = (each: readonly ShellWord[]) => WRITERS.has(programName(each[0]) ?? "") && each.includes(null);
  return writesTo.includes(null) || commandsIn(words).some((each) => namesOwnFiles(each) || isOpenWriter(each));
}

function namesOwnFiles([program, ...rest]: readonly ShellWord[]): boolean {
  const name = programName(program) ?? "";
  const has = (pattern: RegExp) => rest.some((word) => word === null || pattern.test(word));
  if (NAMING_WRITERS.has(name)) return !has(/^(?:-\w*[ctl]|--stdout|--to-stdout|--test|--list|--dry-run)$/);
  if (name === "git") return has(/^(?:apply|am)$/) && !has(/^--(?:check|stat|numstat|summary)$/);
  if (name === "tar" || name === "bsdtar") return has(/^-?[a-zA-Z]*x|^--extract|^--get$/);
  // `print > ("a" "b")`, where a name in quotes is known.
  return name.endsWith("awk") && has(/\bprintf?\b[^;}\n]*>\s*(?:[^"\s\d]|"[^"]*"\s*[^\s;}])/);
}

/** Most of them only show what they would write with `-c`, `-t` or `-l`. */
const NAMING_WRITERS: ReadonlySet<string> = new Set([
  ...["patch", "gunzip", "unxz", "bunzip2", "unzstd", "unlz4", "uncompress", "unlzma", "lzip", "gzip", "xz", "bzip2"],
  ...["zstd", "unzip", "7z", "7za", "7zz", "cpio", "pax", "uudecode", "unar", "unrar", "shar"],
  ...["split", "csplit", "bsplit"],
]);

function writtenPaths({ words, outputPaths: writesTo }: ShellCommand): readonly string[] {
  const [program, ...rest] = words;
  const name = programName(program) ?? "";
  const isWriter = WRITERS.has(name) || (name === "sed" && rest.some((word) => /^-\w*i|^--in/.test(word ?? "")));
  const operands = isWriter ? rest.map((word) => word?.replace(/^(?:of=|-o|--[a-z-]+=)/, "") ?? null) : [];
  // `print > "file"`, what git is told to write, and what a compiler names by itself.
  const inside = name.endsWith("awk") ? rest.flatMap((word) => word?.match(/(?<=")[^"]+(?=")/g) ?? []) : [];
  const output = rest.flatMap((word, at) => {
    const [whole, value = rest[at + 1] ?? null] = /^--output(?:=(.+))?$/s.exec(word ?? "") ?? [];
    return whole === undefined ? [] : [value];
  });
  const paths = [...operands, ...inside, ...(COMPILERS.has(name) ? ["a.out"] : [])];
  return [
    ...[...writesTo, ...output].filter((path) => path !== null && path !== "" && !NO_FILE.test(path)),
    ...paths.filter((path) => path !== null && !/^(?:-.*|\d{1,3}|)$/s.test(path) && !NO_FILE.test(path)),
  ].filter((path) => path !== null);
}

/** Below /dev there are folders for files too. */
const NO_FILE = /^\/dev\/(?!shm\/|mqueue\/)/;

const COMPILERS: ReadonlySet<string> = new Set(["gcc", "cc", "clang", "g++", "c++", "clang++", "rustc", "go"]);
const WRITERS: ReadonlySet<string> = new Set([
  ...COMPILERS,
  ...["cp", "mv", "ln", "link", "install", "tee", "dd", "curl", "wget", "rsync", "scp", "sponge", "patch", "truncate"],
  ...["find", "sort", "uniq", "shuf", "split", "csplit", "script", "strace", "openssl", "gpg", "xxd", "uudecode"],
  ...["mkfifo", "ed", "zip", "unzip", "tar", "cpio", "ar", "objcopy", "iconv", "base64"],
]);
/** Files that other programs find and run by themselves. */
const RUN_BY_OTHERS =
  /(?:^|\/)(?:(?:GNU)?[Mm]akefile|[Jj]ustfile|Taskfile\.ya?ml|Rakefile|Gemfile|CMakeLists\.txt|build\.(?:xml|rs)|Cargo\.toml|package\.json|(?:conftest|setup|(?:site|user)customize)\.py|[\w.-]+\.config\.[cm]?[jt]s|hooks\/[\w-]+|config|node_modules\/.+|\.(?:bash\w*|profile|z\w+|gitconfig|gitattributes|npmrc|inputrc|vimrc|lesskey|envrc|git\/.+|cargo\/.+))$/;

/**
 * Whether the wanted program is named anywhere else than as a program that was looked at already: as an argument, in quotes, in a
 * here-document. Of a rule with several words, all have to be there.
 */
function mentions(wanted: readonly string[], { commands }: ShellLine, line: string): boolean {
  const [program = "", ...more] = wanted.map((word) => word.toLowerCase());
  if (program === "") return false;
  const texts = [line, ...commands.flatMap(hiddenTexts)];
  const tokens = new Set(texts.flatMap((text) => [...tokensIn(text)]));
  if (tokens.has(wanted.join("-"))) return true;
  const isAll = more.every((word) => tokens.has(word));
  return (
    isAll &&
    (commands.flatMap(hiddenTexts).some((text) => tokensIn(text).includes(program)) ||
      isNamedMore(program, commands, line))
  );
}

/** All that a command says beside its program, as a shell would take it. */
function hiddenTexts({
  words,
  assignments: settings,
  heredocBodies: inputs,
  inputPaths: readsFrom,
  outputPaths: writesTo,
}: ShellCommand): readonly string[] {
  const values = settings.map(({ value }) => value);
  return [...words.slice(1), ...values, ...inputs, ...readsFrom, ...writesTo].filter((word) => word !== null);
}

/** The words of a loop or of a part that was left to the shell are no words of a command. */
function isNamedMore(program: string, commands: readonly ShellCommand[], line: string): boolean {
  const runs = commands.filter(({ words }) => programName(words[0])?.toLowerCase() === program);
  return unquotedTokens(line).filter((token) => token === program).length > runs.length;
}

/** Whole words and last path components: with quotes and backslashes taken out, as a second shell would take them out, and without. */
function tokensIn(text: string): readonly string[] {
  return [...unquotedTokens(text), ...split(text), ...split(text.replaceAll(/\\[abefnrtv]/g, " "))];
}

function unquotedTokens(text: string): readonly string[] {
  return split(text.replaceAll(/\\\n|\$(?=['"])|['"\\]/g, ""));
}

function split(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[\s;&|()<>{}[\]"'`$=,:!?*#%^~@\\]+/)
    .map((token) => token.slice(token.lastIndexOf("/") + 1));
}
