/** The newest shell lines, each once: of those that do something, and of those that only look. */

import { onlyLooks } from "../../reading/tools/shell-files.ts";
import { type LedgerCommand, MOST } from "./ledger.ts";

/** Of what is found in each of the sources, oldest first; no more of them are looked at than fill both lists. */
export function newestCommands<Source>(
  sources: readonly Source[],
  find: (source: Source) => readonly LedgerCommand[],
): readonly LedgerCommand[] {
  /** Null for one that its list had no room for. */
  const known = new Map<string, LedgerCommand | null>();
  // LED3: looking pushes out no doing.
  const room = { doing: MOST.commands as number, looking: MOST.looks as number };
  for (let at = sources.length - 1; at >= 0 && room.doing + room.looking > 0; at--)
    for (const item of find(sources[at] as Source).toReversed()) {
      if (known.has(item.command)) continue;
      const kind = onlyLooks(item.command) ? "looking" : "doing";
      known.set(item.command, room[kind] > 0 ? item : null);
      room[kind] = Math.max(0, room[kind] - 1);
    }
  return [...known.values()].filter((item) => item !== null).reverse();
}
