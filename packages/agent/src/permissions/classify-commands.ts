/** Classifies commands: those that act on a remote service, and those that are harmless with any arguments. */

import { parseShellLine, type ShellCommand, type ShellWord } from "@pith/context/host";
import { gitRunsInlineCode, withoutGitOptions } from "./git-commands.ts";
import { programName, runsWrittenFile, setsProgramVariables, WRAPPERS } from "./indirect-commands.ts";
import { isInlineCodeRunner, runsInlineCode } from "./inline-code.ts";
import { closestMatch, type RuleMatch } from "./match-command.ts";
import type { Rule } from "./rules.ts";
import { isKnownProgram, mayRunUnknownProgram, neverRunsOthers } from "./unknown-words.ts";

/** Whether a line changes something that others see, such as `git push`, `npm publish` or `ssh`. `maybe`: only the shell knows. */
export function actsOnRemote(line: string): RuleMatch {
  return lineActsOnRemote(line, 0);
}

function lineActsOnRemote(line: string, depth: number): RuleMatch {
  const commands = parseShellLine(line)?.commands;
  if (commands === undefined || depth > MAX_DEPTH) return "maybe";
  const match = closestMatch(commands.map((command) => commandActsOnRemote(command, depth)));
  if (match !== "no") return match;
  const hidesCommands =
    setsProgramVariables(commands, line) ||
    runsWrittenFile(commands) ||
    (commands.length > 1 && commands.some(({ words }) => makesProgram(words) || readsCode(words)));
  return hidesCommands && namesRemoteCommand(line) ? "maybe" : "no";
}

/** Whether a command makes a program that another command of the line may run: a link or copy, an executable file, a compiled program. */
function makesProgram(words: readonly ShellWord[]): boolean {
  const name = programName(words[0]) ?? "";
  if (name === "chmod") return words.some((word) => /^\w*\+\w*x|^\d*[1357]\d*$/.test(word ?? ""));
  return LINKING_PROGRAMS.has(name) || words.some((word) => /^(?:-o|--output)(?:$|=)/.test(word ?? ""));
}

const LINKING_PROGRAMS: ReadonlySet<string> = new Set(["ln", "cp", "mv", "install"]);

/** Whether an interpreter gets its code from the command before it: `echo … | node -`. */
function readsCode([program, ...args]: readonly ShellWord[]): boolean {
  const name = programName(program) ?? "";
  return isInlineCodeRunner(name) && args.every((word) => word?.startsWith("-"));
}

function commandActsOnRemote(command: ShellCommand, depth: number): RuleMatch {
  const { words, heredocBodies } = command;
  if (words.length === 0 || isHarmless(words)) return "no";
  const starts = findStarts(words);
  if (starts.some((start) => programActsOnRemote(words.slice(start)))) return "yes";
  const isUnknownGit = programName(words[0]) === "git" && gitRunsInlineCode(words.slice(1));
  if (isUnknownGit || mayRunUnknownProgram(command)) return "maybe";
  return closestMatch(starts.map((start) => codeActsOnRemote(words.slice(start), { heredocBodies, depth })));
}

const MAX_DEPTH = 3;

function isHarmless(words: readonly ShellWord[]): boolean {
  const runsOthers = !neverRunsOthers(words) || runsInlineCode(programName(words[0]) ?? "", words.slice(1));
  return !runsOthers || words.slice(1).some((word) => word === "--version" || word === "--help");
}

/** Where a command may begin. Only a wrapper knows which of its words starts the command, so each is tried. */
function findStarts(words: readonly ShellWord[]): readonly number[] {
  const name = programName(words[0]) ?? "";
  const indexes = words.map((_, index) => index);
  if (WRAPPERS.has(name) || !isKnownProgram(name)) return indexes;
  const runIndex = words.findIndex((word) => RUN_WORD.test(word ?? ""));
  return indexes.filter((index) => index === 0 || (runIndex !== -1 && index > runIndex));
}

/** `npm exec -- git push`, `uv run git push`, `cmake -E env git push` */
const RUN_WORD = /^(?:--|-c|-E|exec|run|dlx|x)$/;

interface CodeOptions {
  readonly heredocBodies: readonly ShellWord[];
  readonly depth: number;
}

/** Whether code in the arguments or here-documents of an interpreter acts on a remote service. */
function codeActsOnRemote(words: readonly ShellWord[], { heredocBodies, depth }: CodeOptions): RuleMatch {
  const name = programName(words[0]) ?? "";
  const args = words.slice(1);
  if (!runsInlineCode(name, args)) return "no";
  const texts = [...args, ...heredocBodies].filter((text) => text !== null);
  if (!SHELLS.has(name) && name !== "eval") return texts.some(namesRemoteProgram) ? "maybe" : "no";
  // A script on standard input is unknown.
  const readsInput = heredocBodies.length === 0 && !args.some((word) => /^-\w*c$/.test(word ?? ""));
  if (name !== "eval" && readsInput) return "maybe";
  const lines = name === "eval" ? [texts.join(" ")] : texts.filter((text) => !text.startsWith("-"));
  return closestMatch(lines.map((line) => lineActsOnRemote(line, depth + 1)));
}

/** Whether code in another language names a program that can act on a remote. Its subcommand may be put together at run time. */
function namesRemoteProgram(text: string): boolean {
  return splitTokens(text).some((token) => REMOTE_PROGRAMS.has(token) || REMOTE_SUBCOMMANDS.has(token));
}

/** Whether a text names a program and one of its subcommands, as in `run(["git", "push"])`, with any words between them. */
function namesRemoteCommand(text: string): boolean {
  const tokens = splitTokens(text);
  return tokens.some((token) => {
    if (programActsOnRemote([token])) return true;
    const pattern = REMOTE_SUBCOMMANDS.get(token);
    return pattern !== undefined && tokens.some((each, at) => pattern.test(`${each} ${tokens[at + 1] ?? ""}`));
  });
}

function splitTokens(text: string): readonly string[] {
  return text.replaceAll(/\\[abefnrtv]/g, " ").split(/[^\w-]+/);
}

function programActsOnRemote(words: readonly ShellWord[]): boolean {
  const program = programName(words[0]);
  if (program === null) return false;
  // `/usr/lib/git-core/git-push` is `git push`.
  const [name = "", ...attached] = program.startsWith("git-") ? ["git", program.slice(4)] : [program];
  const args = [...attached, ...words.slice(1)];
  if (REMOTE_PROGRAMS.has(name)) return true;
  if (name === "rsync") return args.some((word) => word !== null && REMOTE_PATH.test(word));
  const pattern = REMOTE_SUBCOMMANDS.get(name);
  return (
    pattern !== undefined &&
    findSubcommands(withoutGitOptions([name, ...args])).some((subcommand) => pattern.test(subcommand))
  );
}

/** The subcommand with the word after it. After a leading option, the next words are candidates too, because the option may take a value. */
function findSubcommands(words: readonly ShellWord[]): readonly string[] {
  const args = words.slice(1);
  const operands = args.filter((word): word is string => word !== null && !OPTION.test(word));
  const pairs = operands.map((word, index) => `${word} ${operands[index + 1] ?? ""}`);
  return pairs.slice(0, OPTION.test(args[0] ?? "") ? 3 : 1);
}

/** `+nightly` selects a cargo toolchain. */
const OPTION = /^[-+]/;

const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "zsh", "dash", "ksh", "ash"]);

/** Programs whose main purpose is a remote service. */
const REMOTE_PROGRAMS: ReadonlySet<string> = new Set([
  ...["ssh", "scp", "sftp", "mosh", "gh", "glab", "kubectl", "oc", "aws", "gcloud", "az", "doctl"],
  ...["fly", "flyctl", "vercel", "netlify", "heroku", "wrangler", "firebase"],
]);

/** `host:path` or an rsync URL. */
const REMOTE_PATH = /^(?:[^/:]+:|rsync:\/\/)/;

/** The subcommands of each program that act on a remote service. */
const REMOTE_SUBCOMMANDS: ReadonlyMap<string, RegExp> = new Map([
  ...subcommandsFor(
    ["git"],
    "push|send-email|request-pull|send-pack|http-push|lfs push|subtree push|svn dcommit|p4 submit",
  ),
  ...subcommandsFor(["hg"], "push|email"),
  ...subcommandsFor(["npm", "pnpm", "bun"], "publish|unpublish|deprecate|dist-tag"),
  ...subcommandsFor(["yarn"], "publish|npm publish"),
  ...subcommandsFor(["cargo"], "publish|yank|owner"),
  ...subcommandsFor(["twine"], "upload"),
  ...subcommandsFor(["poetry", "uv", "hatch", "flit", "pdm"], "publish"),
  ...subcommandsFor(["gem"], "push|yank"),
  ...subcommandsFor(["docker", "podman", "buildah"], "push|image push|compose push|manifest push"),
  ...subcommandsFor(["helm"], "push|install|upgrade|uninstall"),
  ...subcommandsFor(["terraform", "tofu"], "apply|destroy"),
  ...subcommandsFor(["pulumi"], "up|update|destroy"),
  ...subcommandsFor(["mvn"], "deploy"),
]);

function subcommandsFor(programs: readonly string[], subcommands: string): readonly (readonly [string, RegExp])[] {
  return programs.map((program) => [program, new RegExp(`^(?:${subcommands})(?: |$)`)]);
}

/**
 * Commands that are harmless with any arguments: no option or argument writes a file, runs a program, sends data or changes the working
 * directory. Not in these lists: `sort` (`-o`), `uniq` (a second file), `tree` (`-o`), `date` (`-s`), `file` (`-C`, `-z`), `diff` (`-l`
 * runs pr), `find`, `rg` (`--pre`), `less`, `printf` (`-v`), `cd`, and `git log`, `git diff`, `git show` and `git blame` (`--output`).
 * `harmless-commands.test.ts` runs each command with every known escape of its kind.
 */
const NAME_COMMANDS: readonly string[] = [
  ...["ls", "pwd", "stat", "echo", "basename", "dirname", "realpath", "readlink"],
  ...["which", "uname", "whoami", "id", "nproc"],
  ...["git status", "git ls-files", "git rev-parse"],
];

/** Commands that show file contents. They are harmless only in a sandbox, which hides the user's keys. */
const FILE_READING_COMMANDS: readonly string[] = ["cat", "head", "tail", "wc", "du", "grep", "cut", "nl", "tac"];

export interface HarmlessOptions {
  /** Whether the command runs in a sandbox, which hides files with secrets. */
  readonly isConfined: boolean;
}

/** The prefix of the command that can be allowed with any arguments, such as `git status`; null if there is none. */
export function harmlessPrefix(words: readonly string[], { isConfined }: HarmlessOptions): string | null {
  const prefixes = isConfined ? [...NAME_COMMANDS, ...FILE_READING_COMMANDS] : NAME_COMMANDS;
  return prefixes.find((prefix) => prefix.split(" ").every((word, index) => words[index] === word)) ?? null;
}

/** False for a prefix rule that would allow more than harmless commands. */
export function isHarmlessRule({ pattern }: Rule): boolean {
  if (pattern?.type !== "command" || !pattern.isPrefix) return true;
  return harmlessPrefix(pattern.words ?? [], { isConfined: true }) !== null;
}

/** All prefixes that a question can offer. */
export const HARMLESS_PREFIXES: readonly string[] = [...NAME_COMMANDS, ...FILE_READING_COMMANDS];
