/** `pith doctor`: whether all that Pith needs is there, and what to do about what is not. */

import type { Call, Outcome, Subcommand } from "./subcommand.ts";

export const doctor: Subcommand = {
  name: "doctor",
  takes: "",
  count: { least: 0, most: 0 },
  says: "look whether all that Pith needs is there, and say what to do; ends with 1 where something is broken",
  json: '{ checks: [{ name, state: "ok" | "warning" | "fault", says, advice? }] }',
  flags: {
    fix: { type: "boolean", says: "take away the rights that others have to your files, and nothing else" },
    deep: { type: "boolean", says: "look at every line of every session" },
  },
  examples: ["pith doctor", "pith doctor --fix", "pith doctor --json"],
  run: async (call: Call): Promise<Outcome> => (await import("./doctor/examined.ts")).examined(call),
};
