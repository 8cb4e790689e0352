/** The theme follows the settings and the terminal's background: asked once the first picture stands, which waits for neither. */

import type { RgbColor } from "@earendil-works/pi-tui";
import { pithHome } from "@pith/context/node";
import { readSettings } from "../../home/read-settings.ts";
import { settingsFrom } from "../../home/settings/field.ts";
import type { Settings } from "../../home/settings.ts";
import { type Ink, type Theme, type ThemeName, themeNamed } from "../drawing/theme.ts";
import { isColourless, type Surroundings, themeFor } from "../drawing/theme-for.ts";

export interface Dressed {
  readonly theme: Theme;
  /** As it is set, or as the terminal says when it is asked. */
  follow(screen: Dressable): Promise<void>;
}

export interface Dressable {
  background(mostMs: number): Promise<RgbColor | undefined>;
  redraw(): void;
}

export function wornHere(
  environment: Surroundings["environment"],
  wished: () => Promise<Settings["theme"]> = wishInSettings,
): Dressed {
  const { theme, wear } = wornTheme(themeFor({ environment }));
  const follow = async (screen: Dressable): Promise<void> => {
    if (isColourless(environment)) return;
    const wish = (await wished()) ?? "auto";
    const background = wish === "auto" ? await screen.background(MOST_MS) : undefined;
    const name = themeFor({ environment, wish, background });
    if (name === theme.name) return;
    wear(name);
    screen.redraw();
  };
  return { theme, follow };
}

/** Those that answer do so at once; the answer has to come over the line, though. */
const MOST_MS = 500;

async function wishInSettings(): Promise<Settings["theme"]> {
  const own = await readSettings(pithHome());
  // A mistake in them is told when all of them are read.
  return own.type === "read" ? settingsFrom(own.fields).theme : undefined;
}

/** Can be changed while it is drawn with: whoever holds its inks draws with the new ones from then on. */
export interface WornTheme {
  readonly theme: Theme;
  wear(name: ThemeName): void;
}

export function wornTheme(first: ThemeName): WornTheme {
  let worn = themeNamed(first);
  const inks = Object.keys(worn).filter((key): key is Ink => key !== "name");
  const turning = Object.fromEntries(inks.map((ink) => [ink, (text: string) => worn[ink](text)]));
  const theme = Object.defineProperty(turning, "name", { get: () => worn.name, enumerable: true });
  return {
    theme: theme as unknown as Theme,
    wear: (name) => {
      worn = themeNamed(name);
    },
  };
}
