/** `/keys`: every key of the screen, as it is now. */

import { mistake } from "../../asking/mistake.ts";
import { told } from "../answers.ts";
import type { Command } from "../command.ts";

export const keys: Command = {
  name: "keys",
  takes: "[words]",
  says: "every key of the screen; with words: those that have them, by the names that keymap.json knows",
  examples: ["/keys", "/keys undo"],
  async run(words, { home }) {
    const { keymapFile, readKeymap } = await import("../../screen/keys/read-keymap.ts");
    const { keysTold, toldKeys } = await import("../../screen/keys/keys-told.ts");
    const { keymap, notes } = await readKeymap(home);
    const shown = keysTold(keymap, words);
    if (shown === null) return mistake(`no key has "${words}" in its name or meaning; /keys shows all`);
    const how = `To change one: { "fold": "ctrl+o" } in ${keymapFile(home)}; /keys fold names it.`;
    return told([...notes, shown, ...(words === "" ? ["", how] : [])].join("\n"), toldKeys(keymap));
  },
};
