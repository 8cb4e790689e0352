/** Writes and finds references to entries and blobs in text that a model reads: `#412`, `blob:1a2b3c4d`, and the older long forms. */

import type { Entry } from "./entry.ts";

/** What opens an entry with `read`: `#412`, or `entry:<id>` for an entry without a number. */
export function entryReference({ id, number }: Pick<Entry, "id" | "number">): string {
  return number === undefined ? `entry:${id}` : `#${number}`;
}

/** What opens a blob with `read`: the beginning of its hash is enough. */
export function blobReference(hash: string, digits: number = MIN_BLOB_DIGITS): string {
  return `blob:${hash.slice(0, digits)}`;
}

/** The fewest digits of a hash that name a blob. */
export const MIN_BLOB_DIGITS = 8;

/** The digits of every reference to a blob in a text: the beginning of its hash, or all of it. */
export function findBlobDigits(text: string): readonly string[] {
  return Array.from(text.matchAll(BLOB_PATTERN), ([, digits = ""]) => digits);
}

/** The text with other digits in its references to blobs; undefined leaves one as it is. */
export function replaceBlobDigits(text: string, replace: (digits: string) => string | undefined): string {
  return text.replace(BLOB_PATTERN, (reference, digits: string) => {
    const newDigits = replace(digits);
    return newDigits === undefined ? reference : `blob:${newDigits}`;
  });
}

const BLOB_PATTERN = /\bblob:([0-9a-f]{8,64})(?![0-9a-f])/g;

/** References in brackets: `[#12]`, `[#12, #15]`, `(entry:4f2a)`. A bare `#12` or `(#12)` in a sentence is prose, and code is code. */
export interface Citation {
  readonly start: number;
  readonly end: number;
  /** Each once, as `#12` or `entry:4f2a`; of a range such as `[#12–#15]`, its ends. */
  readonly references: readonly string[];
}

export function findCitations(text: string): readonly Citation[] {
  const prose = text.replace(INLINE_CODE_PATTERN, (code) => "`".repeat(code.length));
  return [...prose.matchAll(CITATION_PATTERN)].map(({ 0: match, index }) => ({
    start: index,
    end: index + match.length,
    references: parseReferences(match),
  }));
}

/** All entries that a text cites, each once. */
export function findCitedReferences(text: string): readonly string[] {
  return [...new Set(findCitations(text).flatMap(({ references }) => references))];
}

/** The text without its citations. */
export function removeCitations(text: string): string {
  return replaceCitations(text, () => "");
}

/** The text with every citation replaced. */
export function replaceCitations(text: string, replace: (citation: Citation) => string): string {
  const parts: string[] = [];
  let end = 0;
  for (const citation of findCitations(text)) {
    parts.push(text.slice(end, citation.start), replace(citation));
    end = citation.end;
  }
  return [...parts, text.slice(end)].join("");
}

/** As it stands in a text: ` [#12, #15]`; empty for none. */
export function formatCitation(references: readonly string[]): string {
  return references.length === 0 ? "" : ` [${references.join(", ")}]`;
}

function parseReferences(citation: string): readonly string[] {
  const references: string[] = [];
  for (const [, id, number] of citation.matchAll(REFERENCE_PATTERN)) {
    references.push(number === undefined ? `entry:${trimPunctuation(id ?? "")}` : `#${Number(number)}`);
  }
  return [...new Set(references)];
}

// The full stop of a sentence is no part of an id.
const trimPunctuation = (id: string): string => id.replace(/[.;:!?'"`*…]{1,5}$/, "");

const ENTRY_ID_PATTERN = "[^\\s,;&()[\\]{}<>【】]+";
/** The id ends where a list goes on or the citation ends; without that, a `-` could belong to either, in exponential time. */
const LONG_REFERENCE_PATTERN = `entry: ?${ENTRY_ID_PATTERN}(?=[\\s,;)\\]】]|$)`;
const SINGLE_REFERENCE_PATTERN = `(?:(?:entry )?#\\d{1,9}|${LONG_REFERENCE_PATTERN})`;
const REFERENCE_SEPARATOR_PATTERN = `\\s{0,3}[,;&~–—-]\\s{0,3}`;
const CITATION_PATTERN = new RegExp(
  `[ \\t]?(?:[[【]\\s{0,3}${SINGLE_REFERENCE_PATTERN}(?:${REFERENCE_SEPARATOR_PATTERN}(?:${SINGLE_REFERENCE_PATTERN}|\\d{1,9})){0,50}\\s{0,3}[\\]】]|\\(\\s{0,3}${LONG_REFERENCE_PATTERN}(?:${REFERENCE_SEPARATOR_PATTERN}${SINGLE_REFERENCE_PATTERN}){0,50}\\s{0,3}\\))`,
  "giu",
);
const INLINE_CODE_PATTERN = /`[^`\n]*`/g;
const REFERENCE_PATTERN = new RegExp(`entry: ?(${ENTRY_ID_PATTERN})|#?(\\d{1,9})(?![^\\s,;&~–—)\\]】-])`, "giu");
