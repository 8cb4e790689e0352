/** A record as a model would write it: the sections of the documents, with lines under some of them and nothing under the others. */

import { listHeadings, type SummaryFormatName } from "../../src/summary/prompts.ts";

/** Lines by the words of their heading. */
export type RecordLines = Readonly<Record<string, readonly string[]>>;

export function recorded(lines: RecordLines, format: SummaryFormatName = "summary"): string {
  return listHeadings(format)
    .map((heading) => [heading, ...(lines[heading.replace(/^#+ /, "")] ?? nothingUnder(heading))].join("\n"))
    .join("\n\n");
}

// Progress is told by the headings below it.
function nothingUnder(heading: string): readonly string[] {
  return heading === "## Progress" ? [] : ["- (none)"];
}
