/** The theme that suits a terminal: as set, else as its background is, else for a dark one. Pure. */

import type { RgbColor } from "@earendil-works/pi-tui";
import type { Environment } from "@pith/models";
import type { ThemeName } from "./theme.ts";

export interface Surroundings {
  readonly environment: Environment;
  /** What was set; `auto` unless it was. */
  readonly wish?: "auto" | "dark" | "light" | undefined;
  /** What the terminal answered; absent where it did not. */
  readonly background?: RgbColor | undefined;
}

export function themeFor({ environment, wish = "auto", background }: Surroundings): ThemeName {
  if (isColourless(environment)) return "none";
  if (wish !== "auto") return wish;
  if (background) return isLight(background) ? "light" : "dark";
  return told(environment.COLORFGBG) ?? "dark";
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
function told(colours: string | undefined): ThemeName | null {
  const ground = colours?.split(";").at(-1) ?? "";
  if (!/^\d{1,2}$/.test(ground)) return null;
  return ground === "7" || Number(ground) >= 9 ? "light" : "dark";
}
