/** `/diff`: what this session changed in files, from how they were before its first change to how they are now. */

import { told } from "../answers.ts";
import type { Command } from "../command.ts";

export const diff: Command = {
  name: "diff",
  says: "what this session changed in files, against how they were before it",
  examples: ["/diff"],
  run: async (_, desk) => {
    // Looking for differences is nothing that a start needs.
    const [{ sessionChanges }, { diffText }] = await Promise.all([
      import("./session-changes.ts"),
      import("./diff-text.ts"),
    ]);
    const files = await sessionChanges(desk);
    return told(diffText(files), { files });
  },
};
