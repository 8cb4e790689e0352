/** Writes answers to stdout, notes to stderr and lines for programs, and aborts the agent on signals. */

import { createInterface } from "node:readline/promises";
import type { Agent } from "@pith/agent";
import type { Redaction } from "@pith/context";
import { escapeControls } from "./safe-text.ts";

export interface Terminal {
  /** Something to read for whoever called; resolves with what went wrong, or null. */
  writeOutput(text: string): Promise<string | null>;
  /** One or more lines for people; nothing in them can steer a terminal. */
  notify(line: string): void;
  /** From now on no note holds a secret; answers are without them already. */
  setRedaction?(redaction: Redaction): void;
}

export function createTerminal({ stdout, stderr }: Pick<NodeJS.Process, "stdout" | "stderr">): Terminal {
  // Whoever closed one of them does not want to hear more; what becomes of an answer is told to whoever gave it.
  for (const stream of [stdout, stderr]) stream.on("error", () => {});
  let activeRedaction: Redaction | null = null;
  return {
    writeOutput: (text) =>
      new Promise((resolve) =>
        stdout.write(stdout.isTTY ? escapeControls(text) : text, (error) => resolve(describeWriteError(error))),
      ),
    notify: (line) => void stderr.write(`${escapeControls(activeRedaction?.redact(line) ?? line)}\n`),
    setRedaction: (redaction) => {
      activeRedaction = redaction;
    },
  };
}

/** A reader that has seen enough is no fault. */
function describeWriteError(error: NodeJS.ErrnoException | null | undefined): string | null {
  if (!error || error.code === "EPIPE") return null;
  return `the answer could not be written: ${error.message}`;
}

export interface LineWriter {
  /** A promise where whoever reads is slow: it ends when there is room again, or when nobody reads any more. */
  write(line: string): Promise<void> | undefined;
  /** Everything is written, or nobody reads any more; what else went wrong, or null. */
  flush(): Promise<string | null>;
  /** Called when whoever reads has left. */
  onReaderClosed(act: () => void): void;
  readonly isReaderClosed: boolean;
}

export function createLineWriter(stream: NodeJS.WritableStream): LineWriter {
  let writeError: NodeJS.ErrnoException | null = null;
  let drained: PromiseWithResolvers<void> | null = null;
  const closeListeners: (() => void)[] = [];
  const resolveDrained = (): void => {
    drained?.resolve();
    drained = null;
  };
  stream.on("drain", resolveDrained);
  stream.on("error", (error: NodeJS.ErrnoException) => {
    writeError ??= error;
    resolveDrained();
    for (const listener of closeListeners.splice(0)) listener();
  });
  return {
    write: (line) => {
      if (writeError || stream.write(line)) return undefined;
      drained ??= Promise.withResolvers();
      return drained.promise;
    },
    flush: async () => {
      if (!writeError) await new Promise<void>((resolve) => stream.write("", () => resolve()));
      return writeError && writeError.code !== "EPIPE" ? `the lines could not be written: ${writeError.message}` : null;
    },
    onReaderClosed: (listener) => void closeListeners.push(listener),
    get isReaderClosed() {
      return writeError?.code === "EPIPE";
    },
  };
}

/**
 * A signal aborts the agent, so that its partial reply is recorded and the processes it started end.
 * The second of a kind ends it at once, and so does a program that does not come to its end.
 * What comes back tells the exit code that belongs to the one that came, if one did.
 */
export function abortOnSignals(agent: Pick<Agent, "abort">): () => number | null {
  let receivedCode: number | null = null;
  for (const [signal, exitCode] of signalExitCodes)
    process.once(signal, () => {
      receivedCode ??= exitCode;
      agent.abort();
      setTimeout(() => process.exit(exitCode), EXIT_GRACE_MS).unref();
    });
  return () => receivedCode;
}

/** The exit code after a pipe that nobody reads, as shells count it. */
export const BROKEN_PIPE_EXIT_CODE = 141;

const EXIT_GRACE_MS = 5_000;

/** As shells count: 128 and the signal's number. */
const signalExitCodes = [
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const;

/** The exit code of the program, and why it is not 0. */
export interface ExitStatus {
  readonly code: number;
  readonly message?: string;
}

/** Whether somebody is there to be asked. */
export function canPrompt(): boolean {
  return Boolean(process.stdin.isTTY && process.stderr.isTTY);
}

export interface ConfirmStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** At the terminal, unless somebody hands in others. */
export async function confirm(
  question: string,
  { input, output }: ConfirmStreams = { input: process.stdin, output: process.stderr },
): Promise<boolean> {
  const reader = createInterface({ input, output });
  // Whoever leaves without an answer has not said yes.
  const closed = new Promise<string>((resolve) => reader.once("close", () => resolve("")));
  const answer = await Promise.race([reader.question(`${question} [y/N] `), closed]).finally(() => reader.close());
  return /^y(es)?$/i.test(answer.trim());
}
