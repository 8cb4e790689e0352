/** Keys in hints. */

import { expect, test } from "vitest";
import { statusLines } from "../../src/modes/interactive/render/live-region.ts";
import { themeNamed } from "../../src/modes/interactive/render/theme.ts";
import { nothingShown } from "../../src/modes/interactive/state/screen-state.ts";
import { keymapIn } from "../../src/settings/keymap.ts";
import { keyHint, keyTold } from "../../src/settings/keymap-text.ts";

test("TYP21 a hint names the key that does it now, and promises nothing where none does", () => {
  expect(keyHint("stop")).toBe("Esc");
  expect(keyHint("tree")).toBe("Esc Esc");
  expect(keyHint("mode")).toBe("Shift+Tab");
  expect(keyHint("takeBack")).toBe("Alt+Up");
  const { keymap } = keymapIn('{ "fold": "f2", "seen": null, "stop": ["ctrl+x", "ctrl++"], "tree": "ctrl++" }', "k");
  expect(keyTold("fold", "opens", keymap)).toBe("F2 opens");
  expect(keyTold("seen", "what the model sees", keymap)).toBe("");
  expect(keyHint("stop", keymap)).toBe("Ctrl+X");
});

test("TYP21 what is under way names the key that stops it", () => {
  const work = { type: "running", since: 0, doing: "thinking", letters: 0 } as const;
  const brush = { width: 60, theme: themeNamed("none"), isUnfolded: false, now: 2_000 };
  const told = (stop: readonly string[]): string | undefined =>
    statusLines({ ...nothingShown, work }, { ...brush, keymap: { stop } })[1];
  expect(told(["f9"])).toBe(" ● thinking · 2 s · F9 stops it");
  expect(told([])).toBe(" ● thinking · 2 s");
});
