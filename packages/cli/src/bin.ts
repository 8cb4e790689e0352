#!/usr/bin/env node
/** Runs `pith` with the arguments of the process and sets the exit code. */

import { main } from "./main.ts";

process.exitCode = await main(process.argv.slice(2));
// LOAD18: only where something still runs, such as a clock of an extension; else the program has ended by then.
setTimeout(leave, 1_000).unref();

/** What is still being written is let go first. */
function leave(): void {
  if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
  setTimeout(leave, 100);
}
