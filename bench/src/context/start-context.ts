/** Starts a process that serves the built `@pith/context`, beside which pi's is measured in the same way. */

import { join } from "node:path";
import { startWorker, type Worker } from "../peers/worker.ts";

/** `home` is the folder of the built package. */
export function startContextWorker(packageFolder: string): Worker {
  const program = join(import.meta.dirname, "context-worker.mjs");
  return startWorker("@pith/context", [process.execPath, program, packageFolder], { PATH: process.env.PATH ?? "" });
}
