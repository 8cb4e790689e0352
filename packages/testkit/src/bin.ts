#!/usr/bin/env node
/** Entry point of the `pith-testkit` command. */

import { run } from "./cli/run.ts";

process.exitCode = await run(process.argv.slice(2));
