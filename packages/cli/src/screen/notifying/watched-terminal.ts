/** A terminal that tells whether somebody looks at it. What it says of its focus reaches nobody as a key. */

import type { Terminal } from "@earendil-works/pi-tui";
import { OneWrite } from "../terminal/one-write.ts";
import { type Gaze, gazeAfter, isFocusWord, neverSeen } from "./gaze.ts";

const REPORT_FOCUS = "\x1b[?1004h";
const REPORT_NO_FOCUS = "\x1b[?1004l";

export class WatchedTerminal extends OneWrite {
  readonly #now: () => number;
  #gaze: Gaze = neverSeen;

  constructor(inner: Terminal, now: () => number) {
    super(inner);
    this.#now = now;
  }

  get gaze(): Gaze {
    return this.#gaze;
  }

  override start(onInput: (data: string) => void, onResize: () => void): void {
    const heard = (data: string): void => {
      this.#gaze = gazeAfter(this.#gaze, data, this.#now());
      if (!isFocusWord(data)) onInput(data);
    };
    super.start(heard, onResize);
    this.write(REPORT_FOCUS);
  }

  override stop(): void {
    this.write(REPORT_NO_FOCUS);
    super.stop();
  }
}
