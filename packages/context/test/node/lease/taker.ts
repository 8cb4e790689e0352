/** A child program: for every line it is told, takes the lease of that path, says what came of it, and keeps it until it is killed. */

import { createInterface } from "node:readline";
import { realFiles } from "../../../src/node/files.ts";
import { acquireLease, realProcessTable } from "../../../src/node/lease.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";

console.log("ready");
for await (const path of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(acquireLease(path, { ...nodeRuntime, files: realFiles, processes: realProcessTable })));
}
