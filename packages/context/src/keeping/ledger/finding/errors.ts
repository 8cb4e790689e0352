/** The lines of an output that say what went wrong. */

import { plainText } from "../../../session/plain-text.ts";
import { lineTemplate } from "../../line-template.ts";
import { LETTERS, type LedgerLine } from "../ledger.ts";
import { edges } from "./edges.ts";
import { isExitLine } from "./exit-code.ts";
import { failed, isLook, outputOf, type Run } from "./runs.ts";

/** The first two and the last; of a failure that names none, its last words. */
export function errorsOf(run: Run): readonly LedgerLine[] {
  const hasFailed = failed(run);
  const ends = edges(outputOf(run));
  if (!hasFailed && !(ends.some(mayTell) && !isLook(run))) return [];
  const lines = ends.flatMap((text) => text.split(/[\r\n]+/)).filter((line) => /\S/.test(line) && !isExitLine(line));
  const errors = distinct(lines.filter(isError));
  const chosen =
    errors.length > 0 || !hasFailed ? [...errors.slice(0, 2), ...errors.slice(2).slice(-1)] : lines.slice(-1);
  return chosen
    .map((line) => ({ text: plainText(line, LETTERS.line), entryId: run.entryId }))
    .filter(({ text }) => text !== "");
}

function distinct(lines: readonly string[]): readonly string[] {
  return [...new Map(lines.map((line) => [lineTemplate(line), line])).values()];
}

function isError(line: string): boolean {
  const start = line.slice(0, LETTERS.line);
  return ERRORS.some((error) => error.test(start));
}

/** `TypeError: …`, `error TS2345: …`, `FAIL a.test.ts`: a word for trouble, and then what it was. */
const ERRORS: readonly RegExp[] = [
  /(?:^|[\s[(])(?:\w{0,60}(?:Error|Exception)|error|ERROR|fatal|FATAL|panic)\b[^:]{0,30}:/,
  /^\s{0,20}(?:FAIL(?:ED)?\s|[✗×✖]|npm (?:error|ERR!) (?:code E|\d{3} ))/,
  /command not found|no such file|permission denied|segmentation fault/i,
];

/** False where no line can be an error: most outputs tell of none, and are not taken apart. */
function mayTell(text: string): boolean {
  if (WORD_AND_WHAT.test(text) || SIGNS.some((sign) => text.includes(sign))) return true;
  const small = text.toLowerCase();
  return SMALL_SIGNS.some((sign) => small.includes(sign));
}

/** One of these is in every line that `ERRORS` finds. */
const WORD_AND_WHAT = /(?:rror|xception|ERROR|fatal|FATAL|panic)\b[^:]{0,30}:/;
const SIGNS = ["FAIL", "✗", "×", "✖", "npm e", "npm ERR!"];
const SMALL_SIGNS = ["command not found", "no such file", "permission denied", "segmentation fault"];
