/** `pith compact`: a session is told in short, or shown what that would do. */

import type { Call, Outcome, Subcommand } from "./subcommand.ts";

export const compact: Subcommand = {
  name: "compact",
  takes: "SESSION",
  count: { least: 1, most: 1 },
  says: "tell what was said in a session so far in short; --preview shows what that would do, and asks nobody",
  more: "SESSION is the beginning of an id, a name, a path, or last: the last session of this folder.",
  json: "the receipt { tokens: { before, after, limit }, by, covered, kept, calls, cost, findings, … }; with --preview { id, model, receipt, front, price, evicted }",
  flags: {
    preview: { type: "boolean", says: "only show what would be kept and told in short, and the price" },
    instructions: { type: "string", takes: "TEXT", says: "what the summary should look at above all" },
    model: { type: "string", short: "m", takes: "PROVIDER/MODEL", says: "who writes it (default: who spoke last)" },
  },
  examples: ["pith compact last --preview", 'pith compact last --instructions "keep every decision on the schema"'],
  async run(call: Call): Promise<Outcome> {
    if (call.flags.preview === true) return (await import("./fitting/previewed.ts")).previewed(call);
    return (await import("./fitting/compacted.ts")).compacted(call);
  },
};
