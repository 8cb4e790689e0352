/** `/undo`: the newest compaction is taken back. */

import type { Command } from "../command.ts";
import { stepped } from "./stepped.ts";

export const undo: Command = {
  name: "undo",
  says: "take the newest compaction back; what was said since stays on a branch of its own",
  run: (_, { agent }) => stepped("undo", agent),
};
