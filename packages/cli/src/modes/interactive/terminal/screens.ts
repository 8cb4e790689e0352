/** Draws full-screen pages and the main screen, where finished lines are printed once and only the live region is redrawn. */

import { fitLine } from "../render/text.ts";
import { CURSOR_MARKER, TuiMainScreen, visibleWidth } from "./pi-tui.ts";
import type { BufferedTerminal } from "./terminal.ts";

/** What still changes, drawn for a size; never higher than the screen. */
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

  /** `isRewrapped`: the terminal wraps what is drawn on it when it becomes narrower; unless said, it does. */
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

  /** Lines that are finished, above all that still changes. */
  print(lines: readonly string[]): void {
    // Not all at once as arguments: of those there may be only so many.
    for (const line of lines) this.#finishedLines.push(line);
    this.renderNow();
  }

  /** Begins where the cursor stands: whoever had the terminal meanwhile may have written on it. */
  override start(): void {
    this.restoreRenderState({ ...this.captureRenderState(), ...EMPTY_RENDER_STATE });
    super.start();
    // A picture that was due when it stopped would otherwise be waited for, and never come.
    this.renderNow();
  }

  /** Leaves the terminal to somebody else: what changes is taken off it until it starts again. */
  releaseTerminal(): void {
    const { previousLines, hardwareCursorRow } = this.captureRenderState();
    this.#erase(previousLines.slice(0, hardwareCursorRow), 0);
    this.stop({ preserveScreen: true });
  }

  /** Until it is released something else has the terminal, and is drawn whenever this would be. */
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
   * From the top of the region to the end of the screen. A terminal that became narrower may have wrapped what was drawn on it.
   * Never from the screen's first cell: tmux would keep a copy of all it erases.
   */
  #erase(linesAbove: readonly string[], drawnWidth: number): void {
    const { columns } = this.#terminal;
    // The line with the cursor is wrapped by some and cut by others; it is better to leave a row of it than to take one above it.
    const isWrapped = this.#isRewrapped && drawnWidth > columns;
    const rows = isWrapped ? linesAbove.reduce((sum, line) => sum + countRows(line, columns), 0) : linesAbove.length;
    this.#terminal.write(`\r${rows > 0 ? `\x1b[${rows}A` : ""}\x1b[C\x1b[J\r\x1b[2K`);
    // What is drawn next begins where the cursor stands.
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

/** Uses the alternate screen, so that the main screen is unchanged when the page closes. */
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

  /** Empty and with the cursor at its top: tmux, made smaller or larger meanwhile, would keep some of its rows as history. */
  close(): void {
    this.#terminal.write("\x1b[2J\x1b[H\x1b[?1049l");
  }

  /** Only rows that have changed are written. */
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
      // Where one types, so that what an input method shows stands there, too.
      if (cursorRow >= 0) this.#terminal.write(`\x1b[${cursorRow + 1};${cursorColumn + 1}H`);
    });
    this.#drawnRows = rows;
    this.#drawnSize = size;
  }
}
