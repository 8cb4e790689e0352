/** The keymap file over the tables. */

import { TUI_KEYBINDINGS } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { actionBindings, defaultKeymap, editorBindings, formatKeys, parseKeymap } from "../../src/settings/keymap.ts";

test("TYP17 a keymap file binds keys of the app and the editor, and keeps the other bindings", () => {
  const text = `{
    // mine
    "fold": "f2",
    "followUp": ["shift+ctrl+Enter", "alt+enter"],
    "tree": "ctrl+x ctrl+t",
    "mode": null,
    "tui.editor.undo": "ctrl+x",
  }`;
  const { keymap, customIds, warnings } = parseKeymap(text, "keymap.json");
  expect(warnings).toEqual([]);
  expect(customIds).toEqual(["fold", "followUp", "tree", "mode", "tui.editor.undo"]);
  expect(keymap).toEqual({
    ...defaultKeymap,
    fold: ["f2"],
    followUp: ["ctrl+shift+enter", "alt+enter"],
    tree: ["ctrl+x ctrl+t"],
    mode: [],
    "tui.editor.undo": ["ctrl+x"],
  });
});

test.each([
  ['{ "fald": "f2" }', 'keymap.json:1: unknown action "fald"; did you mean "fold"?'],
  ['{\n "fold": "crtl+o" }', 'keymap.json:2: unknown key "crtl"; did you mean "ctrl"?'],
  ['{ "fold": "ctrl+entr" }', 'keymap.json:1: unknown key "ctrl+entr"; did you mean "enter"?'],
  ['{ "fold": 7 }', 'keymap.json:1: fold must be a key, such as "ctrl+o", or a list of keys'],
  ['{ "tui.editor.undo": "a b" }', 'keymap.json:1: tui.editor.undo does not support a sequence of keys such as "a b"'],
  ['{ "fold": "ctrl+t" }', "keymap.json: ctrl+t is now bound to fold instead of transcript"],
  ['{ "fold": "ctrl+k" }', "keymap.json: ctrl+k is now bound to fold instead of tui.editor.deleteToLineEnd"],
  ['{ "fold": "f2", "tree": "f2" }', "keymap.json: f2 is bound to both fold and tree; fold is used"],
  ['{ "fold": "o" }', 'keymap.json:1: "o" inserts text and cannot be bound; add ctrl or alt, or use f1 to f12'],
  ['{ "tui.editor.undo": "shift+U" }', 'keymap.json:1: "shift+u" inserts text and cannot be bound'],
  ['{ "tree": "ctrl+x space" }', 'keymap.json:1: "ctrl+x space" inserts text'],
  ['{ "fold": ', "keymap.json:1:11: "],
])("TYP18 a mistake in a keymap file causes a warning: %s", (text, note) => {
  expect(parseKeymap(text, "keymap.json").warnings[0]).toContain(note);
});

test("TYP18 an invalid binding leaves the default key", () => {
  expect(parseKeymap('{ "fold": "nokey", "stop": "f9" }', "k").keymap).toEqual({ ...defaultKeymap, stop: ["f9"] });
});

test("TYP17 the table of editor keys matches the editor's own defaults", () => {
  const own = Object.fromEntries(editorBindings.map(({ id, keys }) => [id, keys]));
  const theirs = Object.entries(TUI_KEYBINDINGS).map(([id, { defaultKeys }]) => [id, [defaultKeys].flat()]);
  const known = theirs.filter(([id]) => Object.hasOwn(own, String(id)));
  expect(own).toEqual(Object.fromEntries(known));
});

test("TYP17 no default key of the app is bound twice", () => {
  const keys = actionBindings.flatMap((row) => row.keys);
  expect(new Set(keys).size).toBe(keys.length);
});

test("TYP20 formatKeys lists the current keys, and finds one by its name", () => {
  const { keymap } = parseKeymap('{ "fold": "f2", "mode": [] }', "k");
  expect(formatKeys(keymap)).toContain("  f2 ");
  expect(formatKeys(keymap)).toContain("(no key)");
  expect(formatKeys(keymap, "fold")).toMatch(/^ {2}"fold": f2\n {6}expand or collapse/);
  expect(formatKeys(keymap, "nothing like it")).toBeNull();
  for (const line of (formatKeys(keymap) ?? "").split("\n")) expect(line.length).toBeLessThanOrEqual(80);
});
