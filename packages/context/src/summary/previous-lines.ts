/** Reads what earlier checks found out about the lines of the previous summary: which are confirmed, which are marked, and what they cite. */

import { removeCitations } from "../citations.ts";
import { splitQuotationWords } from "../text/sanitize.ts";
import {
  findSummaryItems,
  isPlanSection,
  parseMark,
  removeMarks,
  type SummaryItem,
  type SummaryMark,
  splitSummaryLines,
  stripLineMarkup,
} from "./parse-summary.ts";

/** Finds the lines without a mark. Plans are left out: they are not compared with the session, so they are never confirmed. */
export function findConfirmedItems(previous: string): readonly SummaryItem[] {
  return findSummaryItems(splitSummaryLines(previous)).filter(
    ({ text, section }) => parseMark(text) === null && !isPlanSection(section),
  );
}

/** Returns the confirmed lines of some sections, by the entries they cite. */
export function collectConfirmedTexts(
  previous: string,
  isWanted: (section: string) => boolean,
): ReadonlyMap<string, string> {
  return joinByReference(findConfirmedItems(previous).filter(({ section }) => isWanted(section)));
}

/** Returns the lines that an earlier check marked as not from the user, by the entries they cite. */
export function collectNonUserTexts(previous: string): ReadonlyMap<string, string> {
  const items = findSummaryItems(splitSummaryLines(previous));
  return joinByReference(items.filter(({ text }) => parseMark(text) === "(not from the user)"));
}

function joinByReference(items: readonly SummaryItem[]): ReadonlyMap<string, string> {
  const citations = items.flatMap(({ text, references }) => references.map((reference) => ({ reference, text })));
  const lines = Map.groupBy(citations, ({ reference }) => reference);
  return new Map(
    [...lines].map(([reference, each]) => [
      reference,
      removeCitations(removeMarks(each.map(({ text }) => text).join("\n"))),
    ]),
  );
}

/** Finds the entries that only marked lines cite. */
export function findDoubtfulReferences(previous: string): ReadonlySet<string> {
  const items = findSummaryItems(splitSummaryLines(previous));
  const isMarked = ({ text }: { readonly text: string }): boolean => parseMark(text) !== null;
  const confirmedReferences = new Set(items.filter((item) => !isMarked(item)).flatMap(({ references }) => references));
  return new Set(
    items.filter(isMarked).flatMap(({ references }) => references.filter((each) => !confirmedReferences.has(each))),
  );
}

/** Returns the mark of each marked line, by its normalized words. */
export function findMarkedLines(previous: string): ReadonlyMap<string, SummaryMark> {
  return new Map(
    findSummaryItems(splitSummaryLines(previous)).flatMap(({ text }) => {
      const mark = parseMark(text);
      return mark === null ? [] : [[normalizeWords(removeMarks(text)), mark] as const];
    }),
  );
}

/** Removes marked lines, which are no evidence. */
export function removeMarkedItems(previous: string): string {
  const lines = splitSummaryLines(previous);
  const markedItems = findSummaryItems(lines).filter(({ text }) => parseMark(text) !== null);
  return lines.filter((_, index) => !markedItems.some(({ start, end }) => index >= start && index < end)).join("\n");
}

/** Recognizes confirmed lines, also after they were shortened. */
export class ConfirmedLines {
  readonly #linesByStart: ReadonlyMap<string, readonly ConfirmedLine[]>;

  constructor(previous: string) {
    const lines = findConfirmedItems(previous).flatMap(({ text, section, references }): readonly ConfirmedLine[] => {
      const clauses = splitClauses(text);
      return clauses.length === 0 ? [] : [{ key: lineKey(section, clauses[0]), clauses, references }];
    });
    this.#linesByStart = Map.groupBy(lines, ({ key }) => key);
  }

  /**
   * Whether a line consists of clauses of one confirmed line, begins like it and cites one of its entries and no others. The section
   * counts too: a line confirmed as work is not confirmed as a wish or a decision. The beginning may be “never” or “only if”.
   */
  has({ text, section, references }: Pick<SummaryItem, "text" | "section" | "references">): boolean {
    const clauses = splitClauses(text);
    const confirmedLines = this.#linesByStart.get(lineKey(section, clauses[0])) ?? [];
    return confirmedLines.some(
      (line) => isInOrder(clauses, line.clauses) && hasSameSources(references, line.references),
    );
  }
}

function hasSameSources(references: readonly string[], confirmed: readonly string[]): boolean {
  const isKnown = references.every((reference) => confirmed.includes(reference));
  return isKnown && (references.length > 0 || confirmed.length === 0);
}

interface ConfirmedLine {
  readonly key: string;
  readonly clauses: readonly string[];
  readonly references: readonly string[];
}

const lineKey = (section: string, start: string | undefined): string => `${section}\n${start ?? ""}`;

/** Splits a line at punctuation between words, not at punctuation in names and numbers. */
function splitClauses(text: string): readonly string[] {
  return stripLineMarkup(text)
    .split(/[,;:.!?](?=\s|$)|[()（），。；：、！？…]|\s[–—-]\s/u)
    .map(normalizeWords)
    .filter((clause) => clause !== "");
}

function isInOrder(parts: readonly string[], all: readonly string[]): boolean {
  let index = 0;
  return parts.every((part) => {
    index = all.indexOf(part, index) + 1;
    return index > 0;
  });
}

/** Joins the words of a text in the form in which quotations are compared. */
export const normalizeWords = (text: string): string => splitQuotationWords(text).join(" ");
