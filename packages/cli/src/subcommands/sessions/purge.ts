/** `pith sessions purge`: secrets out of what was kept before, for good. */

import type { Call, Outcome, Subcommand } from "../subcommand.ts";

export const purge: Subcommand = {
  name: "sessions purge",
  takes: "[SESSION …]",
  count: { least: 0, most: Number.POSITIVE_INFINITY },
  says: "take secrets out of sessions, their kept output and the search index; without --yes, only look for them",
  more: "SESSION is the beginning of an id, a name, a path, or last: the last session of this folder.\nOne that is in use is left alone and told of; it ends with 1 then.",
  json: "{ purged, looked, kinds, sessions: [{ id, path, lines, blobs, files }], failed: [{ id, path, why }] }",
  flags: {
    all: { type: "boolean", says: "of all sessions, those in the trash too" },
    stdin: { type: "boolean", says: "take out what is piped in, one secret a line, beside what is known as one" },
    yes: { type: "boolean", short: "y", says: "do it; what is gone does not come back" },
  },
  examples: [
    "pith sessions purge --all",
    "pith sessions purge last --yes",
    "pith sessions purge last --stdin --yes < leaked.txt",
  ],
  run: async (call: Call): Promise<Outcome> => (await import("./purging/purged.ts")).purged(call),
};
