/** One paragraph of Markdown as lines; what cannot be read as such in no time is shown as it was written. */

import { detectCapabilities, Markdown, setCapabilities } from "@earendil-works/pi-tui";
import type { Brush } from "../brush.ts";
import { shownText } from "../lines/shown-text.ts";
import { wrapped } from "../lines/wrapped.ts";
import type { Theme } from "../theme.ts";
import { isTame } from "./is-tame.ts";
import { FRAME, markdownInks } from "./markdown-inks.ts";

// Where a link leads stands beside its words, always: words that hide an address are how one is led astray.
setCapabilities({ ...detectCapabilities(() => false), hyperlinks: false });

export function markdownLines(paragraph: string, { width, theme }: Brush): readonly string[] {
  const text = shownText(paragraph);
  const lines = isTame(text) ? rendered(text, { width: Math.max(1, width - 2), theme }) : null;
  return lines?.map((line) => `  ${line}`.trimEnd()) ?? wrapped(paragraph.trimEnd(), { width });
}

function rendered(text: string, { width, theme }: { readonly width: number; readonly theme: Theme }) {
  try {
    const lines = new Markdown(text, 0, 0, markdownInks(theme)).render(width);
    return withoutBlankEnd(lines.filter((line) => !line.includes(FRAME)));
  } catch {
    // Whatever it stumbles over is words, too.
    return null;
  }
}

export function withoutBlankEnd(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== "") + 1);
}
