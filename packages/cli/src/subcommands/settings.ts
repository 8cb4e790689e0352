/** `pith settings`: every setting, what holds in this folder, and who said it. */

import type { Subcommand } from "./subcommand.ts";

export const settings: Subcommand = {
  name: "settings",
  takes: "",
  count: { least: 0, most: 0 },
  says: "every setting, what holds in this folder, and who said it",
  json: "{ settings: [{ name, value, words?, source, says }] }; with --schema the schema",
  flags: {
    trust: { type: "boolean", says: "let this folder's own settings count in this call" },
    schema: { type: "boolean", says: "print the JSON Schema of the settings, for editors" },
  },
  examples: ["pith settings", "pith settings --json", "pith settings --schema > ~/.pith/settings.schema.json"],
  async run({ flags, cwd, home, environment, note }) {
    if (flags.schema) {
      const { settingsSchema } = await import("../home/settings/schema.ts");
      const schema = settingsSchema();
      return { type: "shown", text: JSON.stringify(schema, null, 2), data: schema };
    }
    const { whatHolds } = await import("../home/what-holds.ts");
    const holds = await whatHolds({ choices: {}, trusts: flags.trust === true }, { cwd, home, environment });
    if (holds.type === "mistake") return holds;
    for (const line of holds.notes) note(`pith: ${line}`);
    const { listedSettings, shownSettings } = await import("../home/settings/listed.ts");
    const { redactionHere } = await import("./sessions/finding/redaction-here.ts");
    // A key may stand in an address, too.
    const { redacted } = await redactionHere({ home, environment });
    const listed = redacted(listedSettings(holds.choices, holds.sources));
    return { type: "shown", text: shownSettings(listed), data: { settings: listed } };
  },
};
