#!/usr/bin/env node
/** The program `pith`. */

import { main } from "./main.ts";

process.exitCode = await main(process.argv.slice(2));
