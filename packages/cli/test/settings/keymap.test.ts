/** The keymap file over the tables. */

import { TUI_KEYBINDINGS } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { editorKeys, keymapIn, keyTable, usualKeymap } from "../../src/settings/keymap.ts";
import { keysTold } from "../../src/settings/keymap-text.ts";

test("TYP17 a keymap file gives keys to what the screen and the editor do, and keeps the rest", () => {
  const text = `{
    // mine
    "fold": "f2",
    "followUp": ["shift+ctrl+Enter", "alt+enter"],
    "tree": "ctrl+x ctrl+t",
    "mode": null,
    "tui.editor.undo": "ctrl+x",
  }`;
  const { keymap, own, notes } = keymapIn(text, "keymap.json");
  expect(notes).toEqual([]);
  expect(own).toEqual(["fold", "followUp", "tree", "mode", "tui.editor.undo"]);
  expect(keymap).toEqual({
    ...usualKeymap,
    fold: ["f2"],
    followUp: ["ctrl+shift+enter", "alt+enter"],
    tree: ["ctrl+x ctrl+t"],
    mode: [],
    "tui.editor.undo": ["ctrl+x"],
  });
});

test.each([
  ['{ "fald": "f2" }', 'keymap.json:1: there is nothing called "fald"; did you mean "fold"?'],
  ['{\n "fold": "crtl+o" }', 'keymap.json:2: there is no key "crtl"; did you mean "ctrl"?'],
  ['{ "fold": "ctrl+entr" }', 'keymap.json:1: there is no key "ctrl+entr"; did you mean "enter"?'],
  ['{ "fold": 7 }', 'keymap.json:1: fold takes a key, such as "ctrl+o", or a list of keys'],
  ['{ "tui.editor.undo": "a b" }', 'keymap.json:1: tui.editor.undo takes single keys, not "a b"'],
  ['{ "fold": "ctrl+t" }', "keymap.json: ctrl+t is fold now, and no longer transcript"],
  ['{ "fold": "ctrl+k" }', "keymap.json: ctrl+k is fold now, and no longer tui.editor.deleteToLineEnd"],
  ['{ "fold": "f2", "tree": "f2" }', "keymap.json: f2 stands for fold and for tree; it is fold"],
  ['{ "fold": "o" }', 'keymap.json:1: "o" is typed; hold ctrl or alt with it, or take f1 to f12'],
  ['{ "tui.editor.undo": "shift+U" }', 'keymap.json:1: "shift+u" is typed; hold ctrl or alt'],
  ['{ "tree": "ctrl+x space" }', 'keymap.json:1: "ctrl+x space" is typed'],
  ['{ "fold": ', "keymap.json:1:11: "],
])("TYP18 what is wrong in a keymap file is told: %s", (text, note) => {
  expect(keymapIn(text, "keymap.json").notes[0]).toContain(note);
});

test("TYP18 a wrong line leaves what it names as it was", () => {
  expect(keymapIn('{ "fold": "nokey", "stop": "f9" }', "k").keymap).toEqual({ ...usualKeymap, stop: ["f9"] });
});

test("TYP17 the table of the editor's keys says what the editor itself does", () => {
  const own = Object.fromEntries(editorKeys.map(({ id, keys }) => [id, keys]));
  const theirs = Object.entries(TUI_KEYBINDINGS).map(([id, { defaultKeys }]) => [id, [defaultKeys].flat()]);
  const said = theirs.filter(([id]) => Object.hasOwn(own, String(id)));
  expect(own).toEqual(Object.fromEntries(said));
});

test("TYP17 no key is given twice among those of the screen", () => {
  const keys = keyTable.flatMap((row) => row.keys);
  expect(new Set(keys).size).toBe(keys.length);
});

test("TYP20 the keys are told as they are now, and by their names where words ask for them", () => {
  const { keymap } = keymapIn('{ "fold": "f2", "mode": [] }', "k");
  expect(keysTold(keymap)).toContain("  f2 ");
  expect(keysTold(keymap)).toContain("(no key)");
  expect(keysTold(keymap, "fold")).toMatch(/^ {2}"fold": f2\n {6}open or close/);
  expect(keysTold(keymap, "nothing like it")).toBeNull();
  for (const line of (keysTold(keymap) ?? "").split("\n")) expect(line.length).toBeLessThanOrEqual(80);
});
