/** Finds, formats and replaces citations of entries such as `[#412]`, and references to blobs such as `blob:1a2b3c4d`, in text that a model reads. */

/** Returns the reference to a blob for the `read` tool: `blob:` and the first digits of its hash. */
export function blobReference(hash: string, digits: number = MIN_BLOB_DIGITS): string {
  return `blob:${hash.slice(0, digits)}`;
}

/** The minimum number of hash digits in a blob reference. */
export const MIN_BLOB_DIGITS = 8;

/** Finds the hash digits of every blob reference in a text. */
export function findBlobDigits(text: string): readonly string[] {
  return Array.from(text.matchAll(BLOB_PATTERN), ([, digits = ""]) => digits);
}

/** Replaces the hash digits of blob references in a text. `replace` returns undefined to keep one. */
export function replaceBlobDigits(text: string, replace: (digits: string) => string | undefined): string {
  return text.replace(BLOB_PATTERN, (reference, digits: string) => {
    const newDigits = replace(digits);
    return newDigits === undefined ? reference : `blob:${newDigits}`;
  });
}

const BLOB_PATTERN = /\bblob:([0-9a-f]{8,64})(?![0-9a-f])/g;

/** Finds the citations in a text. A bare `#12` or `(#12)` and inline code are not citations. */
export function findCitations(text: string): readonly Citation[] {
  const prose = text.replace(INLINE_CODE_PATTERN, (code) => "`".repeat(code.length));
  return [...prose.matchAll(CITATION_PATTERN)].map(({ 0: match, index }) => ({
    start: index,
    end: index + match.length,
    references: parseReferences(match),
  }));
}

/** References in brackets: `[#12]`, `[#12, #15]`, `(entry:4f2a)`. */
export interface Citation {
  readonly start: number;
  readonly end: number;
  /** The references without duplicates, as `#12` or `entry:4f2a`. A range such as `[#12–#15]` gives its ends. */
  readonly references: readonly string[];
}

/** Finds all references that a text cites, without duplicates. */
export function findCitedReferences(text: string): readonly string[] {
  return [...new Set(findCitations(text).flatMap(({ references }) => references))];
}

/** Removes the citations from a text. */
export function removeCitations(text: string): string {
  return replaceCitations(text, () => "");
}

/** Replaces every citation in a text. */
export function replaceCitations(text: string, replace: (citation: Citation) => string): string {
  const parts: string[] = [];
  let end = 0;
  for (const citation of findCitations(text)) {
    parts.push(text.slice(end, citation.start), replace(citation));
    end = citation.end;
  }
  return [...parts, text.slice(end)].join("");
}

/** Formats a citation with a leading space: ` [#12, #15]`. Returns an empty string for no references. */
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

// Punctuation at the end of a sentence is not part of an id.
const trimPunctuation = (id: string): string => id.replace(/[.;:!?'"`*…]{1,5}$/, "");

const ENTRY_ID_PATTERN = "[^\\s,;&()[\\]{}<>【】]+";
/** The lookahead ends the id at a separator or at the end of the citation. Without it, a `-` is ambiguous and backtracking is exponential. */
const LONG_REFERENCE_PATTERN = `entry: ?${ENTRY_ID_PATTERN}(?=[\\s,;)\\]】]|$)`;
const SINGLE_REFERENCE_PATTERN = `(?:(?:entry )?#\\d{1,9}|${LONG_REFERENCE_PATTERN})`;
const REFERENCE_SEPARATOR_PATTERN = `\\s{0,3}[,;&~–—-]\\s{0,3}`;
const CITATION_PATTERN = new RegExp(
  `[ \\t]?(?:[[【]\\s{0,3}${SINGLE_REFERENCE_PATTERN}(?:${REFERENCE_SEPARATOR_PATTERN}(?:${SINGLE_REFERENCE_PATTERN}|\\d{1,9})){0,50}\\s{0,3}[\\]】]|\\(\\s{0,3}${LONG_REFERENCE_PATTERN}(?:${REFERENCE_SEPARATOR_PATTERN}${SINGLE_REFERENCE_PATTERN}){0,50}\\s{0,3}\\))`,
  "giu",
);
const INLINE_CODE_PATTERN = /`[^`\n]*`/g;
const REFERENCE_PATTERN = new RegExp(`entry: ?(${ENTRY_ID_PATTERN})|#?(\\d{1,9})(?![^\\s,;&~–—)\\]】-])`, "giu");
