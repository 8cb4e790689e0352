/** Draws full-screen pages and the main screen, where finished lines are printed once and only the live region is redrawn. */

import { fitLine } from "../render/text.ts";
import { CURSOR_MARKER, TuiMainScreen, visibleWidth } from "./pi-tui.ts";
import type { BufferedTerminal } from "./terminal.ts";

/** Draws the lines for a size. They are never higher than the screen. */
export type Draw = (size: Size) => readonly string[];

export interface Size {
  readonly width: number;
  readonly height: number;
}

export class MainScreen extends TuiMainScreen {
  readonly #terminal: BufferedTerminal;
  readonly #isRewrapped: boolean;
  #renderInstead: (() => void) | null = null;
  #finishedLines: string[] = [];

  /** `isRewrapped`: whether the terminal wraps existing lines again when it becomes narrower. Default: true. */
  constructor(
    terminal: BufferedTerminal,
    draw: Draw,
    { isRewrapped = true }: { readonly isRewrapped?: boolean | undefined } = {},
  ) {
    super(terminal);
    this.#terminal = terminal;
    this.#isRewrapped = isRewrapped;
    this.addChild({
      invalidate: () => {},
      render: (width) => draw({ width, height: terminal.rows }).slice(-terminal.rows),
    });
  }

  get size(): Size {
    return { width: this.#terminal.columns, height: this.#terminal.rows };
  }

  /** Prints finished lines above the live region. */
  print(lines: readonly string[]): void {
    // Not `push(...lines)`: the number of arguments of a call is limited.
    for (const line of lines) this.#finishedLines.push(line);
    this.renderNow();
  }

  /** Starts at the cursor, because another program may have written to the terminal meanwhile. */
  override start(): void {
    this.restoreRenderState({ ...this.captureRenderState(), ...EMPTY_RENDER_STATE });
    super.start();
    // A frame that was scheduled when the screen stopped is never drawn, but would block the next one.
    this.renderNow();
  }

  /** Erases the live region and leaves the terminal to another program, until `start` is called again. */
  releaseTerminal(): void {
    const { previousLines, hardwareCursorRow } = this.captureRenderState();
    this.#erase(previousLines.slice(0, hardwareCursorRow), 0);
    this.stop({ preserveScreen: true });
  }

  /** Calls `renderInstead` in place of each render, until `resume` is called. */
  pause(renderInstead: () => void): void {
    this.#renderInstead = renderInstead;
  }

  resume(): void {
    this.#renderInstead = null;
    this.renderNow();
  }

  protected override doRender(): void {
    if (this.stopped) return;
    if (this.#renderInstead) {
      this.#renderInstead();
      return;
    }
    this.#terminal.batch(() => {
      const { previousLines, hardwareCursorRow, previousWidth } = this.captureRenderState();
      const isResized = previousLines.length > 0 && !this.#hasCurrentSize();
      if (isResized) this.#erase(previousLines.slice(0, hardwareCursorRow), previousWidth);
      else if (this.#finishedLines.length > 0) this.#erase(previousLines.slice(0, hardwareCursorRow), 0);
      this.#writeFinished();
      super.doRender();
    });
  }

  #hasCurrentSize(): boolean {
    const { previousWidth, previousHeight } = this.captureRenderState();
    return previousWidth === this.#terminal.columns && previousHeight === this.#terminal.rows;
  }

  #writeFinished(): void {
    const text = this.#finishedLines.map((line) => `${line}\x1b[0m\r\n`).join("");
    this.#finishedLines = [];
    if (text !== "") this.#terminal.write(text);
  }

  /**
   * Erases from the top of the live region to the end of the screen. A terminal that became narrower may have wrapped its lines.
   * Never erases from the screen's first cell: tmux would keep a copy of everything erased.
   */
  #erase(linesAbove: readonly string[], drawnWidth: number): void {
    const { columns } = this.#terminal;
    // Some terminals wrap the line with the cursor and others cut it. It is better to leave one of its rows than to erase a row above it.
    const isWrapped = this.#isRewrapped && drawnWidth > columns;
    const rows = isWrapped ? linesAbove.reduce((sum, line) => sum + countRows(line, columns), 0) : linesAbove.length;
    this.#terminal.write(`\r${rows > 0 ? `\x1b[${rows}A` : ""}\x1b[C\x1b[J\r\x1b[2K`);
    // The next frame starts at the cursor.
    this.restoreRenderState({ ...this.captureRenderState(), ...EMPTY_RENDER_STATE });
  }
}

const EMPTY_RENDER_STATE = {
  previousLines: [],
  previousWidth: 0,
  previousHeight: 0,
  cursorRow: 0,
  hardwareCursorRow: 0,
  maxLinesRendered: 0,
  previousViewportTop: 0,
};

function countRows(line: string, width: number): number {
  return Math.max(1, Math.ceil(visibleWidth(line) / width));
}

/** A page on the alternate screen. The main screen is unchanged when the page closes. */
export class FullPage {
  readonly #terminal: BufferedTerminal;
  readonly #draw: Draw;
  #drawnRows: readonly string[] = [];
  #drawnSize = "";

  constructor(terminal: BufferedTerminal, draw: Draw) {
    this.#terminal = terminal;
    this.#draw = draw;
  }

  open(): void {
    this.#terminal.write("\x1b[?1049h\x1b[?25l");
    this.redraw();
  }

  /** Clears the page and moves the cursor to its top first. Otherwise tmux, if it was resized, keeps some of its rows as history. */
  close(): void {
    this.#terminal.write("\x1b[2J\x1b[H\x1b[?1049l");
  }

  /** Writes only the rows that have changed. */
  redraw(): void {
    const { columns: width, rows: height } = this.#terminal;
    const size = `${width}x${height}`;
    const lines = this.#draw({ width, height }).slice(0, height);
    const cursorRow = lines.findIndex((line) => line.includes(CURSOR_MARKER));
    const cursorColumn = visibleWidth((lines[cursorRow] ?? "").split(CURSOR_MARKER)[0] ?? "");
    const plainLines = lines.map((line) => line.replaceAll(CURSOR_MARKER, ""));
    const rows = Array.from({ length: height }, (_, index) => fitLine(plainLines[index] ?? "", width));
    const previousRows = size === this.#drawnSize ? this.#drawnRows : [];
    this.#terminal.batch(() => {
      for (const [index, row] of rows.entries())
        if (row !== previousRows[index]) this.#terminal.write(`\x1b[${index + 1};1H\x1b[2K${row}\x1b[0m`);
      // Moves the cursor to the input, so that an input method shows its text there.
      if (cursorRow >= 0) this.#terminal.write(`\x1b[${cursorRow + 1};${cursorColumn + 1}H`);
    });
    this.#drawnRows = rows;
    this.#drawnSize = size;
  }
}
