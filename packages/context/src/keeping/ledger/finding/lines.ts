/** The lines of a long output that are worth keeping, besides those that are errors. */

import { lineTemplate } from "../../line-template.ts";
import { rareLines } from "../../rare-lines.ts";
import type { LedgerLine } from "../ledger.ts";
import { errorsOf } from "./errors.ts";
import { isExitLine } from "./exit-code.ts";
import { isLook, outputOf, type Run } from "./runs.ts";

/** None of what can be had again by looking again. */
export function linesOf(run: Run): readonly LedgerLine[] {
  const output = outputOf(run);
  if (output.length < LONG || isLook(run)) return [];
  const told = new Set(errorsOf(run).map(({ text }) => lineTemplate(text)));
  return rareLines(output, { lines: MOST_PER_OUTPUT })
    .filter((text) => !told.has(lineTemplate(text)) && !isExitLine(text))
    .map((text) => ({ text, entryId: run.entryId }));
}

/** In letters. A shorter output is soon told whole. */
const LONG = 2_000;
const MOST_PER_OUTPUT = 6;
