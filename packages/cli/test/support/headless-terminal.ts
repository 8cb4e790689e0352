/** A terminal for tests: xterm interprets the output, and tests press keys. */

import type { Terminal } from "@earendil-works/pi-tui";
import xterm from "@xterm/headless";

export class HeadlessTerminal implements Terminal {
  readonly emulator: xterm.Terminal;
  written = 0;
  #press: (data: string) => void = () => {};
  #resized: () => void = () => {};

  constructor(columns = 80, rows = 24) {
    this.emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 100_000, allowProposedApi: true });
  }

  get columns(): number {
    return this.emulator.cols;
  }

  get rows(): number {
    return this.emulator.rows;
  }

  readonly kittyProtocolActive = false;

  start(onInput: (data: string) => void, onResize: () => void): void {
    this.#press = onInput;
    this.#resized = onResize;
  }

  stop(): void {}

  async drainInput(): Promise<void> {}

  write(data: string): void {
    this.written += data.length;
    this.emulator.write(data);
  }

  /** One key, as the terminal spells it. */
  press(...keys: readonly string[]): void {
    for (const key of keys) this.#press(key);
  }

  type(text: string): void {
    for (const sign of text) this.#press(sign);
  }

  resize(columns: number, rows: number): void {
    this.emulator.resize(columns, rows);
    this.#resized();
  }

  /** When all that was written has been understood. */
  waitUntilDrawn(): Promise<void> {
    return new Promise((resolve) => this.emulator.write("", resolve));
  }

  /** What is seen, without blanks at the ends of lines and below. */
  async screen(): Promise<readonly string[]> {
    await this.waitUntilDrawn();
    const { viewportY } = this.emulator.buffer.active;
    return trimmed(this.#lines(viewportY, viewportY + this.rows));
  }

  /** All lines, what was scrolled away included. */
  async scrollback(): Promise<readonly string[]> {
    await this.waitUntilDrawn();
    return trimmed(this.#lines(0, this.emulator.buffer.active.length));
  }

  #lines(from: number, to: number): string[] {
    const { active } = this.emulator.buffer;
    return Array.from({ length: to - from }, (_, at) => active.getLine(from + at)?.translateToString(true) ?? "");
  }

  moveBy(): void {}
  hideCursor(): void {}
  showCursor(): void {}
  clearLine(): void {}
  clearFromCursor(): void {}
  clearScreen(): void {}
  setTitle(): void {}
  setProgress(): void {}
}

function trimmed(lines: string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return lines.slice(0, last + 1);
}
