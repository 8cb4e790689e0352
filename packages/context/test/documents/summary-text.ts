/** Creates a summary as a model writes it: the sections of the documents, some with lines and the others empty. */

import { listHeadings, type SummaryFormatName } from "../../src/summary/prompts.ts";

/** Lines by the text of their heading. */
export type SummaryLines = Readonly<Record<string, readonly string[]>>;

export function createSummaryText(lines: SummaryLines, format: SummaryFormatName = "summary"): string {
  return listHeadings(format)
    .map((heading) => [heading, ...(lines[heading.replace(/^#+ /, "")] ?? emptySection(heading))].join("\n"))
    .join("\n\n");
}

// Progress consists of the headings below it.
function emptySection(heading: string): readonly string[] {
  return heading === "## Progress" ? [] : ["- (none)"];
}
