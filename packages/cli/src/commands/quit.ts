/** `/quit`: the end. */

import type { Command } from "./command.ts";

export const quit: Command = {
  name: "quit",
  aliases: ["exit"],
  says: "leave; the session is kept",
  run: async () => ({ type: "quit" }),
};
