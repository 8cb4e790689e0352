/** What stands in front of a command so that it runs in a network namespace of its own. */

import { spawnSync } from "node:child_process";

/** A peer is compared, not trusted: it gets no way out. */
export function withoutNetwork(): readonly string[] {
  const ways = [
    ["unshare", "-n"],
    ["unshare", "-r", "-n"],
  ];
  const way = ways.find(([command = "", ...args]) => spawnSync(command, [...args, "true"]).status === 0);
  if (!way)
    throw new Error(
      "pi is run only without network, and `unshare -n` does not work here (Linux with user namespaces is needed)",
    );
  return way;
}
