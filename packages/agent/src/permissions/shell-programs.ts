/** Lists programs that run another command, given as their arguments, and finds where such a command may begin. */

import type { ShellWord } from "@pith/context/host";

/** The commands that stand in the words of another: `sudo rm x` holds `rm x`. The command itself is the first. */
export function commandsIn(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const name = programName(words[0]);
  if (name === null || !WRAPPERS.has(name) || /^-[vV]$/.test((name === "command" && words[1]) || "")) return [words];
  const all = ADDING.has(name) ? [...withOpenPlaces(words), null] : words;
  const isStart = STARTING_BUILTINS.has(name) ? () => true : (word: ShellWord) => !BUILTINS.has(word ?? "");
  const begins = starts(name, all.slice(0, words.length)).filter((start) => isStart(all[start] ?? null));
  return [words, ...begins.map((start) => all.slice(start, start + ENOUGH_WORDS))];
}

const STARTING_BUILTINS: ReadonlySet<string> = new Set(["command", "builtin", "time"]);
/** Only the shell itself runs these; as a word of `npx eslint .` such a name is no command. */
const BUILTINS: ReadonlySet<string> = new Set([
  ...[".", "source", "eval", "trap", "alias", "let", "fc", "bind", "complete", "compgen", "enable", "hash", "["],
]);

/** More of a command says nothing more, and thousands of wrappers are wrapped around each other only to be slow. */
const ENOUGH_WORDS = 40;
const MOST_STARTS = 3_100;

function starts(name: string, words: readonly ShellWord[]): readonly number[] {
  const wanted = STARTED_BY.get(name);
  const places = words.map((_, at) => at).slice(1, MOST_STARTS);
  if (wanted !== undefined) return places.filter((at) => wanted.test(words[at - 1] ?? "-exec"));
  const program = SIMPLE.has(name) ? places.find((at) => isProgram(words, at)) : undefined;
  // Behind the program an open word is an argument.
  return places.filter((at) => words[at] !== null || program === undefined || at <= program);
}

/** Those whose first operand that is no number, no setting and no value of an option is the program. */
const SIMPLE: ReadonlySet<string> = new Set([
  ...["sudo", "doas", "env", "nohup", "nice", "ionice", "time", "timeout", "stdbuf", "setsid", "command", "exec"],
  ...["builtin", "npx", "bunx", "pnpx", "uvx", "xargs"],
]);

function isProgram(words: readonly ShellWord[], at: number): boolean {
  const word = words[at];
  const isOperand = word != null && !/^[-+\d]|^\w+=/.test(word);
  return isOperand && !/^-/.test(words[at - 1] ?? "-");
}

/** Those whose command begins behind an option. */
const STARTED_BY: ReadonlyMap<string, RegExp> = new Map([
  ["find", /^-(?:exec|ok)(?:dir)?$/],
  ["fd", /^(?:-[xX]|--exec|--exec-batch)$/],
]);

/** Null where only a shell knows. */
export function programName(word: ShellWord | undefined): string | null {
  return word == null ? null : word.slice(word.lastIndexOf("/") + 1);
}

/** Words in which `xargs -I` and `entr` put what they read. */
function withOpenPlaces(words: readonly ShellWord[]): readonly ShellWord[] {
  const at = words.findIndex((word) => /^-(?:I|J)|^--replace/.test(word ?? ""));
  const option = words[at] ?? "";
  const attached = option.replace(/^-[IJ]|^--replace=?/, "");
  const place = at < 0 ? "/_" : attached || (words[at + 1] ?? "{}");
  return words.map((word, index) => (index > at + (attached ? 0 : 1) && word?.includes(place) ? null : word));
}

/** Whether options stand before this subcommand: which of them have a value only the program knows. */
export function mayComeLater(words: readonly ShellWord[], [program, subcommand]: readonly string[]): boolean {
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
const ADDING: ReadonlySet<string> = new Set(["xargs", "entr"]);
