/** A page of its own over the whole terminal: what lies below is as it was when the page closes. */

import { CURSOR_MARKER, visibleWidth } from "@earendil-works/pi-tui";
import { fitted } from "../drawing/lines/wrapped.ts";
import type { Draw } from "./main-screen.ts";
import type { OneWrite } from "./one-write.ts";

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
