/** Connects the plain screen to stdin, stdout and SIGINT of this process. */

import { createInterface, type Interface } from "node:readline";
import type { ScreenApi } from "../screen-context.ts";
import { initialScreenState } from "../state/screen-state.ts";
import { createPlainOutput, InputLoop, type InputLoopOptions } from "./input-loop.ts";
import { PlainScreen } from "./plain-screen.ts";

export interface PlainTerminal {
  readonly screen: PlainScreen;
  start(): void;
  stop(): void;
}

export type PlainTerminalOptions = Pick<InputLoopOptions, "onSubmit" | "onKey" | "hasSession">;

export function createPlainTerminal(options: PlainTerminalOptions): PlainTerminal {
  const isInteractive = process.stdin.isTTY === true;
  let lines: Interface | null = null;
  const acceptsInput = (): boolean => options.hasSession() || Boolean(screen.openQuestion);
  const idleTimer = new IdleTimer(() => (acceptsInput() ? loop.advance() : idleTimer.restart()));
  const output = createPlainOutput({ write, isEchoed: isInteractive, onOutput: () => idleTimer.restart() });
  const lend = createLend(() => lines);
  const initialState = { ...initialScreenState, keymap: EMPTY_KEYMAP };
  const screen = new PlainScreen({ writeLines: output.writeLines, initialState, now: Date.now, schedule, lend });
  const loop = new InputLoop({ screen, output, isInteractive, ...options });
  const onInterrupt = (): void => {
    if (acceptsInput()) loop.handleInterrupt();
    else process.exit(SIGINT_EXIT_CODE);
  };
  return {
    screen,
    start: () => {
      // Without a terminal of its own: it would move the cursor. The line is edited by the system.
      lines = createInterface({ input: process.stdin, terminal: false });
      lines.on("line", (line) => loop.handleLine(line)).on("close", () => loop.handleEnd());
      process.on("SIGINT", onInterrupt);
      idleTimer.restart();
    },
    stop: () => {
      idleTimer.stop();
      process.off("SIGINT", onInterrupt);
      lines?.removeAllListeners().close();
      process.stdin.unref?.();
    },
  };
}

function write(text: string): void {
  process.stdout.write(text);
}

/** Nobody listens while another program has the terminal. */
function createLend(lines: () => Interface | null): ScreenApi["releaseTerminal"] {
  return async (task) => {
    lines()?.pause();
    return await task().finally(() => lines()?.resume());
  };
}

/** What is done when nobody has said anything for a moment. */
class IdleTimer {
  readonly #onIdle: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(onIdle: () => void) {
    this.#onIdle = onIdle;
  }

  /** From now on. */
  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onIdle, IDLE_DELAY_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** Milliseconds of silence before one is asked for a line, so that nothing is said into it. */
const IDLE_DELAY_MS = 60;

/** As shells count it. */
const SIGINT_EXIT_CODE = 130;

function schedule(task: () => void, ms: number): () => void {
  const timer = setTimeout(task, ms);
  return () => clearTimeout(timer);
}

/** Lines are read one by one: hints name commands instead. */
const EMPTY_KEYMAP = {};
