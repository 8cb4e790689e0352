/** Implements `/diff`: shows what this session changed in files, from before its first change to now. */

import { type Command, success } from "./command.ts";

export const diffCommand: Command = {
  name: "diff",
  description: "what this session changed in files, against how they were before it",
  examples: ["/diff"],
  run: async (_, context) => {
    // Looking for differences is nothing that a start needs.
    const { formatDiff, collectSessionChanges } = await import("./session-changes.ts");
    const files = await collectSessionChanges(context);
    return success(formatDiff(files), { files });
  },
};
