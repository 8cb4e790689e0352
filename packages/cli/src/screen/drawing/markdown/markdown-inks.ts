/** Markdown in our inks. What only colour would tell apart is marked with signs where there is none. */

import type { MarkdownTheme } from "@earendil-works/pi-tui";
import { codeLines } from "../code/code-lines.ts";
import type { Theme } from "../theme.ts";

/** Stands in lines that are only there to frame code: its place shows what it is. */
export const FRAME = "\0";

export function markdownInks(theme: Theme): MarkdownTheme {
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
