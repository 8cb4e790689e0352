/** Handles the process's input and output: writes to stdout and stderr, asks for confirmation, and aborts the agent on signals. */

import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { ReadStream } from "node:tty";
import type { Agent } from "@pith/agent";
import type { Redaction } from "@pith/context";
import { escapeControls } from "@pith/host/text/safe-text";

export interface Terminal {
  /** Writes to stdout. Resolves with an error message, or null. */
  writeOutput(text: string): Promise<string | null>;
  /** Writes one or more lines to stderr. Control characters are escaped. */
  notify(line: string): void;
  /** Redacts all later notes. Output is already redacted by the caller. */
  setRedaction?(redaction: Redaction): void;
}

export function createTerminal({ stdout, stderr }: Pick<NodeJS.Process, "stdout" | "stderr">): Terminal {
  // A closed stream must not end the process. The caller of `writeOutput` gets the error.
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

/** A reader that closes the pipe early is not an error. */
function describeWriteError(error: NodeJS.ErrnoException | null | undefined): string | null {
  if (!error || error.code === "EPIPE") return null;
  return `the output could not be written: ${error.message}`;
}

export interface LineWriter {
  /** Returns a promise if the reader is slow. It resolves when the buffer is drained or the reader has closed. */
  write(line: string): Promise<void> | undefined;
  /** Resolves when everything is written or the reader has closed. The result is any other error, or null. */
  flush(): Promise<string | null>;
  /** Calls the listener when the stream fails, as it does when the reader has closed. */
  onReaderClosed(listener: () => void): void;
  readonly isReaderClosed: boolean;
}

export function createLineWriter(stream: NodeJS.WritableStream): LineWriter {
  let writeError: NodeJS.ErrnoException | null = null;
  let pendingDrain: PromiseWithResolvers<void> | null = null;
  const closeListeners: (() => void)[] = [];
  const resolveDrained = (): void => {
    pendingDrain?.resolve();
    pendingDrain = null;
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
      pendingDrain ??= Promise.withResolvers();
      return pendingDrain.promise;
    },
    flush: async () => {
      if (!writeError) await new Promise<void>((resolve) => stream.write("", () => resolve()));
      return writeError && writeError.code !== "EPIPE"
        ? `the output could not be written: ${writeError.message}`
        : null;
    },
    onReaderClosed: (listener) => void closeListeners.push(listener),
    get isReaderClosed() {
      return writeError?.code === "EPIPE";
    },
  };
}

/**
 * A signal aborts the agent, so that its partial reply is recorded and the processes it started end.
 * A second signal of the same kind ends the process immediately. If the process does not end within 5 seconds, it is ended.
 * The returned function gives the exit code for the first signal received; null if there was none.
 */
export function abortOnSignals(agent: Pick<Agent, "abort">): () => number | null {
  let receivedCode: number | null = null;
  for (const [signal, exitCode] of Object.entries(signalExitCodes))
    process.once(signal, () => {
      receivedCode ??= exitCode;
      agent.abort();
      globalThis.setTimeout(() => process.exit(exitCode), EXIT_GRACE_MS).unref();
    });
  return () => receivedCode;
}

/** The exit code after a broken pipe: 128 plus the number of SIGPIPE. */
export const BROKEN_PIPE_EXIT_CODE = 141;

/** How long a stopped program may take to end. */
export const EXIT_GRACE_MS = 5_000;

/** 128 plus the signal's number, as in shells. */
export const signalExitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** The exit code of the process, and a message if it is not 0. */
export interface ExitStatus {
  readonly code: number;
  readonly message?: string;
}

/** Whether a user can answer questions at the terminal. */
export function canPrompt(): boolean {
  return Boolean(process.stdin.isTTY && process.stderr.isTTY);
}

/** Asks for a line at the terminal. Null if the input is closed or the user presses Ctrl+C. */
export function askLine(question: string): Promise<string | null> {
  return readTerminalLine(question, process.stderr);
}

/** Like `askLine`, but shows nothing of what is typed or pasted. */
export async function readSecret(question: string): Promise<string | null> {
  process.stderr.write(question);
  const silentOutput = new Writable({ write: (_chunk, _encoding, done) => done() });
  const secret = await readTerminalLine("", silentOutput);
  process.stderr.write("\n");
  return secret === null ? null : secret.trim();
}

async function readTerminalLine(question: string, output: NodeJS.WritableStream): Promise<string | null> {
  // Without a history: a secret must not be kept.
  const reader = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  const closed = new Promise<null>((resolve) => {
    reader.once("SIGINT", () => resolve(null)).once("close", () => resolve(null));
  });
  return await Promise.race([reader.question(question), closed]).finally(() => reader.close());
}

/** Drops keys until none came for a moment. Ctrl+C ends the program as always. */
async function dropEarlyKeys(input: ReadStream): Promise<void> {
  let quietUntil = performance.now() + QUIET_MS;
  const onData = (chunk: Buffer): void => {
    if (chunk.includes(CTRL_C)) process.kill(process.pid, "SIGINT");
    quietUntil = performance.now() + QUIET_MS;
  };
  // In raw mode, a line that was not ended yet is read, too.
  input.setRawMode(true);
  input.on("data", onData);
  for (let rest = QUIET_MS; rest > 0; rest = quietUntil - performance.now()) {
    await setTimeout(rest);
    // If the program was busy, keys pressed long ago are read first.
    await setImmediate();
  }
  input.off("data", onData).pause();
  input.setRawMode(false);
}

const QUIET_MS = 300;
const CTRL_C = 3;

export interface ConfirmStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Asks a yes/no question. Default: at the terminal. What was typed before it can be read does not answer it. */
export async function confirm(
  question: string,
  { input, output }: ConfirmStreams = { input: process.stdin, output: process.stderr },
): Promise<boolean> {
  if (input === process.stdin && process.stdin.isTTY) await dropEarlyKeys(process.stdin);
  const reader = createInterface({ input, output });
  // Closing the input without an answer means no.
  const emptyAnswerOnClose = new Promise<string>((resolve) => reader.once("close", () => resolve("")));
  const answer = await Promise.race([reader.question(`${question} [y/N] `), emptyAnswerOnClose]).finally(() =>
    reader.close(),
  );
  return /^y(es)?$/i.test(answer.trim());
}
