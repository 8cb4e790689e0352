/** Tells whether a program, called with these words, could run a command or code that stands in them or in its input. */

import type { ShellWord } from "@pith/context/host";
import { gitRunsText } from "./git-commands.ts";
import { isHarmlessSedScript } from "./sed-script.ts";

type Check = (words: readonly ShellWord[]) => boolean;

/** Whether `name` may run a text when it is called with these words. */
export function runsText(name: string, words: readonly ShellWord[]): boolean {
  // `python3.12` is a python.
  const program = name.replace(/(?<=[a-z])-?[\d.]+$/, "");
  if (ALWAYS.has(name) || ALWAYS.has(program)) return true;
  const check = BUILTINS.get(name) ?? INTERPRETERS.get(program) ?? PROGRAMS.get(name) ?? PROGRAMS.get(program);
  return (check?.(words) ?? false) || words.some((word, at) => isRunningOption(word, words[at + 1]));
}

/** `--diff-program=$X` of any program: an option that is named after what it runs, with a value that a shell would take apart. */
function isRunningOption(word: ShellWord, next: ShellWord | undefined): boolean {
  const [, name, value = next] = /^--?([a-z][\w-]*)(?:=(.*))?$/is.exec(word ?? "") ?? [];
  if (name === undefined || value === undefined || !NAMED_AFTER_PROGRAM.test(name)) return false;
  return value === null ? !NAMED_AFTER_FILTER.test(name) : /[$`;|&]|^!|\S\s+\S/.test(value);
}

const NAMED_AFTER_PROGRAM = /program|command|cmd|invoke|exec|hook|filter|pager|editor/i;
/** Most filters choose what is shown. */
const NAMED_AFTER_FILTER = /filter/i;

/** Whether it would run a text with some words or others. */
export function mayRunText(name: string): boolean {
  return takesText(name) || PROGRAMS.has(name);
}

/** Whether it is there to run a text, rather than that one could be slipped in. */
export function takesText(name: string): boolean {
  return ALWAYS.has(name) || INTERPRETERS.has(name.replace(/[\d.]+$/, ""));
}

/** Whether it runs a file that is named in its words. */
export function isInterpreter(name: string): boolean {
  return INTERPRETERS.has(name.replace(/[\d.]+$/, "")) || TASK_RUNNERS.has(name);
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

interface Options {
  /** Letters, alone or in a cluster such as `-ne`. */
  readonly letters?: string;
  /** Without their dashes. A program may know them by their beginnings. */
  readonly names?: readonly string[];
}

/** Whether an option is among the words, in any of its spellings. */
export function hasOption(words: readonly ShellWord[], { letters = "", names = [] }: Options): boolean {
  return words.some((word) => {
    const [, dashes = "", name = ""] = /^(--?)([^=]+)/.exec(word ?? "") ?? [];
    const isNamed = name !== "" && names.some((each) => each.startsWith(name));
    return (dashes === "--" || name.length > 1) && isNamed
      ? true
      : dashes === "-" && [...letters].some((it) => name.includes(it));
  });
}

const having =
  (letters: string, ...names: readonly string[]): Check =>
  (words) =>
    hasOption(words, { letters, names });

const matching =
  (pattern: RegExp): Check =>
  (words) =>
    words.some((word) => word !== null && pattern.test(word));

/** They run what they are given, or what is typed into them. */
const ALWAYS: ReadonlySet<string> = new Set(
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

/**
 * These bash builtins take a variable name: a substitution in its subscript is executed, however it is quoted.
 */
const BUILTINS: ReadonlyMap<string, Check> = new Map([
  ...each(
    ["test", "[", "[["],
    (words) => words.some((word) => word !== null && isSubscript(word)) || isTestOfName(words),
  ),
  ...each(
    ["printf"],
    ([first, ...rest]) => first !== undefined && isNaming(first) && [first, ...rest].some(mayBeSubscript),
  ),
  ...each(["read", "unset", "getopts", "wait"], (words) => words.some(mayBeSubscript)),
  ...each(["mapfile", "readarray"], (words) => words.some((word) => mayBeSubscript(word) || /^-\w*C/.test(word ?? ""))),
  // An integer is computed, and a reference is another name.
  ...each(["declare", "typeset", "local", "readonly"], (words) =>
    words.some((word) => mayBeSubscript(word) || /^[-+]\w*[in]/.test(word ?? "")),
  ),
  ...each(["export"], (words) => words.some((word) => word !== null && isSubscript(word))),
  ...each(["shopt"], (words) => words.some((word) => /alias|extdebug/.test(word ?? "alias"))),
]);

function isTestOfName(words: readonly ShellWord[]): boolean {
  return words.includes(null) && words.some((word) => word === "-v" || word === "-R");
}

function isNaming(word: ShellWord): boolean {
  return word === null || word.startsWith("-v");
}

function mayBeSubscript(word: ShellWord): boolean {
  return word === null || isSubscript(word);
}

/** `a[$(rm x)]` */
function isSubscript(word: string): boolean {
  return /\[[^\]]*[$`]/.test(word);
}

/** Each runs a script: from its options, from its input, or from a file. */
const INTERPRETERS: ReadonlyMap<string, Check> = new Map([
  ...each(
    ["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "rbash", "fish", "csh", "tcsh", "pwsh", "xonsh", "nu"],
    (words) =>
      hasOption(words, { letters: "cs", names: ["command", "commands", "init-command", "rcfile", "init-file"] }) ||
      readsScript(words, SHELL_OPTIONS),
  ),
  ...each(["python", "pypy", "ipython"], (words) => runsPythonText(words) || readsScript(words, PYTHON_OPTIONS)),
  ...each(
    ["node", "nodejs", "bun", "deno", "tsx", "ts-node"],
    (words) =>
      /^(?:eval|repl)$/.test(words[0] ?? "") ||
      matching(/(?:^|=)data:|^-\w*[epi]|^--(?:eval|print|interactive)/)(words) ||
      readsScript(words, NODE_OPTIONS),
  ),
  ...each(
    ["perl", "ruby", "lua", "luajit", "php", "Rscript", "R", "julia", "groovy", "scala", "raku", "elixir"],
    (words) =>
      words.some((word) => word?.startsWith("-") && !/^(?:-[wvWtTlc]+|--version|--help|--)$/.test(word)) ||
      readsScript(words, OTHER_OPTIONS),
  ),
]);

/** The options of an interpreter before its script. */
interface ScriptOptions {
  /** With these it only tells about itself, or runs no script of its input. */
  readonly asking: RegExp;
  /** The next word is the value of each of these. */
  readonly withValue: RegExp;
  /** These have no value. */
  readonly flags: RegExp;
}

/** In zsh and csh, `-V` is a mode in which scripts run. */
const SHELL_OPTIONS: ScriptOptions = {
  asking: /^--(?:version|help)$/,
  withValue: /^[-+][a-np-zA-NP-Z]*[oO]$/,
  flags: /^(?:[-+][abefhiklmnprtuvxBCDEHPT]+|--(?:login|norc|noprofile|posix|verbose|restricted|noediting))$/,
};

const PYTHON_OPTIONS: ScriptOptions = {
  asking: /^(?:-V+|-h|--version|--help|-[bBdEIOPqRsSuvx]*m.*)$/s,
  withValue: /^(?:-[bBdEIOPqRsSuvx]*[WX]|--check-hash-based-pycs)$/,
  flags: /^-[bBdEIOPqRsSuvx]+$|^-[bBdEIOPqRsSuvx]*[WX]./,
};

const NODE_OPTIONS: ScriptOptions = {
  asking: /^(?:-v|-h|--version|--help|--test|--check|-c|--run)$/,
  withValue:
    /^(?:-r|-C|--(?:require|import|conditions|loader|experimental-loader|env-file|env-file-if-exists|title|input-type|disable-warning|tsconfig|watch-path|test-[a-z-]+))$/,
  flags:
    /^--(?:no-[a-z-]+|enable-source-maps|expose[-_]gc|inspect|inspect-brk|watch|hot|trace-(?:warnings|uncaught|deprecation|exit)|throw-deprecation|pending-deprecation|preserve-symlinks|preserve-symlinks-main|experimental-(?:strip-types|transform-types|vm-modules|sqlite|test-coverage|test-module-mocks|permission)|cpu-prof|heap-prof|prof|permission|bun|silent)$/,
};

const OTHER_OPTIONS: ScriptOptions = {
  asking: /^(?:-v|--version|--help)$/,
  withValue: /^$/,
  flags: /^-[wWtTlc]+$/,
};

/** From its input, or from a file that cannot be named. */
function readsScript(words: readonly ShellWord[], { asking, withValue, flags }: ScriptOptions): boolean {
  if (words.some((word) => word === "-" || OPEN_PATH.test(word ?? ""))) return true;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? null;
    const next = words[at + 1];
    if (word === null) return true;
    if (word === "--") return next == null;
    if (!/^[-+]/.test(word)) return false;
    if (asking.test(word)) return false;
    if (withValue.test(word)) at += 1;
    // What stands behind an option that is not known may be its value or the script.
    else if (!flags.test(word) && !word.includes("=") && !/^[-+]/.test(next ?? "-")) return true;
    if (withValue.test(word) && next == null) return true;
  }
  return true;
}

/** The input of a program, or what another one holds open, by any path to it. */
const OPEN_PATH = /(?:^|[/=])(?:stdin$|fd\/.*\d$|proc\/)|^(?:-\w*f|--[a-z]+=)?[./]*\/dev\//;

function runsPythonText(words: readonly ShellWord[]): boolean {
  let at = 0;
  while (at < words.length && /^-/.test(words[at] ?? "") && !PYTHON_TEXT.test(words[at] ?? ""))
    at += PYTHON_OPTIONS.withValue.test(words[at] ?? "") ? 2 : 1;
  const [, letter, attached] = PYTHON_TEXT.exec(words[at] ?? "") ?? [];
  if (letter === undefined) return words.slice(0, at).some((word) => /^-[a-zA-Z]*i/.test(word ?? ""));
  return letter === "c" || RUNNING_MODULES.has((attached || words[at + 1]) ?? "code");
}

const PYTHON_TEXT = /^-(?!-)[^cmWX]*([cm])(.*)$/s;

const RUNNING_MODULES: ReadonlySet<string> = new Set([
  ...["timeit", "pdb", "bdb", "code", "profile", "cProfile", "trace", "runpy", "idlelib", "asyncio", "pty", "pickle"],
  ...["doctest", "zipapp", "IPython", "sqlite3", "webbrowser", "turtledemo", "xonsh"],
]);

/** Each with the words in which a text would be run, where most of its words are none. */
const PROGRAMS: ReadonlyMap<string, Check> = new Map([
  ...each(["awk", "gawk", "mawk", "nawk", "original-awk"], runsAwkText),
  ...each(["sed", "gsed", "ssed"], runsSedText),
  ...each(["git"], gitRunsText),
  ...each(
    ["make", "gmake"],
    (words) =>
      isMakefileOpen(words) ||
      matching(OPEN_PATH)(words) ||
      matching(/^-$|^--e|^-\w*E|^\w+[:+?!]*=|^(?:-\w*f|--(?:f|ma)[a-z]*=)(?:-|.*\$)/s)(words),
  ),
  ...each(
    ["tar", "bsdtar", "gtar"],
    (words) =>
      /^[A-Za-z]*[IF]/.test(words[0] ?? "") ||
      having(
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
  ...each(["cpio"], having("", "rsh-command")),
  ...each(["rsync"], having("e", "rsh", "rsync-path")),
  ...each(["scp", "sftp"], having("SoD")),
  ...each(["env"], (words) => having("S", "split-string")(words)),
  ...each(["sudo", "doas"], (words) => having("sie", "shell", "login", "edit")(words.slice(0, firstOperand(words)))),
  ...each(["flock"], having("c", "command")),
  ...each(["xargs"], (words) => words.length === 0 || having("a", "arg-file")(words)),
  ...each(["diff3", "sdiff"], having("", "diff-program")),
  ...each(["dpkg", "dpkg-deb"], having("", "pre-invoke", "post-invoke", "status-logger")),
  ...each(["sort"], having("", "compress-program")),
  ...each(["split", "csplit"], having("", "filter")),
  ...each(["man"], having("PHX", "pager", "html", "gxditview", "preprocessor")),
  ...each(["less", "more", "most", "pg"], matching(/^\+/)),
  ...each(["bat", "ag", "ack", "delta"], having("", "pager")),
  ...each(["rg"], having("", "pre", "hostname-bin")),
  ...each(["zip"], matching(/^-\w*T|^--unz/)),
  ...each(["wget"], matching(/^--use-a|^--exe|^-\w*e/)),
  ...each(["install"], having("", "strip-program")),
  ...each(["go"], matching(/^--?(?:exec|toolexec|vettool)/)),
  ...each(["cargo"], having("", "config")),
  ...each(["gcc", "g++", "cc", "c++", "clang", "clang++"], matching(/^-(?:wrapper|B|specs|fplugin|fuse-ld)/)),
  ...each(["rustc"], matching(/linker|wrapper/)),
  ...each(["cmake"], having("P", "")),
  ...each(
    ["npm", "pnpm", "yarn", "npx", "bunx"],
    (words) =>
      having("c", "call", "script-shell", "shell-mode", "shell")(words) ||
      matching(/^(?:scripts[.[]|script-shell)/)(words),
  ),
  ...each(["hg"], having("", "config")),
  ...each(["svn"], having("", "diff-cmd", "diff3-cmd", "editor-cmd", "merge-cmd", "config-option")),
  ...each(["apt", "apt-get", "aptitude"], having("oc", "option", "config-file")),
  ...each(["rpm", "rpmbuild"], having("E", "eval", "define", "pipe")),
  ...each(["openssl"], having("", "engine")),
  ...each(["ip"], having("b", "batch")),
  ...each(["docker", "podman"], having("", "entrypoint")),
  ...each(["direnv", "mise"], matching(/^(?:exec|allow)$/)),
  ...each(["nano", "pico"], () => true),
]);

/** Behind `-f` stands what only a shell knows. */
function isMakefileOpen(words: readonly ShellWord[]): boolean {
  return words.some((word, at) => word === null && /^-\w*f$|^--(?:f|m)/.test(words[at - 1] ?? ""));
}

function firstOperand(words: readonly ShellWord[]): number {
  const at = words.findIndex((word) => !word?.startsWith("-"));
  return at < 0 ? words.length : at;
}

function runsAwkText(words: readonly ShellWord[]): boolean {
  const program = words.find((word, at) => !/^-/.test(word ?? "") && !/^-[Fv]$/.test(words[at - 1] ?? ""));
  if (program === null || program === undefined)
    return !words.some((word) => /^--?(?:version|V|help)$/.test(word ?? ""));
  const isRun = (word: ShellWord) => /system|[|@]/.test((word ?? "").replaceAll("||", ""));
  return words.some(isRun) || words.some((word) => /^-(?![Fv]|-$)/.test(word ?? ""));
}

/** The scripts of `-e` are one script, line by line. */
function runsSedText(words: readonly ShellWord[]): boolean {
  const scripts: ShellWord[] = [];
  const operands: ShellWord[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? null;
    if (word === "--") {
      operands.push(...words.slice(at + 1));
      break;
    }
    if (word === null || !word.startsWith("-") || word === "-") operands.push(word);
    // An open word before it could be `--` or the option that it is the value of.
    else if (/^--(?:version|help)$/.test(word)) return words.slice(0, at).includes(null);
    else {
      const given = sedOption(word, words[at + 1] ?? null);
      if (given === "file") return true;
      if (given !== null && given !== "skip") scripts.push(given.script);
      if (given === "skip" || given?.isNext) at += 1;
    }
  }
  const all = scripts.length > 0 ? scripts : operands.slice(0, 1);
  return all.some((script) => script === null || !isHarmlessSedScript(script)) || !isHarmlessSedScript(all.join("\n"));
}

interface SedScript {
  readonly script: ShellWord;
  /** It stands in the word behind the option. */
  readonly isNext: boolean;
}

/** `skip`: the next word is a value that says nothing. */
function sedOption(word: string, next: ShellWord): SedScript | "file" | "skip" | null {
  const [, long, value] = /^--([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
  if (long !== undefined) {
    if ("file".startsWith(long) && !"follow-symlinks".startsWith(long)) return "file";
    if ("expression".startsWith(long)) return { script: value ?? next, isNext: value === undefined };
    return "line-length".startsWith(long) && value === undefined ? "skip" : null;
  }
  // Behind `i` and `l` comes a value of theirs.
  const [, letter, rest = ""] = /^-[nrsuzEb]*([efilsE])?(.*)$/s.exec(word) ?? [];
  if (letter === "f") return "file";
  if (letter === "e") return { script: rest === "" ? next : rest, isNext: rest === "" };
  if (letter === "l") return rest === "" ? "skip" : null;
  // To some versions of sed the suffix of `-i` is the next word; then `-ie` is no script either.
  if (letter === "i" || rest === "") return null;
  return "file";
}

function each(names: readonly string[], check: Check): readonly (readonly [string, Check])[] {
  return names.map((name) => [name, check]);
}
