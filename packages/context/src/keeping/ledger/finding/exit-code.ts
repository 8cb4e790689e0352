/** How a command ended: by what its tool says, or by the last line of its output. */

import type { ToolResultMessage } from "../../../message.ts";
import { isObject } from "../../../session/codec/line/read-line.ts";

/** Null for a failure without a code. */
export function toldExitCode({ details, isError }: ToolResultMessage, output: string): number | null {
  const told = isObject(details) ? details.exitCode : null;
  if (Number.isSafeInteger(told)) return Number(told);
  const last = output.slice(-200).trimEnd();
  const [, code] = EXIT.exec(last.slice(last.lastIndexOf("\n") + 1)) ?? [];
  if (code !== undefined) return Number(code);
  return isError === true ? null : 0;
}

/** Whether a line says no more than how the command ended, or that it was silent. */
export function isExitLine(line: string): boolean {
  return line.length < 100 && (EXIT.test(line) || line.trim() === "(no output)");
}

const EXIT = /\bexit(?:ed)?(?: with)?(?: exit)? (?:code|status)[: ] {0,2}(-?\d{1,10})\b/i;
