/** The programs that take leases for the tests: `node programs.ts acquire` and `node programs.ts contend PATH TIMES`. */

import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { realFiles } from "../../../src/node/files.ts";
import { acquireLease, type LeaseResult, realProcessTable } from "../../../src/node/lease.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";

const acquire = (path: string): LeaseResult =>
  acquireLease(path, { ...nodeRuntime, files: realFiles, processes: realProcessTable });

/** Takes the lease of every path that it reads, prints the result, and keeps the lease until it is killed. */
async function acquireUntilKilled(): Promise<void> {
  console.log("ready");
  for await (const path of createInterface({ input: process.stdin })) console.log(JSON.stringify(acquire(path)));
}

/** Takes a lease so often, checks each time that it is alone, and prints the tokens. */
async function contend(path: string, times: number): Promise<void> {
  const critical = `${path}.critical`;
  const tokens: number[] = [];
  while (tokens.length < times) {
    const leasing = acquire(path);
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
}

const [name, path = "", times = "0"] = process.argv.slice(2);
if (name === "acquire") await acquireUntilKilled();
else await contend(path, Number(times));
