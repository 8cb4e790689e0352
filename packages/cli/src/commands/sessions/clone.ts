/** `/clone`: the branch one stands on once more, as a session of its own. */

import { forkSession } from "@pith/context/node";
import { mistake } from "../../asking/mistake.ts";
import { nothingKept } from "../answers.ts";
import type { Command } from "../command.ts";
import { copiedTo } from "./copied-to.ts";
import { keptBack } from "./may-leave.ts";

export const clone: Command = {
  name: "clone",
  says: "this branch once more, as a session of its own",
  async run(_, desk) {
    const { agent, sessionPath, home } = desk;
    const { session } = agent;
    if (sessionPath === null) return nothingKept("clone");
    if (session.leaf === null)
      return mistake("nothing was said yet, so there is nothing to copy; /new begins a session");
    const kept = await keptBack({ type: "session_before_fork", entryId: session.leaf, position: "at" }, desk);
    if (kept) return kept;
    return copiedTo(await forkSession(session, { env: { PITH_HOME: home } }));
  },
};
