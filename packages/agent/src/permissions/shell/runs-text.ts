/** Programs that run a text: one that stands in their words, or is piped to them. What a rule denies may stand in it, and nobody but they could tell. */

import type { Word } from "./reader.ts";
import { naming } from "./subscripts.ts";

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

/** Whether it is there to run a text, rather than that one could be slipped in. */
export function takesText(name: string): boolean {
  return always.has(name) || coded.has(programOf(name));
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

function each(names: readonly string[], isCode: RegExp): readonly (readonly [string, RegExp])[] {
  return names.map((name) => [name, isCode]);
}
