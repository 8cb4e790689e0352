/** Every key of the interactive screen, from the tables it goes by. */

import { editorKeys, keyTable } from "pith/tables";
import { table } from "./table.ts";

interface Row {
  readonly id: string;
  readonly keys: readonly string[];
  readonly says: string;
}

export const keyTables: Readonly<Record<string, () => string>> = {
  keys: () => table(["key", "what it does", "its name in the keymap file"], keyTable.map(row)),
  "editor-keys": () => table(["key", "what it does", "its name in the keymap file"], editorKeys.map(row)),
};

function row({ id, keys, says }: Row): readonly string[] {
  return [keys.length === 0 ? "none" : keys.map((key) => `\`${key}\``).join(" "), says, `\`${id}\``];
}
