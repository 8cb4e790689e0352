/** `pith context`: what fills the window of a session. */

import type { Call, Outcome, Subcommand } from "./subcommand.ts";

export const context: Subcommand = {
  name: "context",
  takes: "SESSION",
  count: { least: 1, most: 1 },
  says: "what fills the window of a session, when it is too much, and what a compaction would free",
  more: "SESSION is the beginning of an id, a name, a path, or last: the last session of this folder. Nobody is asked.",
  json: "{ id, model, tokens, measured, contextWindow, limit, soft, isAutomatic, held, parts: [{ place, kind, tokens }], tools: [{ tool, results, tokens }], files: [{ path, results, tokens }], biggest: [{ id, kind, words, tokens, frees: { compaction, moving } }], afterCompaction }",
  flags: {
    model: { type: "string", short: "m", takes: "PROVIDER/MODEL", says: "for whom (default: who spoke last)" },
  },
  examples: ["pith context last", "pith context last --json"],
  run: async (call: Call): Promise<Outcome> => (await import("./fitting/context-shown.ts")).contextShown(call),
};
