/** The names in a line that something in the log must bear: paths, files, identifiers, addresses, hashes, versions, and code in backticks. */

import { JOINED } from "../wording/comparing/joined-scripts.ts";
import { isKnownBrand } from "./brands.ts";
import { isFileName, isPath } from "./paths.ts";

export interface Name {
  readonly text: string;
  /** `code` is whatever stands in backticks; `loose` is known where all its words are. */
  readonly kind: "code" | "path" | "exact" | "loose";
  /** Where it stands, its backticks included. */
  readonly start: number;
  readonly end: number;
}

/** Citations must have been taken out, letter for letter. */
export function namesIn(text: string): readonly Name[] {
  const code = [...text.matchAll(CODE)].map(({ 0: span, 1: inside = "", index }) => ({
    text: inside,
    kind: "code" as const,
    start: index,
    end: index + span.length,
  }));
  const prose = text.replace(CODE, (span) => " ".repeat(span.length));
  const words = [...prose.matchAll(WORD)].flatMap(({ 0: word, index }) => {
    const name = trimmed(word);
    const kind = kindOf(name, prose.slice(index + word.length, index + word.length + 2));
    const start = index + word.indexOf(name);
    return kind === null ? [] : [{ text: name, kind, start, end: start + name.length }];
  });
  return [...code, ...words].sort((one, other) => one.start - other.start);
}

const CODE = /`([^`\n]+)`/g;
const WORD = new RegExp(`[^\\s\`"'“”„‘’«»()[\\]{}<>‹›,;|，。；：、！？（）「」『』【】…${JOINED}]+`, "gu");

/** Without the punctuation of the sentence, emphasis, and the number of a line behind a file. */
function trimmed(word: string): string {
  return word
    .slice(0, LONGEST)
    .replace(/^[*_~=:!?→–—]+/, "")
    .replace(/[.:!?*~=→–—]{1,8}$/, "")
    .replace(/(?::\d+){1,2}(?:-\d+)?$/, "")
    .replace(/#L\d+(?:-L?\d+)?$/, "");
}

const LONGEST = 500;

function kindOf(word: string, after: string): Name["kind"] | null {
  if (/^(?:https?:\/\/|www\.)\S/i.test(word)) return "exact";
  if (isPath(word) || isFileName(word)) return "path";
  if (isExact(word)) return "exact";
  return isIdentifier(word, after) ? "loose" : null;
}

function isExact(word: string): boolean {
  return (
    /^v?\d+(?:\.\d+){2,}[\w.+-]*$|^v\d+(?:\.\d+)*$/i.test(word) ||
    (/^[\da-f]{7,64}$/i.test(word) && /\d/.test(word) && /[a-f]/i.test(word)) ||
    /^--[a-z][\w-]+$/i.test(word) ||
    /^#\d+$/.test(word) ||
    (/^[A-Z][A-Z\d]{1,9}-\d{1,6}$/.test(word) && !/^(?:UTF|SHA|ISO|RFC|AES|RSA|MD|GPT|HTTP|ES|EC)-/.test(word))
  );
}

function isIdentifier(word: string, after: string): boolean {
  if (!/^[$@]?[A-Za-z_][\w$.-]*$/.test(word)) return false;
  if (/^\(\)/.test(after) && /^[A-Za-z_$]/.test(word)) return true;
  if (/[A-Za-z\d]_[A-Za-z\d]|^\$[A-Za-z_]/.test(word)) return true;
  if (/[a-z][A-Z]/.test(word)) return !isKnownBrand(word);
  return /^[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+$/.test(word) && !isKnownBrand(word);
}
