/** The RPC mode: another program talks, a line of JSON for each command, each event and each answer. Nothing else is ever written there. */

import { Console } from "node:console";
import { asItIs, type Redaction } from "@pith/context";
import type { Wish } from "../asking/wish.ts";
import { linesTo } from "../printing/lines.ts";
import type { Terminal } from "../printing/terminal.ts";
import { shellLinesOf } from "../shell-lines/shell-lines.ts";
import { stopOnSignals } from "../stop-on-signals.ts";
import type { Exit } from "../work.ts";
import { within } from "./line/within.ts";
import { Answering } from "./serving/answering.ts";
import { beginning } from "./serving/beginning.ts";
import { openSeat } from "./serving/open-seat.ts";
import { type Paced, paced } from "./serving/paced.ts";
import { Questions } from "./serving/questions.ts";
import type { Seat } from "./serving/seat.ts";

export async function rpc(wish: Wish, terminal: Terminal): Promise<Exit> {
  // Whatever an extension prints is for people.
  globalThis.console = new Console(process.stderr, process.stderr);
  const lines = linesTo(process.stdout);
  const { write, room, free } = paced(lines);
  let concealed: Redaction = asItIs;
  const conceal = (redaction: Redaction): void => {
    concealed = redaction;
    terminal.conceal?.(redaction);
  };
  const questions = new Questions(write, (request) => concealed.redacted(request));
  const { stop, quit, signalled } = stopping(free);
  const parts = { terminal, conceal, questions, room, tell: write, quit, fault: faultOn(terminal, write) };
  const opened = await openSeat(wish, parts);
  if (opened.type === "failed") {
    write({ type: "error", error: concealed.redacted(opened.message) });
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
