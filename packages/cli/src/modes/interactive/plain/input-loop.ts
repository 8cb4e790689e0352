/** Takes typed lines one after the other: each answers the open question or is submitted; writes the prompts between them. */

import { createInterface, type Interface } from "node:readline";
import { escapeControls, truncate } from "../../../text/safe-text.ts";
import type { ScreenApi } from "../screen-context.ts";
import { initialScreenState } from "../state/screen-state.ts";
import { PlainScreen } from "./plain-screen.ts";

export type HistoryResult =
  /** What is to be said instead of the line. */
  { readonly type: "line"; readonly text: string } | { readonly type: "told"; readonly lines: readonly string[] };

/** No key of a plain terminal recalls earlier lines. `/history` lists them, `/history 3` means the third; every other line means itself. */
export function resolveHistory(line: string, history: readonly string[]): HistoryResult {
  const [match, number] = /^\/history(?:\s+(\d+))?\s*$/.exec(line) ?? [];
  if (match === undefined) return { type: "line", text: line };
  if (number === undefined) return { type: "told", lines: listHistory(history) };
  const text = history[Number(number) - 1];
  if (text === undefined) return { type: "told", lines: [`There is no line ${number}; /history names them.`] };
  return { type: "line", text };
}

function listHistory(history: readonly string[]): readonly string[] {
  if (history.length === 0) return ["Nothing was typed yet."];
  const rows = history.map((text, index) => `${index + 1}. ${escapeControls(truncate(text))}`);
  return [...rows.slice(-MAX_HISTORY_LINES), "/history and a number says one of them again."];
}

const MAX_HISTORY_LINES = 20;

export interface InputLoopOptions {
  readonly screen: PlainScreen;
  readonly output: PlainOutput;
  /** Whether a person types, who may speak while something is under way; else each line waits for the end of the one before. */
  readonly isInteractive: boolean;
  readonly onSubmit: (text: string) => Promise<void> | void;
  /** Whether anybody hears what is submitted; until then lines wait. */
  readonly hasSession: () => boolean;
  /** What a key does that is no typing; false where it means nothing. */
  readonly onKey: (key: string) => boolean;
}

export class InputLoop {
  readonly #options: InputLoopOptions;
  /** Lines that nobody has taken yet. */
  readonly #pendingLines: string[] = [];
  readonly #history: string[] = [];
  /** The beginning of a line that goes on. */
  #partialLine = "";
  #runningCount = 0;
  #isInputEnded = false;

  constructor(options: InputLoopOptions) {
    this.#options = options;
  }

  handleLine(line: string): void {
    this.#options.output.onLineTyped();
    const isContinued = line.endsWith("\\");
    this.#partialLine += isContinued ? `${line.slice(0, -1)}\n` : line;
    if (isContinued) return;
    this.#pendingLines.push(this.#partialLine);
    this.#partialLine = "";
    this.advance();
  }

  /** No more lines will come. */
  handleEnd(): void {
    this.#isInputEnded = true;
    this.advance();
  }

  /** Stops what is under way; where nothing is, quits. */
  handleInterrupt(): void {
    const { screen, onKey, onSubmit, output } = this.#options;
    output.writeLines([]);
    if (screen.openQuestion) screen.openQuestion.dismiss();
    else if (!onKey("ctrl+c")) void onSubmit("/quit");
  }

  /** Takes what waits, as far as it can be taken now, and asks for more. */
  advance(): void {
    while (this.#pendingLines.length > 0 && this.#canTakeLine()) this.#takeLine(this.#pendingLines.shift() ?? "");
    if (this.#pendingLines.length > 0) return;
    const { screen, output, onSubmit } = this.#options;
    const { openQuestion } = screen;
    if (this.#isInputEnded && openQuestion) openQuestion.dismiss();
    else if (openQuestion) output.writePrompt(openQuestion.question.prompt);
    else if (this.#isInputEnded && this.#isIdle) void onSubmit("/quit");
    else if (this.#isIdle) output.writePrompt(this.#partialLine === "" ? "> " : "… ");
  }

  get #isIdle(): boolean {
    const { screen, hasSession } = this.#options;
    return hasSession() && this.#runningCount === 0 && screen.state.activity.type === "idle";
  }

  #canTakeLine(): boolean {
    const { screen, isInteractive, hasSession } = this.#options;
    return screen.openQuestion !== undefined || this.#isIdle || (isInteractive && hasSession());
  }

  #takeLine(line: string): void {
    const { screen, output } = this.#options;
    if (screen.openQuestion) {
      const reply = screen.openQuestion.question.handleLine(line);
      if (reply) output.writeLines(reply);
      return;
    }
    const resolved = resolveHistory(line, this.#history);
    if (resolved.type === "told") output.writeLines(resolved.lines);
    else void this.#submit(screen.takeLine(resolved.text));
  }

  async #submit(text: string): Promise<void> {
    if (text.trim() === "") return;
    this.#history.push(text);
    this.#runningCount += 1;
    try {
      await this.#options.onSubmit(text);
    } finally {
      this.#runningCount -= 1;
      this.advance();
    }
  }
}

export interface PlainOutput {
  writeLines(lines: readonly string[]): void;
  /** Asks for a line, unless it is asked for already. */
  writePrompt(text: string): void;
  /** A line was typed. */
  onLineTyped(): void;
}

export interface PlainOutputOptions {
  readonly write: (text: string) => void;
  /** Whether the terminal shows what is typed, and the end of its line. */
  readonly isEchoed: boolean;
  /** Something was said. */
  readonly onOutput: () => void;
}

/** A prompt stays alone on its line: output that follows it begins a new one. */
export function createPlainOutput({ write, isEchoed, onOutput }: PlainOutputOptions): PlainOutput {
  let isPromptShown = false;
  return {
    writeLines: (lines) => {
      write(`${isPromptShown ? "\n" : ""}${lines.map((line) => `${line}\n`).join("")}`);
      isPromptShown = false;
      onOutput();
    },
    writePrompt: (text) => {
      if (!isPromptShown) write(text);
      isPromptShown = true;
    },
    onLineTyped: () => {
      if (isEchoed) isPromptShown = false;
    },
  };
}

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
