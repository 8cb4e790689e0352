/** Takes typed lines one after the other: each answers the open question or is submitted; writes the prompts between them. */

import { clipped, plain } from "../../../text/safe-text.ts";
import type { PlainScreen } from "./plain-screen.ts";

export type Recalled =
  /** What is to be said instead of the line. */
  { readonly type: "line"; readonly text: string } | { readonly type: "told"; readonly lines: readonly string[] };

/** No key of a plain terminal recalls earlier lines. `/history` lists them, `/history 3` means the third; every other line means itself. */
export function recalled(line: string, earlier: readonly string[]): Recalled {
  const [whole, number] = /^\/history(?:\s+(\d+))?\s*$/.exec(line) ?? [];
  if (whole === undefined) return { type: "line", text: line };
  if (number === undefined) return { type: "told", lines: listed(earlier) };
  const text = earlier[Number(number) - 1];
  if (text === undefined) return { type: "told", lines: [`There is no line ${number}; /history names them.`] };
  return { type: "line", text };
}

function listed(earlier: readonly string[]): readonly string[] {
  if (earlier.length === 0) return ["Nothing was typed yet."];
  const rows = earlier.map((text, at) => `${at + 1}. ${plain(clipped(text))}`);
  return [...rows.slice(-MOST), "/history and a number says one of them again."];
}

const MOST = 20;

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

export interface PlainVoice {
  say(lines: readonly string[]): void;
  /** Asks for a line, unless it is asked for already. */
  prompt(text: string): void;
  /** A line was typed. */
  answered(): void;
}

export interface VoiceParts {
  readonly write: (text: string) => void;
  /** Whether the terminal shows what is typed, and the end of its line. */
  readonly isEchoed: boolean;
  /** Something was said. */
  readonly said: () => void;
}

/** A prompt stays alone on its line: output that follows it begins a new one. */
export function plainVoice({ write, isEchoed, said }: VoiceParts): PlainVoice {
  let isPrompted = false;
  return {
    say: (lines) => {
      write(`${isPrompted ? "\n" : ""}${lines.map((line) => `${line}\n`).join("")}`);
      isPrompted = false;
      said();
    },
    prompt: (text) => {
      if (!isPrompted) write(text);
      isPrompted = true;
    },
    answered: () => {
      if (isEchoed) isPrompted = false;
    },
  };
}
