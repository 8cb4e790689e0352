/** Lists programs that run other commands or code in their arguments or input, in which a denied command may hide. */

import type { Word } from "./shell-parser.ts";

type Check = (others: readonly Word[]) => boolean;

/**
 * These bash builtins take a variable name: a substitution in its subscript is executed, however it is quoted. By its name: whether these
 * words could run anything.
 */
export const naming: ReadonlyMap<string, Check> = new Map([
  ...each<Check>(["test"], (others) => others.some((word) => word !== null && isRun(word)) || isTestOfName(others)),
  ...each<Check>(["printf"], (others) => others[0] !== undefined && isNaming(others[0]) && others.some(isRun)),
  ...each<Check>(["read", "unset", "getopts", "wait"], (others) => others.some(isRun)),
  ...each<Check>(["mapfile", "readarray"], (others) => others.some((word) => isRun(word) || /^-\w*C/.test(word ?? ""))),
  // An integer is computed, and a reference is another name.
  ...each<Check>(["declare", "typeset", "local", "readonly"], (others) =>
    others.some((word) => isRun(word) || /^-\w*[in]/.test(word ?? "")),
  ),
  ...each<Check>(["export"], (others) => others.some((word) => word !== null && isRun(word))),
]);

function isTestOfName(others: readonly Word[]): boolean {
  return others.includes(null) && others.some((word) => word === "-v" || word === "-R");
}

function isNaming(word: Word): boolean {
  return word === null || word.startsWith("-v");
}

function isRun(word: Word): boolean {
  return word === null || /\[[^\]]*[$`]/.test(word);
}

export function runsText(name: string, others: readonly Word[]): boolean {
  if (always.has(name)) return true;
  const named = naming.get(name);
  if (named) return named(others);
  const program = programOf(name);
  const isCode = coded.get(program) ?? sometimes.get(program);
  if (isCode === undefined) return false;
  const isOpen = others.find((word) => !word?.startsWith("-")) === null;
  return isOpen || others.some((word) => isCode.test(word ?? "")) || (coded.has(program) && isPiped(others));
}

/** `python3.12` is a python. */
function programOf(name: string): string {
  return name.replace(/[\d.]+$/, "");
}

function isPiped(others: readonly Word[]): boolean {
  return others.includes("-") || others.every((word) => word?.startsWith("-") && !ASKING.test(word));
}

const ASKING = /^(?:-v|-V|--version|-h|--help|--test|--check)$/;

const always: ReadonlySet<string> = new Set(
  [
    ["eval", "source", ".", "trap", "alias", "let", "fc", "bind", "complete", "compgen", "enable", "hash"],
    ["ssh", "su", "runuser", "watch", "script", "parallel", "tmux", "screen", "at", "batch", "crontab"],
    ["vi", "vim", "nvim", "ex", "ed", "emacs", "gdb", "lldb"],
  ].flat(),
);

/** Each with the words by which a text is given to it; without words it reads what is piped to it. */
const coded: ReadonlyMap<string, RegExp> = new Map([
  ...each(["sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "python", "pypy", "tclsh", "expect"], /^-\w*c/),
  ...each(["perl", "ruby", "lua", "luajit", "Rscript", "julia", "osascript"], /^-\w*e|^--eval/i),
  ...each(["node", "bun", "deno"], /^-\w*[ep]|^--(?:eval|print)|^eval$/),
  ...each(["php"], /^-\w*[rBRE]|^--(?:run|process)/),
]);

/** Each with the words in which a text would be run, where most of its words are none. */
const sometimes: ReadonlyMap<string, RegExp> = new Map([
  ...each(["awk", "gawk", "mawk", "nawk"], /system|[|@]|^-(?![Fv])/),
  ...each(["sed", "gsed"], /(?:^|[;{}\n\d$/])\s*e(?:\s|$)|[^\w\s][gpimIM\d]*e[gpimIM\d]*\s*(?:$|[;}\n])/),
  ...each(["make", "gmake"], /^-$|^--eval|^-\w*E|^\w+[:+?!]*=/),
  ...each(["tar", "bsdtar"], /^-\w*I|^--(?:to-command|checkpoint-action|use-compress-program|rsh-command)/),
  ...each(["rsync"], /^-\w*e|^--rs(?:h|ync-path)/),
  ...each(["env"], /^-\w*S|^--split-string/),
  ...each(
    ["git"],
    /^(?:foreach|run|-x)$|^--(?:exec|extcmd|upload-pack|receive-pack|config-env|[a-z]+-filter)|^alias\.|^[\w.*-]*(?:pager|editor|command|cmd|hook|fsmonitor|external|textconv|filter|helper|program|driver|proxy|include)[^=]*=(?!cat$|$)/i,
  ),
]);

function each<Value>(names: readonly string[], value: Value): readonly (readonly [string, Value])[] {
  return names.map((name) => [name, value]);
}

/** A rule on `git push` also has to match `git -C . push`. Without git's own options; any other command as it is. */
export function withoutOptions(words: readonly Word[]): readonly Word[] {
  if (words[0] !== "git") return words;
  let at = 1;
  while (words[at]?.startsWith("-")) at += valued.has(words[at] ?? "") ? 2 : 1;
  return ["git", ...words.slice(at)];
}

const valued: ReadonlySet<string> = new Set([
  ...["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"],
]);

/** Whether options stand before this subcommand: which of them have a value only the program knows. */
export function mayComeLater(words: readonly Word[], [program, subcommand]: readonly string[]): boolean {
  if (subcommand === undefined || words[0] !== program || !words[1]?.startsWith("-")) return false;
  return !subcommand.startsWith("-") && words.slice(2).some((word) => word === null || word === subcommand);
}

/** Programs that run another command, given as their arguments. */
export const wrappers: ReadonlySet<string> = new Set(
  [
    ["sudo", "doas", "pkexec", "env", "nohup", "nice", "ionice", "time", "timeout", "stdbuf", "unbuffer", "setsid"],
    ["chroot", "unshare", "nsenter", "setpriv", "setarch", "prlimit", "taskset", "chrt", "numactl", "runcon", "flock"],
    ["systemd-run", "cgexec", "bwrap", "firejail", "fakeroot", "xvfb-run", "dbus-run-session", "caffeinate", "rlwrap"],
    ["strace", "ltrace", "valgrind", "perf", "xargs", "find", "fd", "entr", "command", "exec", "builtin", "busybox"],
    ["npx", "bunx", "pnpx", "uvx"],
  ].flat(),
);

/** Those of them that add words of their own to the command. */
export const adding: ReadonlySet<string> = new Set(["xargs", "entr"]);
