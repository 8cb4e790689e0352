/** Decides which variables and open files of this process a sandboxed program gets. */

import { readdirSync, readFileSync } from "node:fs";
import { PROXY_VARIABLES } from "../sandbox-network/network.ts";
import type { SandboxOptions } from "./options.ts";

/** O_CLOEXEC in the flags of `/proc/self/fdinfo`. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Lists file descriptors above 2 that were open when this program started. A command could use them; Node closes only those with low
 * numbers.
 */
export function findInheritedFiles(): readonly number[] {
  const numbers = readdirSync("/proc/self/fd").map(Number);
  return numbers.filter((file) => file > 2 && isInherited(file));
}

function isInherited(file: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, "utf8"))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // The descriptor by which the folder was read is closed by now.
    return false;
  }
}

/** Variables that make the system's loader or C library read code and data from files. */
const LOADER_VARIABLE =
  /^(?:LD_.*|GLIBC_TUNABLES|GCONV_PATH|GETCONF_DIR|HOSTALIASES|LOCPATH|MALLOC_TRACE|NLSPATH|RESOLV_HOST_CONF|TZDIR)$/;

export function isLoaderVariable(name: string): boolean {
  return LOADER_VARIABLE.test(name);
}

export interface SplitEnvironment {
  /** Variables that the programs which create the sandbox may see. */
  readonly outer: Readonly<Record<string, string>>;
  /** Variables that only the program inside sees. */
  readonly inner: Readonly<Record<string, string>>;
}

/** BOX31: a workspace folder in `LD_LIBRARY_PATH` would otherwise load a command's code into programs that run before the sandbox. */
export function splitEnvironment(
  environment: Readonly<Record<string, string>>,
  isInner: (name: string) => boolean,
): SplitEnvironment {
  const all = Object.entries(environment);
  return {
    outer: Object.fromEntries(all.filter(([name]) => !isInner(name))),
    inner: Object.fromEntries(all.filter(([name]) => isInner(name))),
  };
}

export function setVariables(variables: SplitEnvironment["inner"], argv: readonly string[]): readonly string[] {
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return assignments.length === 0 ? argv : ["/usr/bin/env", ...assignments, ...argv];
}

/** The user's own proxy cannot be reached from inside the sandbox, and its address may contain a password. */
export function withholdProxies({ withheld = [], ...sandbox }: SandboxOptions): SandboxOptions {
  return { ...sandbox, withheld: [...withheld, ...PROXY_VARIABLES] };
}

/** The folders as the command sees them. npm's update check would contact a host that no command needs. */
export function privateFolderVariables(home: string, temporary: string): Record<string, string> {
  const folders = { HOME: home, TMPDIR: temporary, TMP: temporary, TEMP: temporary };
  return { ...folders, npm_config_update_notifier: "false" };
}
