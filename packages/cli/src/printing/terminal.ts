/** The two ends of the program: the answer on the standard output, notes for people on the standard error. Nothing else writes there. */

import type { Redaction } from "@pith/context";
import { plain } from "./plain.ts";

export interface Terminal {
  /** Something to read for whoever called; resolves with what went wrong, or null. */
  answer(text: string): Promise<string | null>;
  /** One or more lines for people; nothing in them can steer a terminal. */
  note(line: string): void;
  /** From now on no note holds a secret; answers are without them already. */
  conceal?(redaction: Redaction): void;
}

export function terminalOf({ stdout, stderr }: Pick<NodeJS.Process, "stdout" | "stderr">): Terminal {
  // Whoever closed one of them does not want to hear more; what becomes of an answer is told to whoever gave it.
  for (const stream of [stdout, stderr]) stream.on("error", () => {});
  let concealed: Redaction | null = null;
  return {
    answer: (text) =>
      new Promise((resolve) => stdout.write(stdout.isTTY ? plain(text) : text, (error) => resolve(faultOf(error)))),
    note: (line) => void stderr.write(`${plain(concealed?.redacted(line) ?? line)}\n`),
    conceal: (redaction) => {
      concealed = redaction;
    },
  };
}

/** A reader that has seen enough is no fault. */
function faultOf(error: NodeJS.ErrnoException | null | undefined): string | null {
  if (!error || error.code === "EPIPE") return null;
  return `the answer could not be written: ${error.message}`;
}
