/** The plain screen on the streams of this process: lines in, lines out, and Ctrl+C. */

import { createInterface, type Interface } from "node:readline";
import type { Stage } from "../stage.ts";
import { nothingShown } from "../state/screen-state.ts";
import { LineLoop, type LoopParts } from "./lines/line-loop.ts";
import { plainVoice } from "./lines/plain-voice.ts";
import { PlainScreen } from "./plain-screen.ts";

export interface PlainTerminal {
  readonly screen: PlainScreen;
  start(): void;
  stop(): void;
}

export type TerminalParts = Pick<LoopParts, "submitted" | "pressed" | "isOpen">;

export function plainTerminal(parts: TerminalParts): PlainTerminal {
  const isPerson = process.stdin.isTTY === true;
  let calm: NodeJS.Timeout | undefined;
  let lines: Interface | null = null;
  const soon = (): void => {
    clearTimeout(calm);
    calm = setTimeout(() => (parts.isOpen() || screen.asked ? loop.advance() : soon()), CALM);
  };
  const voice = plainVoice({ write: (text) => void process.stdout.write(text), isEchoed: isPerson, said: soon });
  const lend: Stage["lend"] = async (act) => {
    lines?.pause();
    return await act().finally(() => lines?.resume());
  };
  const screen = new PlainScreen({
    say: voice.say,
    start: { ...nothingShown, keymap: NO_KEYS },
    now: Date.now,
    later,
    lend,
  });
  const loop = new LineLoop({ screen, voice, isPerson, ...parts });
  const interrupted = (): void => {
    if (parts.isOpen() || screen.asked) loop.interrupted();
    else process.exit(INTERRUPTED);
  };
  return {
    screen,
    start: () => {
      // Without a terminal of its own: it would move the cursor. The line is edited by the system.
      lines = createInterface({ input: process.stdin, terminal: false });
      lines.on("line", (line) => loop.typed(line)).on("close", () => loop.ended());
      process.on("SIGINT", interrupted);
      soon();
    },
    stop: () => {
      clearTimeout(calm);
      process.off("SIGINT", interrupted);
      lines?.removeAllListeners().close();
      process.stdin.unref?.();
    },
  };
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
