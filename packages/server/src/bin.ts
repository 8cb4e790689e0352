#!/usr/bin/env node
/** Entry point of the `pith-server` command. */

import { runCli } from "./cli/run.ts";

process.exitCode = await runCli(process.argv.slice(2), {
  environment: process.env,
  print: (line) => console.log(line),
  printError: (line) => console.error(line),
});
