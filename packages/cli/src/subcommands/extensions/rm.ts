/** `pith extensions rm`: an extension of yours is not loaded any more. */

import type { Subcommand } from "../subcommand.ts";

export const removeExtension: Subcommand = {
  name: "extensions rm",
  takes: "NAME",
  count: { least: 1, most: 1 },
  says: "take one of your extensions away; a file is put aside, a package uninstalled",
  json: "{ name, path? }",
  flags: {},
  examples: ["pith extensions rm todo.ts"],
  run: async (call) => (await import("../../extending/keeping/removed.ts")).removed(call),
};
