/** A child program: `PATH TIMES`. Takes a lease so often, and each time makes sure that it is alone; prints the tokens it got, or the crime. */

import { setTimeout as wait } from "node:timers/promises";
import { realFiles } from "../../../src/node/files.ts";
import { takeLease } from "../../../src/node/lease.ts";
import { realProcesses } from "../../../src/node/process-owner.ts";
import { machine } from "../../../src/node/runtime.ts";

const [path = "", times = "0"] = process.argv.slice(2);
const critical = `${path}.critical`;
const tokens: number[] = [];

while (tokens.length < Number(times)) {
  const leasing = takeLease(path, { ...machine, files: realFiles, processes: realProcesses });
  if (leasing.type === "held") {
    await wait(Math.random() * 4);
    continue;
  }
  // Refused if another is inside.
  realFiles.create(critical).close();
  await wait(Math.random() * 5);
  if (!leasing.lease.holds()) throw new Error(`lost ${leasing.lease.token}, though nobody takes over here`);
  realFiles.remove(critical);
  leasing.lease.release();
  tokens.push(leasing.lease.token);
}
console.log(JSON.stringify(tokens));
