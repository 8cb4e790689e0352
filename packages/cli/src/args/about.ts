/** Prints the answers to `--help` and `--version`. The launcher loads nothing else where a call asks for one of them alone. */

import { help, version } from "./help.ts";

export type AboutTopic = "help" | "version";

/** Returns the exit code. */
export async function printAbout(topic: AboutTopic): Promise<number> {
  const text = topic === "help" ? help : version();
  // The write below says what went wrong; without a listener Node would end the process.
  process.stdout.on("error", () => {});
  const error = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => {
    process.stdout.write(`${text}\n`, resolve);
  });
  // A reader that has seen enough is no fault.
  if (!error || error.code === "EPIPE") return 0;
  process.stderr.write(`pith: the answer could not be written: ${error.message}\n`);
  return 1;
}
