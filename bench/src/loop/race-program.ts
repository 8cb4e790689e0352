/** Runs the race in a process of its own, to fit into a network namespace. A wish in, results out, both JSON. */

import { runRace } from "./race.ts";

console.log(JSON.stringify(await runRace(JSON.parse(process.argv[2] ?? ""))));
