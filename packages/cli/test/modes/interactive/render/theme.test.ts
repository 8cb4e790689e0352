/** Which colours a terminal gets. */

import { expect, test } from "vitest";
import { chooseTheme, createTheme, hasTrueColor } from "../../../../src/modes/interactive/render/theme.ts";
import { createSwitchableTheme } from "../../../../src/modes/interactive/terminal/terminal.ts";

const white = { r: 250, g: 250, b: 250 };
const navy = { r: 0, g: 0, b: 90 };

test("SCR22 NO_COLOR and a dumb terminal have no colors, whatever the setting says", () => {
  expect(chooseTheme({ environment: { NO_COLOR: "1" }, setting: "light", background: white })).toBe("none");
  expect(chooseTheme({ environment: { TERM: "dumb" }, setting: "dark" })).toBe("none");
  expect(chooseTheme({ environment: { NO_COLOR: "" } })).toBe("dark");
});

test("SCR22 the setting decides on the theme before the terminal's background, and that before COLORFGBG", () => {
  expect(chooseTheme({ environment: {}, setting: "dark", background: white })).toBe("dark");
  expect(chooseTheme({ environment: { COLORFGBG: "15;0" }, background: white })).toBe("light");
  expect(chooseTheme({ environment: { COLORFGBG: "0;15" }, background: navy })).toBe("dark");
  expect(chooseTheme({ environment: { COLORFGBG: "0;15" } })).toBe("light");
  expect(chooseTheme({ environment: { COLORFGBG: "0;default;8" } })).toBe("dark");
  expect(chooseTheme({ environment: { COLORFGBG: "nonsense" } })).toBe("dark");
});

test("a switchable theme changes its colors in place", () => {
  const { theme, setTheme } = createSwitchableTheme("dark");
  const { accent } = theme;
  setTheme("light");
  expect(accent("x")).toBe(createTheme("light").accent("x"));
  expect({ ...theme }.name).toBe("light");
});

test("SCR32 a style continues after a nested style ends", () => {
  const { selected, accent } = createTheme("dark");
  expect(selected(`a${accent("b")}c`)).toBe("\x1b[7ma\x1b[38;5;117mb\x1b[0m\x1b[7mc\x1b[0m");
});

test("SCR22 true color is detected from COLORTERM and WT_SESSION", () => {
  expect([{ COLORTERM: "truecolor" }, { WT_SESSION: "1" }, { COLORTERM: "1" }, {}].map(hasTrueColor)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test("the theme none has no colors in any style", () => {
  for (const [ink, paint] of Object.entries(createTheme("none")))
    if (typeof paint === "function") expect([ink, /\[(?:3|4)8;|\[[349]\d?m/.test(paint("x"))]).toEqual([ink, false]);
});
