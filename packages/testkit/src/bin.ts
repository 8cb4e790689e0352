#!/usr/bin/env node
/** The program `pith-testkit`. */

import { run } from "./program/run.ts";

process.exitCode = await run(process.argv.slice(2));
