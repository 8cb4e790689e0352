/** `/redo`: a compaction that was taken back counts again. */

import type { Command } from "../command.ts";
import { stepped } from "./stepped.ts";

export const redo: Command = {
  name: "redo",
  says: "bring back the compaction that was undone last",
  run: (_, { agent }) => stepped("redo", agent),
};
