/** `/reload`: what lies in files is read anew. */

import { told } from "../answers.ts";
import type { Command } from "../command.ts";

export const reload: Command = {
  name: "reload",
  says: "read settings, context files, skills and templates anew",
  async run(_, desk) {
    const changes = await desk.reload();
    return told(changes.length === 0 ? "read anew; nothing has changed" : changes.join("\n"), changes);
  },
};
