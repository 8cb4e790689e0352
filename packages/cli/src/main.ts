/** From the command line to an exit code: 0 done, 1 it could not go on, 2 a mistake of whoever called, 128 and more a signal. */

import { help } from "./asking/help.ts";
import { readArguments } from "./asking/read-arguments.ts";
import { version } from "./asking/version.ts";
import type { Wish } from "./asking/wish.ts";
import { type Terminal, terminalOf } from "./printing/terminal.ts";

export async function main(args: readonly string[]): Promise<number> {
  const terminal = terminalOf(process);
  const read = readArguments(args);
  switch (read.type) {
    case "help":
      return await shown(help, terminal);
    case "version":
      return await shown(version(), terminal);
    case "mistake":
      terminal.note(`pith: ${read.message}`);
      return 2;
    case "wish":
      return await worked(read.wish, terminal);
  }
}

async function worked(wish: Wish, terminal: Terminal): Promise<number> {
  try {
    // Whoever only asks what there is does not wait for all that works.
    const { work } = await import("./work.ts");
    const { code, message } = await work(wish, terminal);
    if (message !== undefined) terminal.note(`pith: ${message}`);
    return code;
  } catch (error) {
    // Its words may be anybody's, so that they are not left to Node to print.
    terminal.note(`pith: this must not happen: ${error instanceof Error ? error.stack : String(error)}`);
    return 1;
  }
}

async function shown(text: string, terminal: Terminal): Promise<number> {
  const fault = await terminal.answer(`${text}\n`);
  if (fault !== null) terminal.note(`pith: ${fault}`);
  return fault === null ? 0 : 1;
}
