/** Code in inks, as soon as whoever knows languages is loaded; until then, and where it is too long, in one ink. */

import type { Theme } from "../theme.ts";

export type Highlight = (code: string, language: string, theme: Theme) => readonly string[] | null;

let highlight: Highlight | null = null;
let loading: Promise<void> | null = null;

export function codeLines(code: string, language: string | undefined, theme: Theme): readonly string[] {
  if (highlight === null) void highlighterLoaded();
  const isPlain = code.length > LONGEST || language === undefined || theme.name === "none";
  const lines = isPlain ? null : highlight?.(code, language, theme);
  return lines ?? code.split("\n").map((line) => (line === "" ? "" : theme.code(line)));
}

/** Loaded when the first code is seen: a start without any does not wait for it. */
export function highlighterLoaded(): Promise<void> {
  loading ??= import("./highlight.ts").then((loaded) => {
    highlight = loaded.highlight;
  });
  return loading;
}

/** Reading so much takes a few hundredths of a second. */
const LONGEST = 30_000;
