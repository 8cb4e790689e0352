#!/usr/bin/env node
/** Entry point of the `pith-testkit` command. */

import { runCli } from "./cli/run.ts";

process.exitCode = await runCli(process.argv.slice(2));
