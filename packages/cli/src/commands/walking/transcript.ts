/** `/transcript`: all that was said and done on this branch, from the log. */

import { toldEntry } from "../../subcommands/sessions/showing/told-entry.ts";
import { told } from "../answers.ts";
import type { Command } from "../command.ts";
import { wayTo } from "./tree-part.ts";

export const transcript: Command = {
  name: "transcript",
  says: "all that was said and done on this branch, also before compactions",
  async run(_, { agent: { session } }) {
    const entries = await wayTo(session.leaf, session.store, MOST);
    const texts = entries.flatMap((entry) => toldEntry(entry) ?? []);
    if (texts.length === 0) return told("nothing was said yet", []);
    const isAll = (entries[0]?.parentId ?? null) === null;
    const lead = isAll ? [] : ["… what lies before: pith sessions show"];
    return told([...lead, ...texts].join("\n\n"), entries);
  },
};

/** Entries. */
const MOST = 5_000;
