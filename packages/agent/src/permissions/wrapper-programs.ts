/** Lists programs that run another command, given as their arguments, and finds where such a command may begin. */

import type { ShellWord } from "@pith/context/host";

/** The commands that stand in the words of another: `sudo rm x` holds `rm x`. The command itself is the first. */
export function nestedCommands(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const name = programName(words[0]);
  if (name === null || !WRAPPERS.has(name) || /^-[vV]$/.test((name === "command" && words[1]) || "")) return [words];
  const all = APPENDING_WRAPPERS.has(name) ? [...markReplacements(words), null] : words;
  const isStart = BUILTIN_WRAPPERS.has(name) ? () => true : (word: ShellWord) => !SHELL_BUILTINS.has(word ?? "");
  const commandStarts = findCommandStarts(name, all.slice(0, words.length)).filter((start) =>
    isStart(all[start] ?? null),
  );
  return [words, ...commandStarts.map((start) => all.slice(start, start + MAX_WORDS))];
}

const BUILTIN_WRAPPERS: ReadonlySet<string> = new Set(["command", "builtin", "time"]);
/** Only the shell itself runs these; as a word of `npx eslint .` such a name is no command. */
const SHELL_BUILTINS: ReadonlySet<string> = new Set([
  ...[".", "source", "eval", "trap", "alias", "let", "fc", "bind", "complete", "compgen", "enable", "hash", "["],
]);

/** More of a command says nothing more, and thousands of wrappers are wrapped around each other only to be slow. */
const MAX_WORDS = 40;
const MAX_STARTS = 3_100;

function findCommandStarts(name: string, words: readonly ShellWord[]): readonly number[] {
  const commandOption = COMMAND_OPTIONS.get(name);
  const indexes = words.map((_, index) => index).slice(1, MAX_STARTS);
  if (commandOption !== undefined) return indexes.filter((index) => commandOption.test(words[index - 1] ?? "-exec"));
  const program = SIMPLE_WRAPPERS.has(name) ? indexes.find((index) => isProgram(words, index)) : undefined;
  // Behind the program an open word is an argument.
  return indexes.filter((index) => words[index] !== null || program === undefined || index <= program);
}

/** Those whose first operand that is no number, no setting and no value of an option is the program. */
const SIMPLE_WRAPPERS: ReadonlySet<string> = new Set([
  ...["sudo", "doas", "env", "nohup", "nice", "ionice", "time", "timeout", "stdbuf", "setsid", "command", "exec"],
  ...["builtin", "npx", "bunx", "pnpx", "uvx", "xargs"],
]);

function isProgram(words: readonly ShellWord[], index: number): boolean {
  const word = words[index];
  const isOperand = word != null && !/^[-+\d]|^\w+=/.test(word);
  return isOperand && !/^-/.test(words[index - 1] ?? "-");
}

/** Those whose command begins behind an option. */
const COMMAND_OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ["find", /^-(?:exec|ok)(?:dir)?$/],
  ["fd", /^(?:-[xX]|--exec|--exec-batch)$/],
]);

/** Null where only a shell knows. */
export function programName(word: ShellWord | undefined): string | null {
  return word == null ? null : word.slice(word.lastIndexOf("/") + 1);
}

/** Words in which `xargs -I` and `entr` put what they read. */
function markReplacements(words: readonly ShellWord[]): readonly ShellWord[] {
  const optionIndex = words.findIndex((word) => /^-(?:I|J)|^--replace/.test(word ?? ""));
  const option = words[optionIndex] ?? "";
  const attached = option.replace(/^-[IJ]|^--replace=?/, "");
  const placeholder = optionIndex < 0 ? "/_" : attached || (words[optionIndex + 1] ?? "{}");
  return words.map((word, index) =>
    index > optionIndex + (attached ? 0 : 1) && word?.includes(placeholder) ? null : word,
  );
}

/** Whether options stand before this subcommand: which of them have a value only the program knows. */
export function mayFollowOptions(words: readonly ShellWord[], [program, subcommand]: readonly string[]): boolean {
  if (subcommand === undefined || words[0] !== program || !words[1]?.startsWith("-")) return false;
  return !subcommand.startsWith("-") && words.slice(2).some((word) => word === null || word === subcommand);
}

/** Programs that run another command, given as their arguments. */
export const WRAPPERS: ReadonlySet<string> = new Set(
  [
    ["sudo", "doas", "pkexec", "gosu", "su-exec", "env", "nohup", "nice", "ionice", "time", "timeout", "stdbuf"],
    ["unbuffer", "setsid", "chroot", "unshare", "nsenter", "setpriv", "setarch", "prlimit", "taskset", "chrt"],
    ["numactl", "runcon", "flock", "systemd-run", "cgexec", "bwrap", "firejail", "proot", "fakeroot", "xvfb-run"],
    ["dbus-run-session", "caffeinate", "rlwrap", "chronic", "ts", "tini", "dumb-init", "eatmydata", "faketime"],
    [
      "torsocks",
      "proxychains",
      "cross-env",
      "dotenv",
      "choom",
      "ld.so",
      "ld-linux-x86-64.so.2",
      "ld-linux-aarch64.so.1",
    ],
    ["strace", "ltrace", "valgrind", "perf", "xargs", "find", "fd", "entr", "command", "exec", "builtin"],
    [
      "ssh-agent",
      "gpg-agent",
      "dbus-launch",
      "xinit",
      "sshpass",
      "cpulimit",
      "logsave",
      "systemd-inhibit",
      "systemd-cat",
    ],
    ["busybox", "toybox", "npx", "bunx", "pnpx", "uvx", "corepack"],
  ].flat(),
);

/** Those of them that add words of their own to the command. */
const APPENDING_WRAPPERS: ReadonlySet<string> = new Set(["xargs", "entr"]);
