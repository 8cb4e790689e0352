/** What the model sees now, on a page: every part under its heading. */

import { seenPlaces } from "../../../commands/fitting/seeing/seen.ts";
import type { SeenPart } from "../../../commands/fitting/seeing/seen-parts.ts";
import { amount } from "../../../printing/amounts.ts";
import { clipped } from "../../../printing/clipped.ts";
import { plainLine } from "../../../printing/plain-line.ts";
import type { Panel } from "../panel.ts";
import { pageLines } from "../reading/page-lines.ts";
import { pager } from "../reading/pager.ts";
import type { PageLine, PagerState } from "../reading/pager-state.ts";

export function seenPage(parts: readonly SeenPart[], tokens: number): Panel<PagerState, null> {
  return pager({
    title: `What the model sees now: ${amount(tokens)} tokens`,
    lines: (width) => parts.flatMap((part, at) => linesOf(part, parts[at - 1], width)),
  });
}

function linesOf(part: SeenPart, before: SeenPart | undefined, width: number): readonly PageLine[] {
  const heading = `── ${seenPlaces[part.place]} `;
  const headings: readonly PageLine[] =
    before?.place === part.place
      ? []
      : [{ text: heading + "─".repeat(Math.max(0, width - heading.length)), isHeading: true }];
  const who: PageLine = { text: ` ${clipped(plainLine(part.who), width - 4)}:`, isHeading: true };
  const words = pageLines(part.text.trimEnd(), width - INDENT.length);
  return [...headings, who, ...words.map(({ text }) => ({ text: INDENT + text })), { text: "" }];
}

const INDENT = "   ";
