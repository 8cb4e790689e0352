/** Measures how long a program in RPC mode takes to stop while a large reply arrives. */

import type { Step } from "@pith/testkit";
import { cpuOf, MeasuredProgram } from "./measured-program.ts";

export interface StopTime {
  /** From the abort to `agent_settled`, as the client sees it. */
  readonly wallMs: number;
  /** What the program has worked in that time; in steps of 10. */
  readonly cpuMs: number;
  /** Bytes that the program had written before the abort. */
  readonly bytesRead: number;
}

/** Aborts once the program has written so many bytes of events. */
export async function measureStop(
  step: Step,
  { model, afterBytes }: { model: string; afterBytes: number },
): Promise<StopTime> {
  const program = new MeasuredProgram();
  try {
    await program.serve([step]);
    const { child, ended } = await program.start(["--mode", "rpc", "--model", model]);
    let bytesRead = 0;
    let aborted: { readonly at: number; readonly cpu: number } | null = null;
    // Little work here: a client that reads slowly would be measured instead.
    let tail: Buffer = Buffer.alloc(0);
    const stopped = new Promise<StopTime>((resolve, reject) => {
      void ended.then(({ code, notes }) => reject(new Error(`the program ended with ${code}: ${notes}`)));
      child.stdout?.on("data", (chunk: Buffer) => {
        bytesRead += chunk.length;
        if (!aborted && bytesRead >= afterBytes) {
          aborted = { at: performance.now(), cpu: cpuOf(child) };
          child.stdin?.write(`${JSON.stringify({ type: "abort" })}\n`);
        }
        const isSettled = aborted !== null && Buffer.concat([tail, chunk]).includes(SETTLED);
        tail = chunk.subarray(-SETTLED.length);
        if (aborted && isSettled)
          resolve({ wallMs: performance.now() - aborted.at, cpuMs: cpuOf(child) - aborted.cpu, bytesRead });
      });
    });
    child.stdin?.write(`${JSON.stringify({ type: "prompt", message: "go" })}\n`);
    const time = await stopped;
    child.stdin?.end();
    await ended;
    return time;
  } finally {
    program.clear();
  }
}

const SETTLED = '"type":"agent_settled"';
