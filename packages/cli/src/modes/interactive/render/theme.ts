/** Defines the themes (dark, light and without colour), chooses the one for a terminal, and defines the drawing options (`RenderContext`). */

import type { Environment } from "@pith/models";
import type { Keymap } from "../../../settings/keymap.ts";
import type { ImageProtocol, RgbColor } from "../terminal/pi-tui.ts";

/** What each ink is for. */
export type Style =
  | "strong"
  | "dim"
  | "accent"
  | "good"
  | "bad"
  | "warning"
  | "user"
  | "heading"
  | "link"
  | "code"
  | "quote"
  | "added"
  | "removed"
  | "selected"
  | "border"
  /** Parts of the context bar: what stays cached, what is kept as it was said, what came since, and what is free. */
  | "front"
  | "tail"
  | "fresh"
  | "free";

export type Theme = Readonly<Record<Style, (text: string) => string>> & { readonly name: ThemeName };

export type ThemeName = "dark" | "light" | "none";

export function createTheme(name: ThemeName): Theme {
  const styles = Object.entries(themeCodes[name]).map(([style, code]) => [style, createStyler(code)]);
  return { ...Object.fromEntries(styles), name };
}

function createStyler(code: string): (text: string) => string {
  if (code === "") return (text) => text;
  return (text) => `\x1b[${code}m${text}\x1b[0m`;
}

type StyleCodes = Readonly<Record<Style, string>>;

const dark: StyleCodes = {
  strong: "1",
  dim: "38;5;245",
  accent: "38;5;117",
  good: "38;5;114",
  bad: "38;5;210",
  warning: "38;5;221",
  user: "38;5;153",
  heading: "1;38;5;222",
  link: "4;38;5;117",
  code: "38;5;180",
  quote: "3;38;5;250",
  added: "38;5;114",
  removed: "38;5;210",
  selected: "7",
  border: "38;5;240",
  front: "38;5;110",
  tail: "38;5;150",
  fresh: "38;5;222",
  free: "38;5;238",
};

const light: StyleCodes = {
  ...dark,
  dim: "38;5;243",
  accent: "38;5;25",
  good: "38;5;28",
  bad: "38;5;124",
  warning: "38;5;130",
  user: "38;5;24",
  heading: "1;38;5;94",
  link: "4;38;5;25",
  code: "38;5;94",
  quote: "3;38;5;240",
  added: "38;5;28",
  removed: "38;5;124",
  border: "38;5;250",
  front: "38;5;25",
  tail: "38;5;64",
  fresh: "38;5;130",
  free: "38;5;252",
};

/** Weight and reversal are no colours. */
const none: StyleCodes = {
  ...(Object.fromEntries(Object.keys(dark).map((style) => [style, ""])) as StyleCodes),
  strong: "1",
  heading: "1",
  selected: "7",
};

const themeCodes: Readonly<Record<ThemeName, StyleCodes>> = { dark, light, none };

export interface ThemeOptions {
  readonly environment: Environment;
  /** What was set; `auto` unless it was. */
  readonly setting?: "auto" | "dark" | "light" | undefined;
  /** What the terminal answered; absent where it did not. */
  readonly background?: RgbColor | undefined;
}

export function chooseTheme({ environment, setting = "auto", background }: ThemeOptions): ThemeName {
  if (isColourless(environment)) return "none";
  if (setting !== "auto") return setting;
  if (background) return isLight(background) ? "light" : "dark";
  return parseColorFgBg(environment.COLORFGBG) ?? "dark";
}

/** Then nothing else is asked. */
export function isColourless({ NO_COLOR, TERM }: Environment): boolean {
  return (NO_COLOR !== undefined && NO_COLOR !== "") || TERM === "dumb";
}

/** As the eye weighs colours. */
function isLight({ r, g, b }: RgbColor): boolean {
  return 0.299 * r + 0.587 * g + 0.114 * b > 127;
}

/** `0;15`: dark letters on a light ground, by the terminal's own colours. */
function parseColorFgBg(colours: string | undefined): ThemeName | null {
  const backgroundCode = colours?.split(";").at(-1) ?? "";
  if (!/^\d{1,2}$/.test(backgroundCode)) return null;
  return backgroundCode === "7" || Number(backgroundCode) >= 9 ? "light" : "dark";
}

export interface RenderContext {
  readonly width: number;
  readonly theme: Theme;
  readonly isUnfolded: boolean;
  /** Rows there are for what is not finished yet; its end is shown. Absent: all of it. */
  readonly maxRows?: number;
  /** How the terminal takes pictures; only for what is printed for good, since a picture cannot be drawn anew. */
  readonly imageProtocol?: ImageProtocol;
  /** In milliseconds, for what says how long it has been under way. */
  readonly now: number;
  /** Which key does what, for hints that name one; absent: as usual. */
  readonly keymap?: Keymap;
}

/** Whether it can still be opened and closed. */
export function isLive({ maxRows }: RenderContext): boolean {
  return maxRows !== undefined;
}
