/** Repairs the form of a summary without changing what it says: headings, citations that do not exist, and marks behind lines. */

import { findCitations, formatCitation, replaceCitations } from "../references.ts";
import { findCodeLines, headingOf, isFence, type Mark, markOf, statesNothing, TURN_TITLE } from "./summary-lines.ts";

/** Every required heading once and in order; what stands below a heading moves with it. Null for a text with too few of them. */
export function restoreHeadings(lines: readonly string[], required: readonly string[]): readonly string[] | null {
  if (hasHeadingsInOrder(lines, required)) return lines;
  const blocks = splitBlocks(withoutOpenFence(withoutTurnTitle(lines)), required);
  if (!hasEnoughHeadings(blocks, required)) return null;
  const bodyOf = (wanted: string | null): readonly string[] =>
    blocks.filter(({ heading }) => heading === wanted).flatMap(({ body }) => trimBlankLines(body));
  const sections = required.map((heading, at) => {
    const body = bodyOf(heading);
    const isParent = levelOf(required[at + 1]) > levelOf(heading);
    const title = heading === FIRST_OF_TURN && at > 0 ? ["---", "", TURN_TITLE, ""] : [];
    return [...title, heading, ...(body.every(statesNothing) && !isParent ? [NONE] : body)];
  });
  const all = [bodyOf(null), ...sections].filter((section) => section.length > 0);
  return all.flatMap((section, at) => (at === 0 ? section : ["", ...section]));
}

function hasHeadingsInOrder(lines: readonly string[], required: readonly string[]): boolean {
  const wanted = required.map((heading) => headingOf(heading)?.name);
  const found = headingNames(lines).filter((name) => name !== undefined && wanted.includes(name));
  return found.join("\n") === wanted.join("\n");
}

const FIRST_OF_TURN = "## Original Request";
const NONE = "- (none)";

const levelOf = (heading: string | undefined): number => (heading && headingOf(heading)?.level) || 0;

interface Block {
  /** As it is required; null before the first. */
  readonly heading: string | null;
  readonly body: readonly string[];
}

/** Headings that are not required stay with what they stand below. */
function splitBlocks(lines: readonly string[], required: readonly string[]): readonly Block[] {
  const byName = new Map(required.map((heading) => [headingOf(heading)?.name, heading]));
  const blocks: { readonly heading: string | null; readonly body: string[] }[] = [{ heading: null, body: [] }];
  const names = headingNames(lines);
  for (const [at, line] of lines.entries()) {
    const name = names[at];
    const heading = name === undefined ? undefined : byName.get(name);
    if (heading === undefined) blocks.at(-1)?.body.push(line);
    else blocks.push({ heading, body: [] });
  }
  return blocks;
}

/** The name of each heading; undefined for other lines, and for what only looks like one in a code block. */
function headingNames(lines: readonly string[]): readonly (string | undefined)[] {
  const isCode = findCodeLines(lines);
  return lines.map((line, at) => (isCode[at] ? undefined : headingOf(line)?.name));
}

function hasEnoughHeadings(blocks: readonly Block[], required: readonly string[]): boolean {
  const found = new Set(blocks.map(({ heading }) => heading));
  const count = required.filter((heading) => found.has(heading)).length;
  return count >= ENOUGH_HEADINGS || count * 2 >= required.length;
}

const ENOUGH_HEADINGS = 4;

function withoutTurnTitle(lines: readonly string[]): readonly string[] {
  const at = lines.findIndex((line) => line.trim() === TURN_TITLE);
  if (at < 0) return lines;
  const rule = lines.slice(0, at).findLastIndex((line) => line.trim() !== "");
  return [...lines.slice(0, lines[rule]?.trim() === "---" ? rule : at), ...lines.slice(at + 1)];
}

/** A code block that never ends is none; moved to another place, its fence would pair with one that stands there. */
function withoutOpenFence(lines: readonly string[]): readonly string[] {
  const isCode = findCodeLines(lines);
  return lines.filter((line, at) => isCode[at] || !isFence(line));
}

function trimBlankLines(body: readonly string[]): readonly string[] {
  const isText = (line: string): boolean => line.trim() !== "";
  const first = body.findIndex(isText);
  return first < 0 ? [] : body.slice(first, body.findLastIndex(isText) + 1);
}

/** Only code writes headings of the first level: they part the summary message into what the user, a model and code have written. */
export function lowerHeadings(lines: readonly string[]): readonly string[] {
  const isCode = findCodeLines(lines);
  return lines.map((line, at) => (isCode[at] ? line : lowerHeading(line)));
}

function lowerHeading(line: string): string {
  if (/^ {0,3}#(?:\s|$)/.test(line)) return `#${line.trimStart()}`;
  return /^ {0,3}=+\s*$/.test(line) ? `\\${line.trimStart()}` : line;
}

export interface RepairedCitations {
  readonly lines: readonly string[];
  readonly cited: number;
  readonly unresolved: number;
  /** Lines that cite entries, none of which exists. */
  readonly unfounded: ReadonlySet<number>;
}

/** Writes every citation in its short form, without the entries that do not exist. */
export function repairCitations(
  lines: readonly string[],
  resolve: (reference: string) => string | null,
): RepairedCitations {
  let [cited, unresolved] = [0, 0];
  const unfounded = new Set<number>();
  const repaired = lines.map((line, at) => {
    let isFounded = false;
    const text = replaceCitations(line, ({ start, end, references }) => {
      const known = references.flatMap((reference) => resolve(reference) ?? []);
      cited += references.length;
      unresolved += references.length - known.length;
      isFounded ||= known.length > 0;
      const isWhole = known.length === references.length && known.every((each, index) => each === references[index]);
      const isRange = /\d\s*[–—-]\s*(?:entry )?#?\d/.test(line.slice(start, end));
      return isWhole && isRange ? line.slice(start, end) : formatCitation([...new Set(known)]);
    });
    if (!isFounded && findCitations(line).length > 0) unfounded.add(at);
    return text === line || statesNothing(text) ? line : text.trimEnd();
  });
  return { lines: repaired, cited, unresolved, unfounded };
}

/** The line with a mark behind it; a line has one mark at most. */
export function addMark(line: string, mark: Mark): string {
  return markOf(line) === null ? `${line.trimEnd()} ${mark}` : line;
}
