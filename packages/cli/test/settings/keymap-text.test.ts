/** Keys in hints. */

import { expect, test } from "vitest";
import { renderActivity } from "../../src/modes/interactive/render/live-region.ts";
import { createTheme } from "../../src/modes/interactive/render/theme.ts";
import { initialScreenState } from "../../src/modes/interactive/state/screen-state.ts";
import { formatKeyHint, keyHint, parseKeymap } from "../../src/settings/keymap.ts";

test("TYP21 a hint names the currently bound key, and is left out if none is bound", () => {
  expect(keyHint("stop")).toBe("Esc");
  expect(keyHint("tree")).toBe("Esc Esc");
  expect(keyHint("mode")).toBe("Shift+Tab");
  expect(keyHint("takeBack")).toBe("Alt+Up");
  const { keymap } = parseKeymap('{ "fold": "f2", "seen": null, "stop": ["ctrl+x", "ctrl++"], "tree": "ctrl++" }', "k");
  expect(formatKeyHint("fold", "opens", keymap)).toBe("F2 opens");
  expect(formatKeyHint("seen", "what the model sees", keymap)).toBe("");
  expect(keyHint("stop", keymap)).toBe("Ctrl+X");
});

test("TYP21 the status line names the key bound to stop", () => {
  const work = { type: "running", startedAt: 0, phase: "thinking", chars: 0 } as const;
  const brush = { width: 60, theme: createTheme("none"), isUnfolded: false, now: 2_000 };
  const stopHint = (stop: readonly string[]): string | undefined =>
    renderActivity({ ...initialScreenState, activity: work }, { ...brush, keymap: { stop } })[1];
  expect(stopHint(["f9"])).toBe(" ● thinking · 2 s · F9 stop");
  expect(stopHint([])).toBe(" ● thinking · 2 s");
});
