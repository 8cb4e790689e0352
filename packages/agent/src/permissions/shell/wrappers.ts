/** Commands that run other commands, so that their own name says little of what they do. */

import type { Word } from "./reader.ts";

/** Those that are given a command as words of their own. */
export const wrappers: ReadonlySet<string> = new Set(
  [
    ["sudo", "doas", "env", "nohup", "nice", "ionice", "time", "timeout", "stdbuf", "setsid", "chroot", "unshare"],
    ["xargs", "parallel", "watch", "find", "fd", "command", "exec", "builtin", "busybox", "npx", "strace", "ssh"],
  ].flat(),
);

/** Whether what it runs is a text that stands in one of its words, in a file or in what is piped to it. */
export function runsText(name: string, others: readonly Word[]): boolean {
  if (name === "eval" || name === "source" || name === ".") return true;
  if (name === "env") return others.some((word) => word === null || /^(?:-\w*S|--split-string)/.test(word));
  if (!shells.has(name)) return false;
  return (
    others.every((word) => word === null || word.startsWith("-")) || others.some((word) => /^-\w*c/.test(word ?? ""))
  );
}

const shells: ReadonlySet<string> = new Set(["sh", "bash", "zsh", "dash", "ksh", "ash", "fish"]);

/** Whether a rule on its name alone would permit everything. */
export function mayRunAnything(name: string): boolean {
  return wrappers.has(name) || shells.has(name) || interpreters.has(name);
}

const interpreters: ReadonlySet<string> = new Set([
  ...["python", "python3", "node", "deno", "bun", "perl", "ruby", "php", "lua", "awk", "gawk", "tclsh", "osascript"],
  ...["eval", "source", "rm", "dd", "curl", "wget", "scp", "rsync", "docker", "kubectl", "chmod", "chown", "su"],
]);
