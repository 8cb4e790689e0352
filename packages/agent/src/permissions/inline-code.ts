/** Detects programs that could run code given in their arguments or on standard input, such as `sh -c` or `awk`. */

import type { ShellWord } from "@pith/context/host";
import { gitRunsInlineCode } from "./git-commands.ts";
import { sedRunsInlineCode } from "./sed-commands.ts";

type WordsCheck = (words: readonly ShellWord[]) => boolean;

/** Whether the program `name` may run code when it is called with these arguments. */
export function runsInlineCode(name: string, words: readonly ShellWord[]): boolean {
  const program = findListedName(name);
  if (INLINE_CODE_PROGRAMS.has(program)) return true;
  const check = BUILTIN_CHECKS.get(name) ?? INTERPRETER_CHECKS.get(program) ?? PROGRAM_CHECKS.get(program);
  return (check?.(words) ?? false) || words.some((word, index) => isProgramOption(word, words[index + 1]));
}

/** The name under which a program is listed: `python` for `python3.12`, `perl` for `perl5.36-x86_64-linux-gnu`, `vim` for `vim.basic`. */
function findListedName(name: string): string {
  const isListed = (each: string): boolean =>
    INLINE_CODE_PROGRAMS.has(each) || INTERPRETER_CHECKS.has(each) || PROGRAM_CHECKS.has(each);
  // `./watch.js` is a script, and not a kind of `watch`.
  const [base = name] = SCRIPT_NAME.test(name) ? [name] : (/^[a-z+]+(?=[\d.-])/i.exec(name) ?? [name]);
  return [name, name.replace(/(?<=[a-z])-?[\d.]+$/, ""), base].find(isListed) ?? name;
}

const SCRIPT_NAME = /\.(?:sh|bash|zsh|[cm]?[jt]sx?|py|rb|pl|php|lua)$/;

/** Whether an option such as `--diff-program=$X` names a program to run, and its value is more than a plain word. */
function isProgramOption(word: ShellWord, next: ShellWord | undefined): boolean {
  const [, name, value = next] = /^--?([a-z][\w-]*)(?:=(.*))?$/is.exec(word ?? "") ?? [];
  if (name === undefined || value === undefined || !NAMED_AFTER_PROGRAM.test(name)) return false;
  return value === null ? !NAMED_AFTER_FILTER.test(name) : /[$`;|&]|^!|\S\s+\S/.test(value);
}

const NAMED_AFTER_PROGRAM = /program|command|cmd|invoke|exec|hook|filter|pager|editor/i;
/** Most filter options only select what is shown. */
const NAMED_AFTER_FILTER = /filter/i;

/** Whether the program runs code with some arguments. */
export function mayRunInlineCode(name: string): boolean {
  return isInlineCodeRunner(name) || PROGRAM_CHECKS.has(findListedName(name));
}

/** Whether running code is the purpose of the program. */
export function isInlineCodeRunner(name: string): boolean {
  const program = findListedName(name);
  return INLINE_CODE_PROGRAMS.has(program) || INTERPRETER_CHECKS.has(program);
}

/** Whether the program's own check covers unknown words, because words after its script or code are only passed on to that. */
export function passesWordsOn(name: string): boolean {
  const program = findListedName(name);
  return INTERPRETER_CHECKS.has(program) || /awk$/.test(program);
}

/** Whether the program runs a file that its arguments name. */
export function isInterpreter(name: string): boolean {
  return INTERPRETER_CHECKS.has(findListedName(name)) || TASK_RUNNERS.has(name);
}

const TASK_RUNNERS: ReadonlySet<string> = new Set([
  ...[
    "make",
    "gmake",
    "ninja",
    "just",
    "task",
    "awk",
    "gawk",
    "mawk",
    "go",
    "cargo",
    "java",
    "swift",
    "zig",
    "dotnet",
    "cmake",
  ],
]);

interface OptionSpelling {
  /** Short options, alone or combined as in `-ne`. */
  readonly letters?: string;
  /** Long options without their dashes. Abbreviations match too. */
  readonly names?: readonly string[];
}

/** Whether the words contain one of the options in any spelling. */
function hasOption(words: readonly ShellWord[], { letters = "", names = [] }: OptionSpelling): boolean {
  return words.some((word) => {
    const [, dashes = "", name = ""] = /^(--?)([^=]+)/.exec(word ?? "") ?? [];
    const isNamed = name !== "" && names.some((option) => option.startsWith(name));
    return (dashes === "--" || name.length > 1) && isNamed
      ? true
      : dashes === "-" && [...letters].some((letter) => name.includes(letter));
  });
}

const hasAnyOption =
  (letters: string, ...names: readonly string[]): WordsCheck =>
  (words) =>
    hasOption(words, { letters, names });

const hasMatchingWord =
  (pattern: RegExp): WordsCheck =>
  (words) =>
    words.some((word) => word !== null && pattern.test(word));

/** Programs that run their arguments or their input as code. */
const INLINE_CODE_PROGRAMS: ReadonlySet<string> = new Set(
  [
    ["eval", "source", ".", "trap", "alias", "let", "fc", "bind", "complete", "compgen", "enable", "hash"],
    ["ssh", "su", "runuser", "watch", "script", "parallel", "sem", "tmux", "screen", "at", "batch", "crontab", "mosh"],
    ["vi", "vim", "view", "vimdiff", "rvim", "gvim", "nvim", "ex", "ed", "emacs", "emacsclient", "gdb", "lldb"],
    ["chroot", "unshare", "nsenter", "newgrp", "sg", "setarch", "firejail", "capsh", "socat", "expect", "m4", "dc"],
    ["sqlite3", "psql", "mysql", "mariadb", "ftp", "telnet", "mail", "mailx", "gnuplot", "octave", "ghci", "irb"],
    ["jshell", "tclsh", "wish", "guile", "hyperfine", "nodemon", "concurrently", "watchexec", "xterm", "run-parts"],
    ["nc", "ncat", "fzf", "start-stop-daemon", "nix-shell", "busctl", "dbus-send", "osascript", "jrunscript"],
  ].flat(),
);

/** Bash builtins that take a variable name. Bash runs a substitution in its subscript, even if it is quoted. */
const BUILTIN_CHECKS: ReadonlyMap<string, WordsCheck> = new Map([
  ...checksFor(
    ["test", "[", "[["],
    (words) => words.some((word) => word !== null && isSubscript(word)) || testsVariable(words),
  ),
  ...checksFor(
    ["printf"],
    ([first, ...rest]) => first !== undefined && namesVariable(first) && [first, ...rest].some(mayBeSubscript),
  ),
  ...checksFor(["read", "unset", "getopts", "wait"], (words) => words.some(mayBeSubscript)),
  ...checksFor(["mapfile", "readarray"], (words) =>
    words.some((word) => mayBeSubscript(word) || /^-\w*C/.test(word ?? "")),
  ),
  // `-i` evaluates the value as arithmetic, and `-n` makes a reference to another variable.
  ...checksFor(["declare", "typeset", "local", "readonly"], (words) =>
    words.some((word) => mayBeSubscript(word) || /^[-+]\w*[in]/.test(word ?? "")),
  ),
  ...checksFor(["export"], (words) => words.some((word) => word !== null && isSubscript(word))),
  ...checksFor(["shopt"], (words) => words.some((word) => /alias|extdebug/.test(word ?? "alias"))),
]);

function testsVariable(words: readonly ShellWord[]): boolean {
  return words.includes(null) && words.some((word) => word === "-v" || word === "-R");
}

function namesVariable(word: ShellWord): boolean {
  return word === null || word.startsWith("-v");
}

function mayBeSubscript(word: ShellWord): boolean {
  return word === null || isSubscript(word);
}

/** `a[$(rm x)]` */
function isSubscript(word: string): boolean {
  return /\[[^\]]*[$`]/.test(word);
}

/** Interpreters, which run a script from an option, from standard input or from a file. */
const INTERPRETER_CHECKS: ReadonlyMap<string, WordsCheck> = new Map([
  ...checksFor(
    ["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "rbash", "fish", "csh", "tcsh", "pwsh", "xonsh", "nu"],
    (words) =>
      hasOption(words, { letters: "cs", names: ["command", "commands", "init-command", "rcfile", "init-file"] }) ||
      readsScript(words, SHELL_OPTIONS),
  ),
  ...checksFor(["python", "pypy", "ipython"], (words) => runsPythonCode(words) || readsScript(words, PYTHON_OPTIONS)),
  ...checksFor(
    ["node", "nodejs", "bun", "deno", "tsx", "ts-node"],
    (words) =>
      /^(?:eval|repl)$/.test(words[0] ?? "") ||
      hasMatchingWord(/(?:^|=)data:|^-\w*[epi]|^--(?:eval|print|interactive)/)(words) ||
      readsScript(words, NODE_OPTIONS),
  ),
  ...checksFor(
    ["perl", "ruby", "lua", "luajit", "php", "Rscript", "R", "julia", "groovy", "scala", "raku", "elixir"],
    (words) =>
      words.some((word) => word?.startsWith("-") && !/^(?:-[wvWtTlc]+|--version|--help|--)$/.test(word)) ||
      readsScript(words, OTHER_OPTIONS),
  ),
]);

/** The options that an interpreter accepts before its script. */
interface ScriptOptions {
  /** With these it prints information or does not read a script from standard input. */
  readonly infoOptions: RegExp;
  /** Options whose value is the next word. */
  readonly optionsWithValue: RegExp;
  /** Options without a value. */
  readonly flags: RegExp;
}

/** `-V` is not listed: in zsh and csh scripts run with it. */
const SHELL_OPTIONS: ScriptOptions = {
  infoOptions: /^--(?:version|help)$/,
  optionsWithValue: /^[-+][a-np-zA-NP-Z]*[oO]$/,
  flags: /^(?:[-+][abefhiklmnprtuvxBCDEHPT]+|--(?:login|norc|noprofile|posix|verbose|restricted|noediting))$/,
};

const PYTHON_OPTIONS: ScriptOptions = {
  infoOptions: /^(?:-V+|-h|--version|--help|-[bBdEIOPqRsSuvx]*m.*)$/s,
  optionsWithValue: /^(?:-[bBdEIOPqRsSuvx]*[WX]|--check-hash-based-pycs)$/,
  flags: /^-[bBdEIOPqRsSuvx]+$|^-[bBdEIOPqRsSuvx]*[WX]./,
};

const NODE_OPTIONS: ScriptOptions = {
  infoOptions: /^(?:-v|-h|--version|--help|--test|--check|-c|--run)$/,
  optionsWithValue:
    /^(?:-r|-C|--(?:require|import|conditions|loader|experimental-loader|env-file|env-file-if-exists|title|input-type|disable-warning|tsconfig|watch-path|test-[a-z-]+))$/,
  flags:
    /^--(?:no-[a-z-]+|enable-source-maps|expose[-_]gc|inspect|inspect-brk|watch|hot|trace-(?:warnings|uncaught|deprecation|exit)|throw-deprecation|pending-deprecation|preserve-symlinks|preserve-symlinks-main|experimental-(?:strip-types|transform-types|vm-modules|sqlite|test-coverage|test-module-mocks|permission)|cpu-prof|heap-prof|prof|permission|bun|silent)$/,
};

const OTHER_OPTIONS: ScriptOptions = {
  infoOptions: /^(?:-v|--version|--help)$/,
  optionsWithValue: /^$/,
  flags: /^-[wWtTlc]+$/,
};

/** Whether the script comes from standard input or from an unknown file. */
function readsScript(words: readonly ShellWord[], { infoOptions, optionsWithValue, flags }: ScriptOptions): boolean {
  if (words.some((word) => word === "-" || INPUT_PATH.test(word ?? ""))) return true;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? null;
    const next = words[index + 1];
    if (word === null) return true;
    if (word === "--") return next == null;
    if (!/^[-+]/.test(word)) return false;
    if (infoOptions.test(word)) return false;
    if (optionsWithValue.test(word)) index += 1;
    // The word after an unknown option may be its value or the script.
    else if (!flags.test(word) && !word.includes("=") && !/^[-+]/.test(next ?? "-")) return true;
    if (optionsWithValue.test(word) && next == null) return true;
  }
  return true;
}

/** Standard input or an open file of a process, by any path. */
const INPUT_PATH = /(?:^|[/=])(?:stdin$|fd\/.*\d$|proc\/)|^(?:-\w*f|--[a-z]+=)?[./]*\/dev\//;

function runsPythonCode(words: readonly ShellWord[]): boolean {
  let index = 0;
  while (index < words.length && /^-/.test(words[index] ?? "") && !PYTHON_CODE_OPTION.test(words[index] ?? ""))
    index += PYTHON_OPTIONS.optionsWithValue.test(words[index] ?? "") ? 2 : 1;
  const [, letter, attached] = PYTHON_CODE_OPTION.exec(words[index] ?? "") ?? [];
  if (letter === undefined) return words.slice(0, index).some((word) => /^-[a-zA-Z]*i/.test(word ?? ""));
  return letter === "c" || CODE_RUNNING_MODULES.has((attached || words[index + 1]) ?? "code");
}

const PYTHON_CODE_OPTION = /^-(?!-)[^cmWX]*([cm])(.*)$/s;

const CODE_RUNNING_MODULES: ReadonlySet<string> = new Set([
  ...["timeit", "pdb", "bdb", "code", "profile", "cProfile", "trace", "runpy", "idlelib", "asyncio", "pty", "pickle"],
  ...["doctest", "zipapp", "IPython", "sqlite3", "webbrowser", "turtledemo", "xonsh"],
]);

/** Programs that run code only with certain arguments. */
const PROGRAM_CHECKS: ReadonlyMap<string, WordsCheck> = new Map([
  ...checksFor(["awk", "gawk", "mawk", "nawk", "original-awk"], runsAwkCode),
  ...checksFor(["sed", "gsed", "ssed"], sedRunsInlineCode),
  ...checksFor(["git"], gitRunsInlineCode),
  ...checksFor(
    ["make", "gmake"],
    (words) =>
      isMakefileUnknown(words) ||
      hasMatchingWord(INPUT_PATH)(words) ||
      hasMatchingWord(/^-$|^--e|^-\w*E|^\w+[:+?!]*=|^(?:-\w*f|--(?:f|ma)[a-z]*=)(?:-|.*\$)/s)(words),
  ),
  ...checksFor(
    ["tar", "bsdtar", "gtar"],
    (words) =>
      /^[A-Za-z]*[IF]/.test(words[0] ?? "") ||
      hasAnyOption(
        "IF",
        "to-command",
        "checkpoint-action",
        "use-compress-program",
        "rsh-command",
        "rmt-command",
        "info-script",
        "new-volume-script",
      )(words),
  ),
  ...checksFor(["cpio"], hasAnyOption("", "rsh-command")),
  ...checksFor(["rsync"], hasAnyOption("e", "rsh", "rsync-path")),
  ...checksFor(["scp", "sftp"], hasAnyOption("SoD")),
  ...checksFor(["strace", "ltrace"], hasMatchingWord(/^[|!]/)),
  ...checksFor(["env"], (words) => hasAnyOption("S", "split-string")(words)),
  ...checksFor(["sudo", "doas"], (words) =>
    hasAnyOption("sie", "shell", "login", "edit")(words.slice(0, firstOperandIndex(words))),
  ),
  ...checksFor(["flock"], hasAnyOption("c", "command")),
  ...checksFor(["xargs"], (words) => words.length === 0 || hasAnyOption("a", "arg-file")(words)),
  ...checksFor(["diff3", "sdiff"], hasAnyOption("", "diff-program")),
  ...checksFor(["dpkg", "dpkg-deb"], hasAnyOption("", "pre-invoke", "post-invoke", "status-logger")),
  ...checksFor(["sort"], hasAnyOption("", "compress-program")),
  ...checksFor(["split", "csplit"], hasAnyOption("", "filter")),
  ...checksFor(["man"], hasAnyOption("PHX", "pager", "html", "gxditview", "preprocessor")),
  ...checksFor(["less", "more", "most", "pg"], hasMatchingWord(/^\+/)),
  ...checksFor(["bat", "ag", "ack", "delta"], hasAnyOption("", "pager")),
  ...checksFor(["rg"], hasAnyOption("", "pre", "hostname-bin")),
  ...checksFor(["zip"], hasMatchingWord(/^-\w*T|^--unz/)),
  ...checksFor(["wget"], hasMatchingWord(/^--use-a|^--exe|^-\w*e/)),
  ...checksFor(["install"], hasAnyOption("", "strip-program")),
  ...checksFor(["go"], hasMatchingWord(/^--?(?:exec|toolexec|vettool)/)),
  ...checksFor(["cargo"], hasAnyOption("", "config")),
  ...checksFor(
    ["gcc", "g++", "cc", "c++", "clang", "clang++"],
    hasMatchingWord(/^-(?:wrapper|B|specs|fplugin|fuse-ld)/),
  ),
  ...checksFor(["rustc"], hasMatchingWord(/linker|wrapper/)),
  ...checksFor(["cmake"], hasAnyOption("P", "")),
  ...checksFor(
    ["npm", "pnpm", "yarn", "npx", "bunx"],
    (words) =>
      hasAnyOption("c", "call", "script-shell", "shell-mode", "shell")(words) ||
      hasMatchingWord(/^(?:scripts[.[]|script-shell)/)(words),
  ),
  ...checksFor(["hg"], hasAnyOption("", "config")),
  ...checksFor(["svn"], hasAnyOption("", "diff-cmd", "diff3-cmd", "editor-cmd", "merge-cmd", "config-option")),
  ...checksFor(["apt", "apt-get", "aptitude"], hasAnyOption("oc", "option", "config-file")),
  ...checksFor(["rpm", "rpmbuild"], hasAnyOption("E", "eval", "define", "pipe")),
  ...checksFor(["openssl"], hasAnyOption("", "engine")),
  ...checksFor(["ip"], hasAnyOption("b", "batch")),
  ...checksFor(["docker", "podman"], hasAnyOption("", "entrypoint")),
  ...checksFor(["direnv", "mise"], hasMatchingWord(/^(?:exec|allow)$/)),
  ...checksFor(["nano", "pico"], () => true),
]);

/** Whether the value of `-f` is unknown. */
function isMakefileUnknown(words: readonly ShellWord[]): boolean {
  return words.some((word, index) => word === null && /^-\w*f$|^--(?:f|m)/.test(words[index - 1] ?? ""));
}

function firstOperandIndex(words: readonly ShellWord[]): number {
  const index = words.findIndex((word) => !word?.startsWith("-"));
  return index < 0 ? words.length : index;
}

function runsAwkCode(words: readonly ShellWord[]): boolean {
  const program = words.find((word, index) => !/^-/.test(word ?? "") && !/^-[Fv]$/.test(words[index - 1] ?? ""));
  if (program === null || program === undefined)
    return !words.some((word) => /^--?(?:version|V|help)$/.test(word ?? ""));
  const runsProgram = (word: ShellWord) => /system|[|@]/.test((word ?? "").replaceAll("||", ""));
  return words.some(runsProgram) || words.some((word) => /^-(?![Fv]|-$)/.test(word ?? ""));
}

function checksFor(names: readonly string[], check: WordsCheck): readonly (readonly [string, WordsCheck])[] {
  return names.map((name) => [name, check]);
}
