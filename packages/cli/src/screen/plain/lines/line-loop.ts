/** Lines that were typed, one after the other: each answers what is asked, or is said. */

import type { PlainScreen } from "../plain-screen.ts";
import { recalled } from "./earlier-lines.ts";
import type { PlainVoice } from "./plain-voice.ts";

export interface LoopParts {
  readonly screen: PlainScreen;
  readonly voice: PlainVoice;
  /** Whether a person types, who may speak while something is under way; else each line waits for the end of the one before. */
  readonly isPerson: boolean;
  readonly submitted: (text: string) => Promise<void> | void;
  /** Whether anybody hears what is submitted; until then lines wait. */
  readonly isOpen: () => boolean;
  /** What a key does that is no typing; false where it means nothing. */
  readonly pressed: (key: string) => boolean;
}

export class LineLoop {
  readonly #parts: LoopParts;
  /** Lines that nobody has taken yet. */
  readonly #waiting: string[] = [];
  readonly #earlier: string[] = [];
  /** The beginning of a line that goes on. */
  #begun = "";
  #underWay = 0;
  #hasEnded = false;

  constructor(parts: LoopParts) {
    this.#parts = parts;
  }

  typed(line: string): void {
    this.#parts.voice.answered();
    const goesOn = line.endsWith("\\");
    this.#begun += goesOn ? `${line.slice(0, -1)}\n` : line;
    if (goesOn) return;
    this.#waiting.push(this.#begun);
    this.#begun = "";
    this.advance();
  }

  /** No more lines will come. */
  ended(): void {
    this.#hasEnded = true;
    this.advance();
  }

  /** Stops what is under way; where nothing is, quits. */
  interrupted(): void {
    const { screen, pressed, submitted, voice } = this.#parts;
    voice.say([]);
    if (screen.asked) screen.asked.dismiss();
    else if (!pressed("ctrl+c")) void submitted("/quit");
  }

  /** Takes what waits, as far as it can be taken now, and asks for more. */
  advance(): void {
    while (this.#waiting.length > 0 && this.#takes()) this.#take(this.#waiting.shift() ?? "");
    if (this.#waiting.length > 0) return;
    const { screen, voice, submitted } = this.#parts;
    const { asked } = screen;
    if (this.#hasEnded && asked) asked.dismiss();
    else if (asked) voice.prompt(asked.question.prompt);
    else if (this.#hasEnded && this.#isIdle) void submitted("/quit");
    else if (this.#isIdle) voice.prompt(this.#begun === "" ? "> " : "… ");
  }

  get #isIdle(): boolean {
    const { screen, isOpen } = this.#parts;
    return isOpen() && this.#underWay === 0 && screen.state.work.type === "idle";
  }

  #takes(): boolean {
    const { screen, isPerson, isOpen } = this.#parts;
    return screen.asked !== undefined || this.#isIdle || (isPerson && isOpen());
  }

  #take(line: string): void {
    const { screen, voice } = this.#parts;
    if (screen.asked) {
      const more = screen.asked.question.hear(line);
      if (more) voice.say(more);
      return;
    }
    const meant = recalled(line, this.#earlier);
    if (meant.type === "told") voice.say(meant.lines);
    else void this.#submit(screen.taken(meant.text));
  }

  async #submit(text: string): Promise<void> {
    if (text.trim() === "") return;
    this.#earlier.push(text);
    this.#underWay += 1;
    try {
      await this.#parts.submitted(text);
    } finally {
      this.#underWay -= 1;
      this.advance();
    }
  }
}
