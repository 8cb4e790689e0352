/** Tabs and blanks at the starts of lines: whether two blocks are indented alike, and how one becomes the other. */

export interface Indent {
  /** How many blanks a tab stands for. */
  readonly width: number;
  /** What the file has where the other text has something else. */
  readonly with: "tabs" | "blanks" | "as-is";
}

/** How lines of a file relate to lines that differ only in white space; null where their depths differ. */
export function indentBetween(there: readonly string[], wanted: readonly string[]): Indent | null {
  const width = WIDTHS.find((blanks) => wanted.every((line, at) => isAsDeep(there[at] ?? "", line, blanks)));
  if (width === undefined) return null;
  const changesTo = styleOf(there);
  return { width, with: changesTo === styleOf(wanted) ? "as-is" : changesTo };
}

export function indented(line: string, { width, with: style }: Indent): string {
  if (style === "as-is") return line;
  const lead = leadOf(line);
  const depth = depthOf(lead, width);
  const blanks = style === "tabs" ? depth % width : depth;
  const tabs = style === "tabs" ? (depth - blanks) / width : 0;
  return "\t".repeat(tabs) + " ".repeat(blanks) + line.slice(lead.length);
}

/** The first that fits is taken. */
const WIDTHS: readonly number[] = [4, 2, 8, 3];

function isAsDeep(there: string, wanted: string, width: number): boolean {
  if (wanted.trim() === "") return true;
  return depthOf(leadOf(there), width) === depthOf(leadOf(wanted), width);
}

function styleOf(lines: readonly string[]): Indent["with"] {
  const leads = lines.filter((line) => line.trim() !== "").map(leadOf);
  if (leads.some((lead) => lead.includes("\t"))) return "tabs";
  return leads.some((lead) => lead !== "") ? "blanks" : "as-is";
}

function leadOf(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? "";
}

/** The column where a text begins: a tab leads to the next multiple of its width. */
function depthOf(lead: string, width: number): number {
  return [...lead].reduce((depth, sign) => (sign === "\t" ? depth - (depth % width) + width : depth + 1), 0);
}
