/** `/reload`: what lies in files is read anew. */

import { told } from "../answers.ts";
import type { Command } from "../command.ts";

const LATER = "extensions are loaded anew with the next session";

export const reload: Command = {
  name: "reload",
  says: "read settings, context files, skills and templates anew",
  async run(_, desk) {
    const changes = [...(await desk.reload()), ...(desk.extensions ? [LATER] : [])];
    return told(changes.length === 0 ? "read anew; nothing has changed" : changes.join("\n"), changes);
  },
};
