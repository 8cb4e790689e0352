/** `pith sessions rebind`: the project has moved, and its session follows. */

import type { Call, Outcome, Subcommand } from "../subcommand.ts";

export const rebind: Subcommand = {
  name: "sessions rebind",
  takes: "SESSION FOLDER",
  count: { least: 2, most: 2 },
  says: "let a session belong to another folder, e.g. because the project has moved",
  more: "SESSION is the beginning of an id, a name, a path, or last: the last session of this folder.",
  json: "{ path, cwd }",
  flags: {},
  examples: ["pith sessions rebind last ../moved-project"],
  run: async (call: Call): Promise<Outcome> => (await import("./trashing/rebound.ts")).rebound(call),
};
