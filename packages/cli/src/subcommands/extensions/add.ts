/** `pith extensions add`: see what an extension can do, and let it count from the next session on. */

import type { Subcommand } from "../subcommand.ts";

export const addExtension: Subcommand = {
  name: "extensions add",
  takes: "PATH|TARBALL|NAME",
  count: { least: 1, most: 1 },
  says: "show what an extension can do, and add it to yours",
  more: "A file or a folder is copied; a tarball or a package by its name is installed by npm, which runs none of its scripts. To see what it can do it is run once, in a process that can write nothing and read nothing of yours.",
  json: "{ name, events, tools, commands, states, rules, writes }",
  flags: { yes: { type: "boolean", short: "y", says: "do not ask: add it" } },
  examples: ["pith extensions add ./todo.ts", "pith extensions add --yes pith-todo-1.0.0.tgz"],
  run: async (call) => (await import("../../extending/keeping/added.ts")).added(call),
};
