/** `/new`: an empty session; the one before is kept. */

import { createSession } from "@pith/context/node";
import { failed, nothingKept } from "../answers.ts";
import type { Command } from "../command.ts";

export const begin: Command = {
  name: "new",
  aliases: ["clear"],
  says: "an empty session; this one is kept",
  async run(_, { cwd, home, sessionPath }) {
    if (sessionPath === null) return nothingKept("new");
    const made = await createSession({ cwd, env: { PITH_HOME: home } });
    if (made.type === "held") return failed("another process has just made the same session; try again");
    if (made.type !== "opened") return failed(made.why);
    const { path, header } = made.store;
    await made.store.close();
    return { type: "opened", path, id: header.id, text: `a new session: ${header.id.slice(0, 8)}` };
  },
};
