/** A panel that is answered is closed, whatever comes after. */

import { expect, test } from "vitest";
import { themeNamed } from "../../../src/screen/drawing/theme.ts";
import { openPanel } from "../../../src/screen/panels/open-panel.ts";
import { answered, goesOn, type Panel } from "../../../src/screen/panels/panel.ts";

/** Notes what it was asked to do. */
function noting(acts: string[]): Panel<number, number> {
  return {
    start: 0,
    press: (state, key) => {
      acts.push(key);
      return key === "enter" ? answered(state) : goesOn(state + 1);
    },
    draw: (state) => [`${state}`],
    learns: async () => void acts.push("learns"),
  };
}

test("SCR27 a key that comes before the answered panel is gone does nothing more", async () => {
  const acts: string[] = [];
  const open = openPanel(noting(acts), { where: "inline", changed: () => {} });
  for (const key of ["a", "enter", "enter", "b", "escape"]) open.press(key);
  expect(await open.answer).toBe(1);
  expect(acts).toEqual(["learns", "a", "enter"]);
});

test("SCR27 one that nobody waits for any more finds nothing out", async () => {
  const acts: string[] = [];
  const open = openPanel(noting(acts), { where: "page", changed: () => {}, signal: AbortSignal.abort() });
  expect(await open.answer).toBe(null);
  expect(acts).toEqual([]);
});

test("MAN18 a panel with a fault in it is closed, and whoever asked hears of it", async () => {
  const sight = { width: 20, height: 5, theme: themeNamed("none") };
  const broken: Panel<number, number> = {
    start: 0,
    press: (state, key) => (key === "x" ? fault("pressed") : goesOn(state)),
    draw: (state) => (state > 0 ? fault("drawn") : ["fine"]),
  };
  const pressed = openPanel(broken, { where: "inline", changed: () => {} });
  pressed.press("x");
  await expect(pressed.answer).rejects.toThrow("pressed");
  const drawn = openPanel({ ...broken, start: 1 }, { where: "inline", changed: () => {} });
  expect(drawn.draw(sight)).toEqual([]);
  await expect(drawn.answer).rejects.toThrow("drawn");
});

function fault(words: string): never {
  throw new Error(words);
}
