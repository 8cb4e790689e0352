/** A child program: `PATH`. Prints what a process that never saw the file before finds in it. */

import { readingOf } from "./reading.ts";

console.log(JSON.stringify(await readingOf(process.argv[2] ?? "")));
