/** Draws full-screen pages and the main screen, where finished lines are printed once and only the live region is redrawn. */

import { fitted } from "../render/text.ts";
import { CURSOR_MARKER, TuiMainScreen, visibleWidth } from "./pi-tui.ts";
import type { OneWrite } from "./terminal.ts";

/** What still changes, drawn for a size; never higher than the screen. */
export type Draw = (size: Size) => readonly string[];

export interface Size {
  readonly width: number;
  readonly height: number;
}

export class MainScreen extends TuiMainScreen {
  readonly #port: OneWrite;
  readonly #isRewrapped: boolean;
  #holder: (() => void) | null = null;
  #finished: string[] = [];

  /** `isRewrapped`: the terminal wraps what is drawn on it when it becomes narrower; unless said, it does. */
  constructor(port: OneWrite, draw: Draw, { isRewrapped = true }: { readonly isRewrapped?: boolean | undefined } = {}) {
    super(port);
    this.#port = port;
    this.#isRewrapped = isRewrapped;
    this.addChild({
      invalidate: () => {},
      render: (width) => draw({ width, height: port.rows }).slice(-port.rows),
    });
  }

  get size(): Size {
    return { width: this.#port.columns, height: this.#port.rows };
  }

  /** Lines that are finished, above all that still changes. */
  print(lines: readonly string[]): void {
    // Not all at once as arguments: of those there may be only so many.
    for (const line of lines) this.#finished.push(line);
    this.renderNow();
  }

  /** Begins where the cursor stands: whoever had the terminal meanwhile may have written on it. */
  override start(): void {
    this.restoreRenderState({ ...this.captureRenderState(), ...nothingDrawn });
    super.start();
    // A picture that was due when it stopped would otherwise be waited for, and never come.
    this.renderNow();
  }

  /** Leaves the terminal to somebody else: what changes is taken off it until it starts again. */
  yield(): void {
    const { previousLines, hardwareCursorRow } = this.captureRenderState();
    this.#erase(previousLines.slice(0, hardwareCursorRow), 0);
    this.stop({ preserveScreen: true });
  }

  /** Until it is released something else has the terminal, and is drawn whenever this would be. */
  hold(changed: () => void): void {
    this.#holder = changed;
  }

  release(): void {
    this.#holder = null;
    this.renderNow();
  }

  protected override doRender(): void {
    if (this.stopped) return;
    if (this.#holder) {
      this.#holder();
      return;
    }
    this.#port.together(() => {
      const { previousLines, hardwareCursorRow, previousWidth } = this.captureRenderState();
      const isResized = previousLines.length > 0 && !this.#isOfSize();
      if (isResized) this.#erase(previousLines.slice(0, hardwareCursorRow), previousWidth);
      else if (this.#finished.length > 0) this.#erase(previousLines.slice(0, hardwareCursorRow), 0);
      this.#writeFinished();
      super.doRender();
    });
  }

  #isOfSize(): boolean {
    const { previousWidth, previousHeight } = this.captureRenderState();
    return previousWidth === this.#port.columns && previousHeight === this.#port.rows;
  }

  #writeFinished(): void {
    const text = this.#finished.map((line) => `${line}\x1b[0m\r\n`).join("");
    this.#finished = [];
    if (text !== "") this.#port.write(text);
  }

  /**
   * From the top of the region to the end of the screen. A terminal that became narrower may have wrapped what was drawn on it.
   * Never from the screen's first cell: tmux would keep a copy of all it erases.
   */
  #erase(above: readonly string[], drawnFor: number): void {
    const { columns } = this.#port;
    // The line with the cursor is wrapped by some and cut by others; it is better to leave a row of it than to take one above it.
    const isWrapped = this.#isRewrapped && drawnFor > columns;
    const rows = isWrapped ? above.reduce((sum, line) => sum + rowsOf(line, columns), 0) : above.length;
    this.#port.write(`\r${rows > 0 ? `\x1b[${rows}A` : ""}\x1b[C\x1b[J\r\x1b[2K`);
    // What is drawn next begins where the cursor stands.
    this.restoreRenderState({ ...this.captureRenderState(), ...nothingDrawn });
  }
}

const nothingDrawn = {
  previousLines: [],
  previousWidth: 0,
  previousHeight: 0,
  cursorRow: 0,
  hardwareCursorRow: 0,
  maxLinesRendered: 0,
  previousViewportTop: 0,
};

function rowsOf(line: string, width: number): number {
  return Math.max(1, Math.ceil(visibleWidth(line) / width));
}

/** Uses the alternate screen, so that the main screen is unchanged when the page closes. */
export class FullPage {
  readonly #port: OneWrite;
  readonly #draw: Draw;
  #drawn: readonly string[] = [];
  #size = "";

  constructor(port: OneWrite, draw: Draw) {
    this.#port = port;
    this.#draw = draw;
  }

  open(): void {
    this.#port.write("\x1b[?1049h\x1b[?25l");
    this.redraw();
  }

  /** Empty and with the cursor at its top: tmux, made smaller or larger meanwhile, would keep some of its rows as history. */
  close(): void {
    this.#port.write("\x1b[2J\x1b[H\x1b[?1049l");
  }

  /** Only rows that have changed are written. */
  redraw(): void {
    const { columns: width, rows: height } = this.#port;
    const size = `${width}x${height}`;
    const lines = this.#draw({ width, height }).slice(0, height);
    const cursor = lines.findIndex((line) => line.includes(CURSOR_MARKER));
    const column = visibleWidth((lines[cursor] ?? "").split(CURSOR_MARKER)[0] ?? "");
    const plainLines = lines.map((line) => line.replaceAll(CURSOR_MARKER, ""));
    const rows = Array.from({ length: height }, (_, at) => fitted(plainLines[at] ?? "", width));
    const known = size === this.#size ? this.#drawn : [];
    this.#port.together(() => {
      for (const [at, row] of rows.entries())
        if (row !== known[at]) this.#port.write(`\x1b[${at + 1};1H\x1b[2K${row}\x1b[0m`);
      // Where one types, so that what an input method shows stands there, too.
      if (cursor >= 0) this.#port.write(`\x1b[${cursor + 1};${column + 1}H`);
    });
    this.#drawn = rows;
    this.#size = size;
  }
}
