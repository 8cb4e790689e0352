/** The shell line of a run, and how it ended. */

import { plainText } from "../../../session/plain-text.ts";
import { LETTERS, type LedgerCommand } from "../ledger.ts";
import type { Run } from "./runs.ts";

/** None for a tool that runs no shell line. */
export function commandOf({ command, exitCode, calledIn }: Run): readonly LedgerCommand[] {
  const text = plainText(command ?? "", LETTERS.command);
  return text === "" ? [] : [{ command: text, exitCode, entryId: calledIn }];
}
