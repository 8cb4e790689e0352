/** `/settings`: every setting, what holds, and where that comes from. */

import { mistake } from "../../asking/mistake.ts";
import { told } from "../answers.ts";
import type { Command } from "../command.ts";

export const settings: Command = {
  name: "settings",
  takes: "[name]",
  says: "every setting: what holds, and which file, variable or flag says so",
  examples: ["/settings", "/settings compaction"],
  async run(words, desk) {
    const shown = (desk.settings?.() ?? []).filter(({ name }) => name.includes(words));
    if (shown.length === 0) return mistake(`no setting has "${words}" in its name; /settings shows all`);
    const { shownSettings } = await import("../../home/settings/listed.ts");
    return told(shownSettings(shown), shown);
  },
};
