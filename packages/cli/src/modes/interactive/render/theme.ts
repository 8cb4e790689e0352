/** Defines the themes (dark, light and without colours) and the drawing options, and chooses the theme for a terminal. */

import type { Environment } from "@pith/models";
import type { Keymap } from "../../../settings/keymap.ts";
import type { ImageProtocol, RgbColor } from "../terminal/pi-tui.ts";

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
  /** The background of a changed line in a diff. Only terminals with true color have one: the 256 colors have none that is pale enough. */
  | "addedLine"
  | "removedLine"
  | "selected"
  | "border"
  /** Parts of the context bar: what comes before all messages, the messages a compaction kept, newer messages, and free space. */
  | "base"
  | "kept"
  | "recent"
  | "free";

export type Theme = Readonly<Record<Style, (text: string) => string>> & { readonly name: ThemeName };

export type ThemeName = "dark" | "light" | "none";

export interface ThemeColors {
  /** Whether the terminal shows colors with 24 bits. Default: false. */
  readonly hasTrueColor?: boolean;
}

export function createTheme(name: ThemeName, { hasTrueColor = false }: ThemeColors = {}): Theme {
  const styles = Object.entries(themeCodes[name]).map(([style, code]) => {
    const isShown = hasTrueColor || !code.startsWith("48;2;");
    return [style, createStyler(isShown ? code : "")];
  });
  return { ...Object.fromEntries(styles), name };
}

/** Text in the styled text may end its own style: this style then continues. */
function createStyler(code: string): (text: string) => string {
  if (code === "") return (text) => text;
  return (text) => `\x1b[${code}m${text.replaceAll("\x1b[0m", `\x1b[0m\x1b[${code}m`)}\x1b[0m`;
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
  addedLine: "48;2;24;48;36",
  removedLine: "48;2;60;30;34",
  selected: "7",
  border: "38;5;240",
  base: "38;5;110",
  kept: "38;5;150",
  recent: "38;5;222",
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
  addedLine: "48;2;218;251;225",
  removedLine: "48;2;255;235;233",
  border: "38;5;250",
  base: "38;5;25",
  kept: "38;5;64",
  recent: "38;5;130",
  free: "38;5;252",
};

/** Bold and reverse video are not colours, so they stay. */
const none: StyleCodes = {
  ...(Object.fromEntries(Object.keys(dark).map((style) => [style, ""])) as StyleCodes),
  strong: "1",
  heading: "1",
  selected: "7",
};

const themeCodes: Readonly<Record<ThemeName, StyleCodes>> = { dark, light, none };

export interface ThemeOptions {
  readonly environment: Environment;
  /** The theme setting. Default: `auto`. */
  readonly setting?: "auto" | "dark" | "light" | undefined;
  /** The background colour that the terminal reported. Absent if it reported none. */
  readonly background?: RgbColor | undefined;
}

export function chooseTheme({ environment, setting = "auto", background }: ThemeOptions): ThemeName {
  if (isColourless(environment)) return "none";
  if (setting !== "auto") return setting;
  if (background) return isLight(background) ? "light" : "dark";
  return parseColorFgBg(environment.COLORFGBG) ?? "dark";
}

/** Without colours, the terminal is not asked for its background. */
export function isColourless({ NO_COLOR, TERM }: Environment): boolean {
  return (NO_COLOR !== undefined && NO_COLOR !== "") || TERM === "dumb";
}

/** Windows Terminal shows true color but does not always set COLORTERM. */
export function hasTrueColor({ COLORTERM, WT_SESSION }: Environment): boolean {
  return COLORTERM === "truecolor" || COLORTERM === "24bit" || Boolean(WT_SESSION);
}

/** Weighs the colours by perceived brightness. */
function isLight({ r, g, b }: RgbColor): boolean {
  return 0.299 * r + 0.587 * g + 0.114 * b > 127;
}

/** Parses e.g. `0;15`: dark text on a light background, as ANSI colour numbers. */
function parseColorFgBg(colours: string | undefined): ThemeName | null {
  const backgroundCode = colours?.split(";").at(-1) ?? "";
  if (!/^\d{1,2}$/.test(backgroundCode)) return null;
  return backgroundCode === "7" || Number(backgroundCode) >= 9 ? "light" : "dark";
}

export interface RenderContext {
  readonly width: number;
  readonly theme: Theme;
  readonly isUnfolded: boolean;
  /** The rows available in the live region; only the end of a longer block is shown. Absent if the block is printed permanently. */
  readonly maxRows?: number;
  /** The image protocol of the terminal. Only set for permanently printed blocks, since an image cannot be redrawn. */
  readonly imageProtocol?: ImageProtocol;
  /** The current time in milliseconds, for elapsed times. */
  readonly now: number;
  /** The keys that hints name. Default: the default keymap. */
  readonly keymap?: Keymap;
}

/** Whether the block is in the live region, where the user can still fold and unfold it. */
export function isLive({ maxRows }: RenderContext): boolean {
  return maxRows !== undefined;
}
