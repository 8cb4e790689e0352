/** The measurement as a process of its own, which a network namespace can be put around: a wish in, figures out, both JSON. */

import { measured } from "./measured.ts";

console.log(JSON.stringify(await measured(JSON.parse(process.argv[2] ?? ""))));
