/** A terminal that is written to in whole pictures, and whose history nobody wipes. */

import type { Terminal } from "@earendil-works/pi-tui";

/** Wiping the history of a terminal takes away lines that are not ours. */
const WIPE_HISTORY = "\x1b[3J";
const BEGIN = "\x1b[?2026h";
const END = "\x1b[?2026l";

export class OneWrite implements Terminal {
  readonly #inner: Terminal;
  #held: string[] | null = null;

  constructor(inner: Terminal) {
    this.#inner = inner;
  }

  /** All that is written meanwhile is seen at once. */
  together(act: () => void): void {
    if (this.#held) {
      act();
      return;
    }
    const held: string[] = [];
    this.#held = held;
    try {
      act();
    } finally {
      this.#held = null;
      const text = held.join("").replaceAll(BEGIN, "").replaceAll(END, "");
      if (text !== "") this.#inner.write(`${BEGIN}${text}${END}`);
    }
  }

  write(data: string): void {
    const text = data.replaceAll(WIPE_HISTORY, "");
    if (this.#held) this.#held.push(text);
    else if (text !== "") this.#inner.write(text);
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    this.#inner.start(onInput, onResize);
  }

  stop(): void {
    this.#inner.stop();
  }

  drainInput(mostMs?: number, idleMs?: number): Promise<void> {
    return this.#inner.drainInput(mostMs, idleMs);
  }

  get columns(): number {
    return this.#inner.columns;
  }

  get rows(): number {
    return this.#inner.rows;
  }

  get kittyProtocolActive(): boolean {
    return this.#inner.kittyProtocolActive;
  }

  moveBy(lines: number): void {
    if (lines !== 0) this.write(lines > 0 ? `\x1b[${lines}B` : `\x1b[${-lines}A`);
  }

  hideCursor(): void {
    this.write("\x1b[?25l");
  }

  showCursor(): void {
    this.write("\x1b[?25h");
  }

  clearLine(): void {
    this.write("\x1b[K");
  }

  clearFromCursor(): void {
    this.write("\x1b[J");
  }

  clearScreen(): void {
    this.write("\x1b[2J\x1b[H");
  }

  setTitle(title: string): void {
    this.write(`\x1b]0;${title}\x07`);
  }

  setProgress(isActive: boolean): void {
    this.#inner.setProgress(isActive);
  }
}
