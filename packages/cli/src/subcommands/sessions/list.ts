/** `pith sessions list`: what there is, newest first. */

import type { Call, Outcome, Subcommand } from "../subcommand.ts";

export const list: Subcommand = {
  name: "sessions list",
  takes: "",
  count: { least: 0, most: 0 },
  says: "the sessions of this folder, newest first: id, age, size, and name or first words",
  json: "{ total, sessions: [{ id, path, cwd, name?, created, modified, size, firstMessage, parentSession?, damaged? }] }",
  flags: {
    all: { type: "boolean", says: "of all folders" },
    folder: { type: "string", takes: "FOLDER", says: "of this folder; or a folder of sessions, such as pi's" },
    limit: { type: "string", takes: "N", says: "at most so many (default: 20; 0 for all)" },
  },
  examples: ["pith sessions list", "pith sessions list --all --limit 50", "pith sessions list --all --json"],
  run: async (call: Call): Promise<Outcome> => (await import("./showing/listed.ts")).listed(call),
};
