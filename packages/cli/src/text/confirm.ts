/** Asks a yes/no question on the terminal. */

import { createInterface } from "node:readline/promises";

/** Whether somebody is there to be asked. */
export function canAsk(): boolean {
  return Boolean(process.stdin.isTTY && process.stderr.isTTY);
}

export interface Ends {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** At the terminal, unless somebody hands in others. */
export async function confirmed(
  question: string,
  { input, output }: Ends = { input: process.stdin, output: process.stderr },
): Promise<boolean> {
  const asking = createInterface({ input, output });
  // Whoever leaves without an answer has not said yes.
  const left = new Promise<string>((resolve) => asking.once("close", () => resolve("")));
  const answer = await Promise.race([asking.question(`${question} [y/N] `), left]).finally(() => asking.close());
  return /^y(es)?$/i.test(answer.trim());
}
