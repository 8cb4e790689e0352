/** `pith sessions search`: what was ever said, called or answered. */

import type { Call, Outcome, Subcommand } from "../subcommand.ts";

export const search: Subcommand = {
  name: "sessions search",
  takes: "WORDS …",
  count: { least: 1, most: Number.POSITIVE_INFINITY },
  says: "find what was said, called or answered, in all sessions",
  more: 'All words must occur; "words in quotes" in a row; wor* is the beginning of a word.',
  json: "{ hits: [{ session: { id, path, name?, cwd }, entry, kind, time, snippet: { text, marks } }], more, pending }",
  flags: {
    folder: { type: "string", takes: "FOLDER", says: "only in sessions of this folder, or in a folder of sessions" },
    limit: { type: "string", takes: "N", says: "at most so many (default: 20)" },
    since: { type: "string", takes: "WHEN", says: "nothing older than this age or day, such as 7d or 2026-01-31" },
  },
  examples: [
    "pith sessions search flaky login",
    "pith sessions search 'retry queue' --since 30d",
    "pith sessions search config --folder . --json",
  ],
  run: async (call: Call): Promise<Outcome> => (await import("./showing/searched.ts")).searched(call),
};
