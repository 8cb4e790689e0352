/** How to go on with a session after the program has ended. */

import type { Session } from "@pith/context";
import type { Wish } from "../asking/wish.ts";
import { isOfSubAgent } from "../sub-agents/keeping/sub-agent-id.ts";

export interface WayOn {
  /** For people; null where nothing is kept. */
  readonly next: string | null;
  /** Flags that must be said again then. */
  readonly flags: string;
}

export function wayOn({ session, choices: { baseUrl } }: Wish, { store }: Session): WayOn {
  // An address is never kept with a session, which may come from anybody: it has to be said again.
  const flags = baseUrl === undefined ? "" : ` --base-url ${baseUrl}`;
  if (session.type === "none") return { next: null, flags };
  const { id } = store.header;
  // AGT14: a sub-agent's is nobody's last.
  const which = isOfSubAgent(id) ? `--session ${id.slice(0, 8)}` : "-c";
  return { next: `session ${id.slice(0, 8)}; go on with pith -p ${which}${flags}`, flags };
}
