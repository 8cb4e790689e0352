/** pi's program and what stands before a command that runs it: it reaches nobody but servers in the same namespace. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { piBundle } from "./pi-bundle.ts";
import { withoutNetwork } from "./without-network.ts";

/** Where it cannot be had it is left out, and that is told. */
export function piAlone(say: (text: string) => void): { readonly pi?: string; readonly leading: readonly string[] } {
  try {
    return { leading: loopbackOnly(), pi: join(piBundle(), "../cli.js") };
  } catch (error) {
    say(`pi is left out: ${error instanceof Error ? error.message : error}`);
    return { leading: [] };
  }
}

/** What stands before a command so that it reaches nobody but this machine's own servers in the same namespace. */
function loopbackOnly(): readonly string[] {
  const [command = "", ...args] = [...withoutNetwork(), "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
  if (spawnSync(command, [...args, "true"]).status !== 0)
    throw new Error("it is run only without network, and a namespace here has no loopback (`ip link set lo up`)");
  return [command, ...args];
}
