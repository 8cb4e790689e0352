/** A theme that can be changed while it is drawn with: whoever holds its inks draws with the new ones from then on. */

import { type Ink, type Theme, type ThemeName, themeNamed } from "./theme.ts";

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
