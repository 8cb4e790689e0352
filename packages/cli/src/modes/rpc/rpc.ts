/** Runs RPC mode: commands as JSON lines on stdin, responses and events on stdout. Nothing else is ever written to stdout. */

import { Console } from "node:console";
import { MAX_IMAGE_BYTES } from "@pith/agent";
import { nodeFiles } from "@pith/agent/node";
import type { PromptResult, RpcEvent, RpcResponse } from "@pith/client";
import type { Redaction } from "@pith/context";
import { noRedaction } from "@pith/context/host";
import { shellLinesOf } from "../../app/user-shell.ts";
import type { Wish } from "../../args/args.ts";
import { within } from "../../protocol/lines.ts";
import { contentOf } from "../../resources/attachments.ts";
import type { Exit } from "../../text/process-io.ts";
import { type Lines, linesTo, stopOnSignals, type Terminal } from "../../text/process-io.ts";
import { lineOf } from "../../text/safe-text.ts";
import { said, speaking } from "./commands/prompt.ts";
import type { Outcome, Seat } from "./rpc-context.ts";
import { Answering } from "./server.ts";
import { openSeat } from "./session.ts";
import { Questions } from "./ui.ts";

/** Null where nothing stood there. */
export async function beginning(wish: Wish, seat: Seat): Promise<Outcome<PromptResult> | null> {
  const { words, files } = wish;
  if (files.length === 0) return words === "" ? null : await speaking.prompt.run({ message: words }, seat);
  const own = nodeFiles({ root: seat.desk.cwd, maxBytes: MAX_IMAGE_BYTES });
  // The standard input has lines.
  const content = await contentOf(wish, { files: own, piped: async () => ({ type: "arrived", text: "" }) });
  if (content.type === "nothing") return null;
  if (content.type === "mistake") return { type: "failed", message: content.message };
  return await said(content.content, { seat, pictures: [], behaviour: undefined });
}

export interface Paced {
  readonly write: (line: RpcEvent | RpcResponse) => void;
  /** A promise while more waits to be read than the other program should leave lying. */
  readonly room: () => Promise<void> | undefined;
  /** From now on nobody waits for whoever reads. */
  readonly free: () => void;
}

export function paced(lines: Lines): Paced {
  let full: PromiseWithResolvers<void> | null = null;
  let isFree = false;
  const open = (): void => {
    full?.resolve();
    full = null;
  };
  return {
    write: (line) => {
      const wait = lines.write(lineOf(line));
      if (!wait || full || isFree) return;
      full = Promise.withResolvers();
      void wait.then(open);
    },
    room: () => full?.promise,
    free: () => {
      isFree = true;
      open();
    },
  };
}

export async function rpc(wish: Wish, terminal: Terminal): Promise<Exit> {
  // Whatever an extension prints is for people.
  globalThis.console = new Console(process.stderr, process.stderr);
  const lines = linesTo(process.stdout);
  const { write, room, free } = paced(lines);
  let concealed: Redaction = noRedaction;
  const conceal = (redaction: Redaction): void => {
    concealed = redaction;
    terminal.conceal?.(redaction);
  };
  const questions = new Questions(write, (request) => concealed.redact(request));
  const { stop, quit, signalled } = stopping(free);
  const parts = { terminal, conceal, questions, room, tell: write, quit, fault: faultOn(terminal, write) };
  const opened = await openSeat(wish, parts);
  if (opened.type === "failed") {
    write({ type: "error", error: concealed.redact(opened.message) });
    await lines.flushed();
    return { code: opened.code, message: opened.message };
  }
  const { seat, close } = opened;
  lines.onLeft(quit);
  const answering = new Answering({ seat, questions, room, answer: write });
  answering.first(() => beginning(wish, seat));
  await answering.read(process.stdin, stop).catch(unlessStopped);
  const wasBusy = await ended(answering, { seat, questions });
  await close();
  const signal = signalled();
  // Everything is kept by now, and whoever does not read would be waited for without end.
  if (signal !== null && !(await within(GRACE_MS, lines.flushed()))) process.exit(signal);
  const fault = await lines.flushed();
  const code = signal ?? (lines.hasLeft ? UNHEARD : wasBusy || fault !== null ? 1 : 0);
  return fault === null ? { code } : { code, message: fault };
}

/** As shells count a pipe that nobody reads. */
const UNHEARD = 141;

/** From here and by signals; `stop` is for whoever reads lines. */
function stopping(free: () => void) {
  const stop = new AbortController();
  const quit = (): void => {
    stop.abort();
    process.stdin.destroy();
  };
  const signalled = stopOnSignals({
    abort: async () => {
      // Nobody who does not read keeps the program from ending.
      free();
      quit();
    },
  });
  return { stop, quit, signalled };
}

function unlessStopped(error: NodeJS.ErrnoException): void {
  if (error.code !== "ERR_STREAM_PREMATURE_CLOSE" && error.code !== "ABORT_ERR") throw error;
}

interface Ending {
  readonly seat: Seat;
  readonly questions: Questions;
}

/** Whoever has left needs no more work done: what is under way ends, and everything that was asked is answered. Whether anything was. */
async function ended(answering: Answering, { seat, questions }: Ending): Promise<boolean> {
  // What can be answered in a moment is.
  await within(GRACE_MS, answering.settled());
  const { agent } = seat.ready.built;
  const wasBusy = agent.isRunning || answering.isBusy;
  questions.close();
  // A command of an extension may never end, and is not waited for without end.
  for (let tries = 0; tries === 0 || (answering.isBusy && tries < MOST_TRIES); tries += 1) {
    shellLinesOf(seat.ready).stopAll();
    await seat.ready.built.agent.abort();
    await within(GRACE_MS, answering.settled());
  }
  return wasBusy;
}

const GRACE_MS = 200;
const MOST_TRIES = 10;

function faultOn(terminal: Terminal, write: Paced["write"]): (error: unknown) => void {
  return (error) => {
    terminal.note(`pith: this must not happen: ${error instanceof Error ? error.stack : String(error)}`);
    write({ type: "error", error: error instanceof Error ? error.message : String(error) });
  };
}
