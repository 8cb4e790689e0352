#!/usr/bin/env node
/** Runs `pith` from its sources with the arguments of the process. */

import { run } from "./main.ts";

await run(process.argv.slice(2));
