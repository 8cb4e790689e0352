/** A child program: `PATH`. Prints what a process that never saw the file before finds in it. */

import { readContents } from "./file-contents.ts";

console.log(JSON.stringify(await readContents(process.argv[2] ?? "")));
