/** Runs the measurement in a process of its own, to fit into a network namespace. A wish in, figures out, both JSON. */

import { measureScreen } from "./measure.ts";

console.log(JSON.stringify(await measureScreen(JSON.parse(process.argv[2] ?? ""))));
