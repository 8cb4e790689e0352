/** Keys one after the other. */

import { expect, test } from "vitest";
import type { ActionId } from "../../../src/screen/keys/key-table.ts";
import { keymapIn } from "../../../src/screen/keys/keymap.ts";
import { Presses } from "../../../src/screen/keys/presses.ts";

function pressing(presses: Presses, useful: readonly ActionId[]) {
  const asked: ActionId[] = [];
  const press = (key: string, now: number): boolean =>
    presses.press(key, now, (id) => {
      asked.push(id);
      return useful.includes(id);
    });
  return { press, asked };
}

test("TYP19 a key pressed twice in time is a sequence, where the first of them meant nothing", () => {
  const { press, asked } = pressing(new Presses(), ["tree"]);
  expect(press("escape", 0)).toBe(false);
  expect(press("escape", 500)).toBe(true);
  expect(asked).toEqual(["stop", "tree"]);
});

test("TYP19 too late, or after a stop, it is none", () => {
  const late = pressing(new Presses(), ["tree"]);
  expect([late.press("escape", 0), late.press("escape", 5_000)]).toEqual([false, false]);
  const stopping = pressing(new Presses(), ["tree", "stop"]);
  expect([stopping.press("escape", 0), stopping.press("escape", 10)]).toEqual([true, true]);
  expect(stopping.asked).toEqual(["stop", "stop"]);
});

test("TYP19 two that a terminal sends at once are two", () => {
  const { press, asked } = pressing(new Presses(), ["tree"]);
  expect(press("ctrl+alt+[", 0)).toBe(true);
  expect(asked).toEqual(["stop", "tree"]);
});

test("TYP17 keys of the file are heard in whichever order they are held, and the old ones no more", () => {
  const { keymap } = keymapIn('{ "fold": "ctrl+shift+p" }', "k");
  const { press } = pressing(new Presses(keymap), ["fold"]);
  expect([press("shift+ctrl+p", 0), press("ctrl+o", 10)]).toEqual([true, false]);
});
