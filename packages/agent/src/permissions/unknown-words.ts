/** Decides whether a word that only the shell knows could make a command run another program. */

import type { ShellCommand, ShellWord } from "@pith/context/host";
import { isHarmlessGitCommand } from "./git-commands.ts";
import {
  APPENDING_WRAPPERS,
  findCommandStarts,
  findProgramIndex,
  MAX_STARTS,
  programName,
  SIMPLE_WRAPPERS,
  WRAPPERS,
} from "./indirect-commands.ts";
import { isInlineCodeRunner, isInterpreter, mayRunInlineCode, passesWordsOn, runsInlineCode } from "./inline-code.ts";

/**
 * Whether the command could run a program that its words do not name: one of its words is unknown, and its program is not one of those that
 * never run others. A command with too many words to check could, too.
 */
export function mayRunUnknownProgram({ words, knownPrefixes, hasKnownStart }: ShellCommand): boolean {
  if (words.length > MAX_STARTS) return true;
  // A path with a known folder is neither an option nor a subcommand.
  const isFileName = (index: number): boolean =>
    index > 0 && hasKnownStart[index] === true && /^[^-+].*\//.test(knownPrefixes[index] ?? "");
  return mayRun(words.map((word, index) => (word === null && isFileName(index) ? knownPrefixes[index] : word) ?? null));
}

function mayRun(words: readonly ShellWord[]): boolean {
  const name = programName(words[0]);
  // `/proc/self/exe` is the shell itself.
  if (name === null || name.includes("{}") || words[0]?.startsWith("/proc/")) return true;
  if (neverRunsOthers(words)) return false;
  if (passesWordsOn(name)) return words.includes(null) && runsInlineCode(name, words.slice(1));
  if (SIMPLE_WRAPPERS.has(name)) return wrapperMayRun(name, words);
  if (WRAPPERS.has(name)) return otherWrapperMayRun(name, words);
  return (
    words.some(isUnknown) ||
    (!isKnownProgram(name) && words.some((_, index) => index > 0 && startsRunner(words, index)))
  );
}

/** `find` and `xargs` insert what they found in place of `{}`. */
function isUnknown(word: ShellWord): boolean {
  return word === null || word.includes("{}");
}

function wrapperMayRun(name: string, words: readonly ShellWord[]): boolean {
  const program = findProgramIndex(words);
  // Without a certain program, each operand may be one.
  if (program === undefined) return words.some((word, index) => index > 0 && (word === null || !/^[-+]/.test(word)));
  const inner = APPENDING_WRAPPERS.has(name) ? [...words.slice(program), null] : words.slice(program);
  return words.slice(0, program).includes(null) || mayRun(inner);
}

/** Only the wrapper knows where its command begins, so each word that may begin one is tried. */
function otherWrapperMayRun(name: string, words: readonly ShellWord[]): boolean {
  const starts = findCommandStarts(name, words);
  return words.slice(0, starts[0]).includes(null) || starts.some((start) => mayRun(words.slice(start)));
}

/** Whether a command begins at this word of a program that nobody listed, as in `linux64 sh`. */
function startsRunner(words: readonly ShellWord[], index: number): boolean {
  const name = programName(words[index]) ?? "";
  if (!WRAPPERS.has(name) && !isInlineCodeRunner(name) && !isInterpreter(name)) return false;
  return runsInlineCode(name, words.slice(index + 1)) || mayRun(words.slice(index));
}

/** Whether the command runs no other program, whatever its arguments are. */
export function neverRunsOthers(words: readonly ShellWord[]): boolean {
  const name = programName(words[0]) ?? "";
  if (name === "find") return words.every((word) => word !== null && !RUNS_WHAT_IT_FINDS.test(word));
  return NEVER_RUN_OTHERS.has(name) || isHarmlessGitCommand(name, words.slice(1));
}

const RUNS_WHAT_IT_FINDS = /^-(?:exec|ok)(?:dir)?$/;

/** Programs of daily work whose arguments are no commands, or are checked elsewhere. */
export function isKnownProgram(name: string): boolean {
  return mayRunInlineCode(name) || isInterpreter(name) || DEVELOPMENT_PROGRAMS.has(name);
}

const DEVELOPMENT_PROGRAMS: ReadonlySet<string> = new Set([
  ...["eslint", "prettier", "biome", "vitest", "jest", "mocha", "playwright", "vite", "webpack", "rollup", "esbuild"],
  ...["pytest", "ruff", "mypy", "black", "pip", "pip3", "uv", "poetry", "conda", "brew", "gem", "bundle", "composer"],
  ...["javac", "mvn", "gradle", "kubectl", "terraform", "gh", "jq", "yq", "rg", "fd", "tree", "file", "sort"],
]);

/** Whatever their arguments are, these run no other program. */
const NEVER_RUN_OTHERS: ReadonlySet<string> = new Set([
  ...[
    "echo",
    "printf",
    "cd",
    "pwd",
    "true",
    "false",
    ":",
    "exit",
    "return",
    "break",
    "continue",
    "shift",
    "sleep",
    "test",
    "[",
    "[[",
  ],
  ...["export", "local", "declare", "typeset", "readonly", "unset", "read", "wait", "kill", "umask", "type", "ulimit"],
  ...[
    "ls",
    "stat",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "which",
    "date",
    "uname",
    "whoami",
    "id",
    "nproc",
    "hostname",
  ],
  ...[
    "cat",
    "head",
    "tail",
    "wc",
    "du",
    "df",
    "grep",
    "egrep",
    "fgrep",
    "cut",
    "nl",
    "tac",
    "tr",
    "paste",
    "join",
    "comm",
    "uniq",
  ],
  ...[
    "fold",
    "fmt",
    "rev",
    "seq",
    "expr",
    "cmp",
    "diff",
    "base64",
    "od",
    "hexdump",
    "xxd",
    "strings",
    "column",
    "expand",
    "jq",
  ],
  ...["md5sum", "sha1sum", "sha256sum", "sha512sum", "cksum", "b2sum", "mkdir", "rmdir", "touch", "mktemp", "truncate"],
  ...[
    "chmod",
    "chown",
    "cp",
    "mv",
    "ln",
    "rm",
    "tee",
    "ps",
    "pgrep",
    "pkill",
    "lsof",
    "free",
    "uptime",
    "yes",
    "tsc",
    "tsort",
  ],
]);
