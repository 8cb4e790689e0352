/** Implements `/diff`: shows what this session changed in files, from before its first change to now. */

import { type Command, told } from "./command.ts";

export const diff: Command = {
  name: "diff",
  says: "what this session changed in files, against how they were before it",
  examples: ["/diff"],
  run: async (_, desk) => {
    // Looking for differences is nothing that a start needs.
    const { diffText, sessionChanges } = await import("./session-changes.ts");
    const files = await sessionChanges(desk);
    return told(diffText(files), { files });
  },
};
