/** Commands that run other commands, given as words of their own, so that their own name says little of what they do. */

import { takesText } from "./runs-text.ts";

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

/** Whether a rule on its name alone would permit everything. */
export function mayRunAnything(name: string): boolean {
  return wrappers.has(name) || takesText(name) || harmful.has(name);
}

const harmful: ReadonlySet<string> = new Set([
  ...["rm", "dd", "curl", "wget", "scp", "rsync", "chmod", "chown", "docker", "podman", "kubectl", "awk", "gawk"],
]);
