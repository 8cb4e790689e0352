/** A child program: for every line it is told, takes the lease of that path, says what came of it, and keeps it until it is killed. */

import { createInterface } from "node:readline";
import { realFiles } from "../../../src/node/files.ts";
import { takeLease } from "../../../src/node/lease.ts";
import { realProcesses } from "../../../src/node/process-owner.ts";
import { machine } from "../../../src/node/runtime.ts";

console.log("ready");
for await (const path of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(takeLease(path, { ...machine, files: realFiles, processes: realProcesses })));
}
