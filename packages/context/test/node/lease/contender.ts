/** A child program: `PATH TIMES`. Takes a lease so often, and each time makes sure that it is alone; prints the tokens it got, or the crime. */

import { setTimeout as wait } from "node:timers/promises";
import { realFiles } from "../../../src/node/files.ts";
import { acquireLease, realProcessTable } from "../../../src/node/lease.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";

const [path = "", times = "0"] = process.argv.slice(2);
const critical = `${path}.critical`;
const tokens: number[] = [];

while (tokens.length < Number(times)) {
  const leasing = acquireLease(path, { ...nodeRuntime, files: realFiles, processes: realProcessTable });
  if (leasing.type === "held") {
    await wait(Math.random() * 4);
    continue;
  }
  // Refused if another is inside.
  realFiles.create(critical).close();
  await wait(Math.random() * 5);
  if (!leasing.lease.isHeld()) throw new Error(`lost ${leasing.lease.token}, though nobody takes over here`);
  realFiles.remove(critical);
  leasing.lease.release();
  tokens.push(leasing.lease.token);
}
console.log(JSON.stringify(tokens));
