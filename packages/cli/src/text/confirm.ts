/** Asks a yes/no question on the terminal. */

import { createInterface } from "node:readline/promises";

/** Whether somebody is there to be asked. */
export function canPrompt(): boolean {
  return Boolean(process.stdin.isTTY && process.stderr.isTTY);
}

export interface ConfirmStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** At the terminal, unless somebody hands in others. */
export async function confirm(
  question: string,
  { input, output }: ConfirmStreams = { input: process.stdin, output: process.stderr },
): Promise<boolean> {
  const reader = createInterface({ input, output });
  // Whoever leaves without an answer has not said yes.
  const closed = new Promise<string>((resolve) => reader.once("close", () => resolve("")));
  const answer = await Promise.race([reader.question(`${question} [y/N] `), closed]).finally(() => reader.close());
  return /^y(es)?$/i.test(answer.trim());
}
