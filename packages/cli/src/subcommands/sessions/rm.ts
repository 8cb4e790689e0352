/** `pith sessions rm`: into the trash, from which a session can be brought back. */

import type { Call, Outcome, Subcommand } from "../subcommand.ts";

export const rm: Subcommand = {
  name: "sessions rm",
  takes: "SESSION …",
  count: { least: 1, most: Number.POSITIVE_INFINITY },
  says: "move sessions into the trash; pith sessions restore brings them back",
  more: "SESSION is the beginning of an id, a name, a path, or last: the last session of this folder.",
  json: "{ trashed: [{ id, path, folder }] }",
  flags: {
    yes: { type: "boolean", short: "y", says: "more than one, without asking" },
  },
  examples: ["pith sessions rm last", "pith sessions rm 3f2a 9c41 --yes"],
  run: async (call: Call): Promise<Outcome> => (await import("./trashing/trashed.ts")).trashed(call),
};
