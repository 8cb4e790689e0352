/** One paragraph of Markdown as lines; what cannot be read as such in no time is shown as it was written. */

import { detectCapabilities, Markdown, type MarkdownTheme, setCapabilities } from "@earendil-works/pi-tui";
import type { Brush } from "../brush.ts";
import { codeLines } from "../code/code-rows.ts";
import { shownText, wrapped } from "../lines/wrapped.ts";
import type { Theme } from "../theme.ts";
import { isTame } from "./is-tame.ts";

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

/** Stands in lines that are only there to frame code: its place shows what it is. */
const FRAME = "\0";

/** What only colour would tell apart is marked with signs where there is none. */
function markdownInks(theme: Theme): MarkdownTheme {
  const asIs = (text: string): string => text;
  return {
    heading: theme.heading,
    link: theme.link,
    linkUrl: theme.dim,
    code: theme.name === "none" ? (text) => `\`${text}\`` : theme.code,
    codeBlock: theme.code,
    codeBlockBorder: () => FRAME,
    codeBlockIndent: "  ",
    quote: theme.quote,
    quoteBorder: theme.border,
    hr: theme.border,
    listBullet: theme.accent,
    bold: theme.strong,
    italic: (text) => `\x1b[3m${text}\x1b[23m`,
    strikethrough: (text) => `\x1b[9m${text}\x1b[29m`,
    underline: asIs,
    highlightCode: (code, language) => [...codeLines(code, language, theme)],
  };
}
