/** Whether sub-agents can be started here: where there may be agents, and by no sub-agent. Asked at every start, so that it reads nothing. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { trustedFiles } from "../home/trust/trusted-folder.ts";
import type { Place } from "../place.ts";

export function areWantedHere({ home, trusted, environment }: Place): boolean {
  if (environment[DEPTH] !== undefined) return false;
  return existsSync(join(home, "agents")) || (trusted !== undefined && trustedFiles(trusted, "agents").length > 0);
}

/** The variable by which a sub-agent knows that it is one: it starts no others. */
export const DEPTH = "PITH_SUBAGENT_DEPTH";
