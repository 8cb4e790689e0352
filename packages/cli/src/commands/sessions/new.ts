/** `/new`: an empty session; the one before is kept. */

import { createSession } from "@pith/context/node";
import { failed, nothingKept } from "../answers.ts";
import type { Command } from "../command.ts";
import { keptBack } from "./may-leave.ts";

export const begin: Command = {
  name: "new",
  aliases: ["clear"],
  says: "an empty session; this one is kept",
  async run(_, { cwd, home, sessionPath, extensions }) {
    if (sessionPath === null) return nothingKept("new");
    const kept = await keptBack({ type: "session_before_switch", reason: "new" }, { extensions: extensions ?? null });
    if (kept) return kept;
    const made = await createSession({ cwd, env: { PITH_HOME: home } });
    if (made.type === "held") return failed("another process has just made the same session; try again");
    if (made.type !== "opened") return failed(made.why);
    const { path, header } = made.store;
    await made.store.close();
    return { type: "opened", reason: "new", path, id: header.id, text: `a new session: ${header.id.slice(0, 8)}` };
  },
};
