/** One run of ripgrep: its output as it comes. It ends when the reader has enough, or somebody breaks it off. */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { signalGroup } from "../../shell/group.ts";

export interface Run {
  readonly program: string;
  readonly options: readonly string[];
  /** Where it searches. */
  readonly folder: string;
  /** The one file in it; none: all of them. */
  readonly file?: string;
  readonly signal: AbortSignal;
}

export interface Running {
  readonly output: AsyncIterable<Buffer>;
  /** What it complained of, known once the output has ended; no more than the beginning. */
  complaint(): string;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

const LONGEST_COMPLAINT = 4_096;

export function startRipgrep({ program, options, folder, file = "", signal }: Run): Running {
  signal.throwIfAborted();
  const child = spawn(program, [...options, "--", `./${file}`], {
    cwd: folder,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaint = "";
  const complain = (text: string): void => {
    complaint = (complaint + text).slice(0, LONGEST_COMPLAINT);
  };
  child.stderr.setEncoding("utf8").on("data", complain);
  child.on("error", ({ message }) => complain(message));
  return { output: outputOf(child, signal), complaint: () => complaint };
}

async function* outputOf(child: Child, signal: AbortSignal): AsyncGenerator<Buffer> {
  const closed = new Promise((resolve) => child.once("close", resolve));
  const end = (): void => endNow(child);
  signal.addEventListener("abort", end, { once: true });
  try {
    for await (const chunk of child.stdout) yield chunk;
    await closed;
  } finally {
    signal.removeEventListener("abort", end);
    end();
    signal.throwIfAborted();
  }
}

/** It only reads, so it need not be asked first. */
function endNow(child: Child): void {
  const hasEnded = child.exitCode !== null || child.signalCode !== null;
  if (child.pid !== undefined && !hasEnded) signalGroup(child.pid, "SIGKILL");
  child.stdout.destroy();
  child.stderr.destroy();
}
