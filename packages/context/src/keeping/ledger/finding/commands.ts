/** The shell line of a run, and how it ended. */

import { plainText } from "../../../session/plain-text.ts";
import { LETTERS, type LedgerCommand } from "../ledger.ts";
import { exitCode, type Run, shellLine } from "./runs.ts";

/** None for a tool that runs no shell line. */
export function commandOf(run: Run): readonly LedgerCommand[] {
  const command = plainText(shellLine(run) ?? "", LETTERS.command);
  return command === "" ? [] : [{ command, exitCode: exitCode(run), entryId: run.calledIn }];
}
