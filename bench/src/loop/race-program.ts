/** The race as a process of its own, which a network namespace can be put around: a wish in, results out, both JSON. */

import { race } from "./race.ts";

console.log(JSON.stringify(await race(JSON.parse(process.argv[2] ?? ""))));
