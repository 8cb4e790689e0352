/** Writes answers to stdout, notes to stderr and lines for programs, and aborts the agent on signals. */

import type { Agent } from "@pith/agent";
import type { Redaction } from "@pith/context";
import { plain } from "./safe-text.ts";

export interface Terminal {
  /** Something to read for whoever called; resolves with what went wrong, or null. */
  answer(text: string): Promise<string | null>;
  /** One or more lines for people; nothing in them can steer a terminal. */
  note(line: string): void;
  /** From now on no note holds a secret; answers are without them already. */
  conceal?(redaction: Redaction): void;
}

export function terminalOf({ stdout, stderr }: Pick<NodeJS.Process, "stdout" | "stderr">): Terminal {
  // Whoever closed one of them does not want to hear more; what becomes of an answer is told to whoever gave it.
  for (const stream of [stdout, stderr]) stream.on("error", () => {});
  let concealed: Redaction | null = null;
  return {
    answer: (text) =>
      new Promise((resolve) => stdout.write(stdout.isTTY ? plain(text) : text, (error) => resolve(faultOf(error)))),
    note: (line) => void stderr.write(`${plain(concealed?.redact(line) ?? line)}\n`),
    conceal: (redaction) => {
      concealed = redaction;
    },
  };
}

/** A reader that has seen enough is no fault. */
function faultOf(error: NodeJS.ErrnoException | null | undefined): string | null {
  if (!error || error.code === "EPIPE") return null;
  return `the answer could not be written: ${error.message}`;
}

export interface Lines {
  /** A promise where whoever reads is slow: it ends when there is room again, or when nobody reads any more. */
  write(line: string): Promise<void> | undefined;
  /** Everything is written, or nobody reads any more; what else went wrong, or null. */
  flushed(): Promise<string | null>;
  /** Called when whoever reads has left. */
  onLeft(act: () => void): void;
  readonly hasLeft: boolean;
}

export function linesTo(stream: NodeJS.WritableStream): Lines {
  let fault: NodeJS.ErrnoException | null = null;
  let room: PromiseWithResolvers<void> | null = null;
  const leaving: (() => void)[] = [];
  const free = (): void => {
    room?.resolve();
    room = null;
  };
  stream.on("drain", free);
  stream.on("error", (error: NodeJS.ErrnoException) => {
    fault ??= error;
    free();
    for (const act of leaving.splice(0)) act();
  });
  return {
    write: (line) => {
      if (fault || stream.write(line)) return undefined;
      room ??= Promise.withResolvers();
      return room.promise;
    },
    flushed: async () => {
      if (!fault) await new Promise<void>((resolve) => stream.write("", () => resolve()));
      return fault && fault.code !== "EPIPE" ? `the lines could not be written: ${fault.message}` : null;
    },
    onLeft: (act) => void leaving.push(act),
    get hasLeft() {
      return fault?.code === "EPIPE";
    },
  };
}

/**
 * A signal aborts the agent, so that its partial reply is recorded and the processes it started end.
 * The second of a kind ends it at once, and so does a program that does not come to its end.
 * What comes back tells the exit code that belongs to the one that came, if one did.
 */
export function stopOnSignals(agent: Pick<Agent, "abort">): () => number | null {
  let code: number | null = null;
  for (const [signal, own] of codes)
    process.once(signal, () => {
      code ??= own;
      agent.abort();
      setTimeout(() => process.exit(own), GRACE_MS).unref();
    });
  return () => code;
}

const GRACE_MS = 5_000;

/** As shells count: 128 and the signal's number. */
const codes = [
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const;

/** The exit code of the program, and why it is not 0. */
export interface Exit {
  readonly code: number;
  readonly message?: string;
}
