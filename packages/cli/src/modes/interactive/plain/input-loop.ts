/** Reads typed lines in plain mode: each line answers the open question or is submitted. Writes the prompts between them. */

import { createInterface, type Interface } from "node:readline";
import { escapeControls, truncate } from "@pith/host/text/safe-text";
import type { ScreenApi } from "../screen-context.ts";
import { initialScreenState } from "../state/screen-state.ts";
import { type OpenQuestion, PlainScreen } from "./plain-screen.ts";

export type HistoryResult =
  /** The text to submit instead of the line. */
  { readonly type: "line"; readonly text: string } | { readonly type: "output"; readonly lines: readonly string[] };

/** Replaces the history keys, which a plain terminal does not have: `/history` lists earlier lines, `/history 3` repeats the third. */
function resolveHistory(line: string, history: readonly string[]): HistoryResult {
  const [match, number] = /^\/history(?:\s+(\d+))?\s*$/.exec(line) ?? [];
  if (match === undefined) return { type: "line", text: line };
  if (number === undefined) return { type: "output", lines: listHistory(history) };
  const text = history[Number(number) - 1];
  if (text === undefined)
    return { type: "output", lines: [`No line ${number} in the history. /history lists the lines.`] };
  return { type: "line", text };
}

function listHistory(history: readonly string[]): readonly string[] {
  if (history.length === 0) return ["The history is empty."];
  const rows = history.map((text, index) => `${index + 1}. ${escapeControls(truncate(text))}`);
  return [...rows.slice(-MAX_HISTORY_LINES), "To submit a line again, type /history <number>."];
}

const MAX_HISTORY_LINES = 20;

export interface InputLoopOptions {
  readonly screen: PlainScreen;
  readonly output: PlainOutput;
  /** Whether a user types the lines. Otherwise each line waits until the work of the previous line has ended. */
  readonly isInteractive: boolean;
  readonly onSubmit: (text: string) => Promise<void> | void;
  /** Lines wait until there is a session. */
  readonly hasSession: () => boolean;
  /** Handles a key that types no text. Returns false if the key does nothing. */
  readonly onKey: (key: string) => boolean;
}

interface PendingLine {
  readonly text: string;
  /** The question that was open and readable when the line was typed. The line answers no other question. */
  readonly question: OpenQuestion | null;
}

export class InputLoop {
  readonly #options: InputLoopOptions;
  #pendingLines: readonly PendingLine[] = [];
  readonly #history: string[] = [];
  /** The lines so far that ended with a backslash. */
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
    const { openQuestion } = this.#options.screen;
    const question = openQuestion?.isReady ? openQuestion : null;
    this.#pendingLines = [...this.#pendingLines, { text: this.#partialLine, question }];
    this.#partialLine = "";
    this.advance();
  }

  /** Called when the input has ended. */
  handleEnd(): void {
    this.#isInputEnded = true;
    this.advance();
  }

  /** Closes the open question or stops the running work. Quits if there is neither. */
  handleInterrupt(): void {
    const { screen, onKey, onSubmit, output } = this.#options;
    output.writeLines([]);
    if (screen.openQuestion) screen.openQuestion.dismiss();
    else if (!onKey("ctrl+c")) void onSubmit("/quit");
  }

  /** Handles as many pending lines as possible, then writes the prompt for the next line. */
  advance(): void {
    for (let line = this.#findNextLine(); line; line = this.#findNextLine()) {
      this.#pendingLines = this.#pendingLines.filter((other) => other !== line);
      this.#takeLine(line.text);
    }
    const { screen, output, onSubmit } = this.#options;
    const { openQuestion } = screen;
    if (openQuestion && !this.#isInputEnded) {
      if (openQuestion.isReady) output.writePrompt(openQuestion.question.prompt);
      return;
    }
    if (this.#pendingLines.length > 0 && !openQuestion) return;
    if (openQuestion) openQuestion.dismiss();
    else if (this.#isInputEnded && this.#isIdle) void onSubmit("/quit");
    else if (this.#isIdle) output.writePrompt(this.#partialLine === "" ? "> " : "… ");
  }

  get #isIdle(): boolean {
    const { screen, hasSession } = this.#options;
    return hasSession() && this.#runningCount === 0 && screen.state.activity.type === "idle";
  }

  /** Lines that a user typed before a question stay until it is answered. */
  #findNextLine(): PendingLine | undefined {
    const { screen, isInteractive, hasSession } = this.#options;
    const { openQuestion } = screen;
    if (openQuestion && isInteractive) return this.#pendingLines.find(({ question }) => question === openQuestion);
    return openQuestion || this.#isIdle || (isInteractive && hasSession()) ? this.#pendingLines[0] : undefined;
  }

  #takeLine(line: string): void {
    const { screen, output } = this.#options;
    if (screen.openQuestion) {
      const reply = screen.openQuestion.question.handleLine(line);
      if (reply) output.writeLines(reply);
      return;
    }
    const resolved = resolveHistory(line, this.#history);
    if (resolved.type === "output") output.writeLines(resolved.lines);
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
  /** Does nothing if a prompt is already shown. */
  writePrompt(text: string): void;
  onLineTyped(): void;
}

export interface PlainOutputOptions {
  readonly write: (text: string) => void;
  /** Whether the terminal shows the typed text and its line end. */
  readonly isEchoed: boolean;
  readonly onOutput: () => void;
}

/** Output after a prompt starts on a new line. */
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
  const idleTimer = new IdleTimer(() => {
    if (acceptsInput()) loop.advance();
    if (!acceptsInput() || screen.openQuestion?.isReady === false) idleTimer.restart();
  });
  const output = createPlainOutput({ write, isEchoed: isInteractive, onOutput: () => idleTimer.restart() });
  const releaseTerminal = createTerminalRelease(() => lines);
  const initialState = { ...initialScreenState, keymap: EMPTY_KEYMAP };
  const screen = new PlainScreen({
    writeLines: output.writeLines,
    initialState,
    now: Date.now,
    schedule,
    releaseTerminal,
  });
  const loop = new InputLoop({ screen, output, isInteractive, ...options });
  const onInterrupt = (): void => {
    if (acceptsInput()) loop.handleInterrupt();
    else process.exit(SIGINT_EXIT_CODE);
  };
  return {
    screen,
    start: () => {
      // `terminal: false`, because readline would move the cursor. The terminal driver edits the line.
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

/** Pauses the input while another program uses the terminal. */
function createTerminalRelease(lines: () => Interface | null): ScreenApi["releaseTerminal"] {
  return async (task) => {
    lines()?.pause();
    return await task().finally(() => lines()?.resume());
  };
}

/** Calls `onIdle` when there was no output for a moment. */
class IdleTimer {
  readonly #onIdle: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(onIdle: () => void) {
    this.#onIdle = onIdle;
  }

  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onIdle, IDLE_DELAY_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** How long output must pause before the prompt is written, so that no output follows it. */
const IDLE_DELAY_MS = 60;

/** The exit code of shells after SIGINT. */
const SIGINT_EXIT_CODE = 130;

function schedule(task: () => void, ms: number): () => void {
  const timer = setTimeout(task, ms);
  return () => clearTimeout(timer);
}

/** There are no key bindings in plain mode, so hints name commands instead. */
const EMPTY_KEYMAP = {};
