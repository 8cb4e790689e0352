/** How to go on with a session once the program has ended. */

import { wordFor } from "../../../subcommands/sessions/finding/word-for.ts";
import type { Ready } from "../../../working/readied.ts";

/** Null where nothing is kept, or nothing was said. */
export function wayBack({ built, place: { home } }: Ready): string | null {
  const { agent, sessionPath: path, flags } = built;
  if (path === null || agent.session.leaf === null) return null;
  const { id } = agent.session.store.header;
  return `go on with pith -c${flags}, or from anywhere with pith --session ${wordFor({ id, path }, home)}${flags}`;
}
