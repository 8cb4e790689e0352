/** Starts a process that serves the built `@pith/context`. pi is measured through the same protocol. */

import { join } from "node:path";
import { startWorker, type Worker } from "../peers/worker.ts";

export function startContextWorker(packageFolder: string): Worker {
  const program = join(import.meta.dirname, "context-worker.mjs");
  return startWorker("@pith/context", [process.execPath, program, packageFolder], { PATH: process.env.PATH ?? "" });
}
