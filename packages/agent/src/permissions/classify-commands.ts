/** Classifies commands: those that act on a remote service, and those that are harmless with any arguments. */

import { parseShellLine, type ShellWord } from "@pith/context/host";
import { withoutGitOptions } from "./git-commands.ts";
import { programName, WRAPPERS } from "./indirect-commands.ts";
import type { Rule } from "./rules.ts";

/** Whether a line changes something that others see, such as `git push`, `npm publish` or `ssh`. False if the line cannot be parsed. */
export function actsOnRemote(line: string): boolean {
  return lineActsOnRemote(line, 0);
}

function lineActsOnRemote(line: string, depth: number): boolean {
  return (parseShellLine(line)?.commands ?? []).some(({ words }) => commandActsOnRemote(words, depth));
}

function commandActsOnRemote(words: readonly ShellWord[], depth: number): boolean {
  const name = programName(words[0]);
  if (name === null) return false;
  if (!WRAPPERS.has(name)) return programActsOnRemote(name, words, depth);
  // Only the wrapper knows which of its words starts the command, so each is tried.
  const starts = words.slice(0, MAX_STARTS);
  return starts.some((word, index) => programActsOnRemote(programName(word), words.slice(index), depth));
}

const MAX_STARTS = 50;
const MAX_DEPTH = 3;

function programActsOnRemote(name: string | null, words: readonly ShellWord[], depth: number): boolean {
  if (name === null || words.slice(1).some((word) => word === "--version" || word === "--help")) return false;
  if (REMOTE_PROGRAMS.has(name)) return true;
  if (SHELLS.has(name)) return depth < MAX_DEPTH && innerLines(words).some((line) => lineActsOnRemote(line, depth + 1));
  if (name === "rsync") return words.slice(1).some((word) => word !== null && REMOTE_PATH.test(word));
  const pattern = REMOTE_SUBCOMMANDS.get(name);
  return (
    pattern !== undefined &&
    findSubcommands(withoutGitOptions([name, ...words.slice(1)])).some((subcommand) => pattern.test(subcommand))
  );
}

/** The lines that a shell runs, as in `sh -c "git push"`. */
function innerLines(words: readonly ShellWord[]): readonly string[] {
  return words.flatMap((word, index) =>
    index > 0 && /^-\w*c$/.test(words[index - 1] ?? "") && word !== null ? [word] : [],
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
  return prefixes.find((prefix) => startsWithWords(words, prefix.split(" "))) ?? null;
}

function startsWithWords(words: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((word, index) => words[index] === word);
}

/** False for a prefix rule that would allow more than harmless commands. */
export function isHarmlessRule({ pattern }: Rule): boolean {
  if (pattern?.type !== "command" || !pattern.isPrefix) return true;
  return harmlessPrefix(pattern.words ?? [], { isConfined: true }) !== null;
}

/** All prefixes that a question can offer. */
export const HARMLESS_PREFIXES: readonly string[] = [...NAME_COMMANDS, ...FILE_READING_COMMANDS];
