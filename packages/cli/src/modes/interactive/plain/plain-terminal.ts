/** Connects the plain screen to stdin, stdout and SIGINT of this process. */

import { createInterface, type Interface } from "node:readline";
import type { Stage } from "../screen-context.ts";
import { nothingShown } from "../state/screen-state.ts";
import { LineLoop, type LoopParts, plainVoice } from "./input-loop.ts";
import { PlainScreen } from "./plain-screen.ts";

export interface PlainTerminal {
  readonly screen: PlainScreen;
  start(): void;
  stop(): void;
}

export type TerminalParts = Pick<LoopParts, "submitted" | "pressed" | "isOpen">;

export function plainTerminal(parts: TerminalParts): PlainTerminal {
  const isPerson = process.stdin.isTTY === true;
  let lines: Interface | null = null;
  const isWanted = (): boolean => parts.isOpen() || Boolean(screen.asked);
  const silence = new Silence(() => (isWanted() ? loop.advance() : silence.begin()));
  const voice = plainVoice({ write, isEchoed: isPerson, said: () => silence.begin() });
  const lend = lending(() => lines);
  const start = { ...nothingShown, keymap: NO_KEYS };
  const screen = new PlainScreen({ say: voice.say, start, now: Date.now, later, lend });
  const loop = new LineLoop({ screen, voice, isPerson, ...parts });
  const interrupted = (): void => {
    if (isWanted()) loop.interrupted();
    else process.exit(INTERRUPTED);
  };
  return {
    screen,
    start: () => {
      // Without a terminal of its own: it would move the cursor. The line is edited by the system.
      lines = createInterface({ input: process.stdin, terminal: false });
      lines.on("line", (line) => loop.typed(line)).on("close", () => loop.ended());
      process.on("SIGINT", interrupted);
      silence.begin();
    },
    stop: () => {
      silence.end();
      process.off("SIGINT", interrupted);
      lines?.removeAllListeners().close();
      process.stdin.unref?.();
    },
  };
}

function write(text: string): void {
  process.stdout.write(text);
}

/** Nobody listens while another program has the terminal. */
function lending(lines: () => Interface | null): Stage["lend"] {
  return async (act) => {
    lines()?.pause();
    return await act().finally(() => lines()?.resume());
  };
}

/** What is done when nobody has said anything for a moment. */
class Silence {
  readonly #act: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(act: () => void) {
    this.#act = act;
  }

  /** From now on. */
  begin(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#act, CALM);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/** Milliseconds of silence before one is asked for a line, so that nothing is said into it. */
const CALM = 60;

/** As shells count it. */
const INTERRUPTED = 130;

function later(act: () => void, ms: number): () => void {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
}

/** Lines are read one by one: hints name commands instead. */
const NO_KEYS = {};
