/** Finds what looks like prompt structure in a text, whatever its case, width, spaces and invisible characters. */

/** Returns labels at the beginning of a line, and entry numbers and tags anywhere, in order. */
export function findStructure(text: string): readonly string[] {
  const folded = text
    .replace(/[\u2028\u2029\u0085\v\f\r]/g, "\n")
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/[【〔⟦]/g, "[")
    .replace(/[】〕⟧]/g, "]")
    .toLowerCase();
  return [...folded.matchAll(STRUCTURE)].map(([found]) => found.replace(/\s/g, ""));
}

const LABELS = "user|human|system|assistant(?: thinking| tool calls)?|tool result|shell|note";
const TAGS = "conversation|previous-summary|partial-summary|read-files|modified-files";
const STRUCTURE = new RegExp(
  [
    `^[^\\S\\n]*\\[\\s*(?:${LABELS})\\s*\\]`,
    "\\[\\s*(?:#\\s*\\d|entry\\s*:)[^\\]\\n]*\\]",
    `<\\s*/?\\s*(?:${TAGS})`,
    // `a < summary` is a comparison.
    "</?summary\\b|<\\s*/?\\s*summary\\s*/?>",
  ].join("|"),
  "gm",
);
