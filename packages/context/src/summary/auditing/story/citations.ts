/** The entries a line names: `(entry:ID)`, `(entry:ID, entry:ID2)`, and numbers of the prompt that were left over, `[e12]`. */

/** As they stand: the one who knows the ids takes the full stop off that a sentence may have put behind one. */
export function citedIds(text: string): readonly string[] {
  return [...text.matchAll(HANDLE)].map(([, id = ""]) => id);
}

/** The hashes of the blobs that are named. */
export function blobsIn(text: string): readonly string[] {
  return [...text.matchAll(BLOB)].map(([, hash = ""]) => hash);
}

/** Numbers that no entry had: all others have become ids. */
export function leftOver(text: string): readonly string[] {
  return text.match(NUMBER) ?? [];
}

/** The text as if it named nothing. */
export function withoutCitations(text: string): string {
  return text.replace(CITATION, " ").replace(HANDLE, " ").replace(NUMBER, " ");
}

/** The same letter for letter, so that all else keeps its place. */
export function maskedCitations(text: string): string {
  const blank = (found: string): string => " ".repeat(found.length);
  return text.replace(CITATION, blank).replace(HANDLE, blank).replace(NUMBER, blank);
}

/** The text without what names no entry. */
export function withKnownIds(text: string, isKnown: (id: string) => boolean): string {
  const [indent = ""] = /^\s*/.exec(text) ?? [];
  const rest = text
    .replace(NUMBER, "")
    .replace(CITATION, (citation) => citing(citedIds(citation).filter(isKnown)))
    .replace(HANDLE, (handle, id: string) => (isKnown(id) ? handle : ""));
  return `${indent}${rest.trim()}`;
}

/** The text without blobs that nobody knows. */
export function withKnownBlobs(text: string, isKnown: (hash: string) => boolean): string {
  return text.replace(BLOB, (handle, hash: string) => (isKnown(hash) ? handle : ""));
}

/** The text with one more entry named at its end. */
export function withCitation(text: string, id: string): string {
  return `${text.trimEnd()}${citing([id])}`;
}

function citing(ids: readonly string[]): string {
  const handles = [...new Set(ids)].map((id) => `entry:${id}`);
  return handles.length === 0 ? "" : ` (${handles.join(", ")})`;
}

/** Letters of an id before its first digit. */
const LETTERS = "[a-z_-]{0,40}";
const ID = "[^\\s,()[\\]{}<>]+";
/** A blank behind the colon only where what follows can be nothing else. */
const HANDLE = new RegExp(`(?<![\\p{L}\\p{N}_])entry\\p{Cf}{0,4}:(?: (?=${LETTERS}\\d))?(${ID})`, "giu");
const CITATION = new RegExp(` ?\\(\\s*entry:${ID}(?:\\s*,\\s*entry:${ID})*\\s*\\)`, "giu");
const NUMBERS = "(?:entry )?e ?\\d+(?:\\s*[,;&~–—-]\\s*e?\\d+)*";
const NUMBER = new RegExp(
  ` ?\\[${NUMBERS}\\]| ?\\(${NUMBERS}\\)|(?<![\\p{L}\\p{N}_])entry e\\d+(?![\\p{L}\\p{N}_])`,
  "giu",
);
const BLOB = /(?<![\p{L}\p{N}_])blob:([\p{L}\p{N}_-]{6,200})/giu;
