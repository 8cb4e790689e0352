/** Rings the bell or sends a desktop notification when a question waits or long work ends while the user looks elsewhere. */

import type { AgentEvent } from "@pith/agent";
import type { Environment } from "@pith/models";
import { oneLine, plain } from "../../text/safe-text.ts";
import type { Terminal } from "./terminal/pi-tui.ts";
import { OneWrite } from "./terminal/terminal.ts";

export type Notify = "off" | "bell" | "desktop";

export function callSequence(text: string, how: Notify, environment: Environment): string {
  if (how === "off") return "";
  if (how === "bell") return BELL;
  const sequence = desktopSequence(text, environment);
  // The bell as well: what passes it on may not know what a notification is.
  return `${environment.TMUX ? passedThrough(sequence) : sequence}${BELL}`;
}

const BELL = "\x07";
const END = "\x1b\\";

function desktopSequence(text: string, environment: Environment): string {
  const words = shortened(oneLine(plain(text)));
  switch (speechOf(environment)) {
    case "kitty":
      return `\x1b]99;i=pith:d=0;Pith${END}\x1b]99;i=pith:p=body;${words}${END}`;
    case "urxvt":
      return `\x1b]777;notify;Pith;${words.replaceAll(";", ",")}${END}`;
    case "iterm":
      return `\x1b]9;Pith: ${words}${END}`;
  }
}

/** OSC 99, 777 or 9: which one a terminal knows, by what it says of itself. */
function speechOf({ TERM = "", TERM_PROGRAM = "", KITTY_WINDOW_ID, VTE_VERSION }: Environment) {
  if (KITTY_WINDOW_ID || TERM.includes("kitty")) return "kitty";
  if (VTE_VERSION || /^(?:rxvt|foot)/.test(TERM) || /^(?:ghostty|WarpTerminal)$/i.test(TERM_PROGRAM)) return "urxvt";
  return "iterm";
}

const LONGEST = 200;

function shortened(text: string): string {
  // Half a sign would be none.
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1).replace(/[\ud800-\udbff]$/, "")}…` : text;
}

/** tmux hands on what stands in its own brackets, where it is allowed to. */
function passedThrough(sequence: string): string {
  return `\x1bPtmux;${sequence.replaceAll("\x1b", "\x1b\x1b")}${END}`;
}

/** The focus that the terminal reports; where it never reports one, the last key counts. */
export interface Gaze {
  /** Null: the terminal has never said. */
  readonly hasFocus: boolean | null;
  /** In milliseconds. */
  readonly lastKeyAt: number;
}

export const neverSeen: Gaze = { hasFocus: null, lastKeyAt: Number.NEGATIVE_INFINITY };

/** What came from the terminal: word of its focus, or a key. Pure. */
export function gazeAfter(gaze: Gaze, data: string, now: number): Gaze {
  if (isFocusWord(data)) return { ...gaze, hasFocus: data === FOCUS_GAINED };
  // Who types is there, whatever was said before.
  return { hasFocus: gaze.hasFocus === null ? null : true, lastKeyAt: now };
}

export function isFocusWord(data: string): boolean {
  return data === FOCUS_GAINED || data === FOCUS_LOST;
}

/** Milliseconds until nobody is taken to look any more; null: as long as the terminal says somebody does. */
export function looksFor({ hasFocus, lastKeyAt }: Gaze, now: number): number | null {
  if (hasFocus !== null) return hasFocus ? null : 0;
  return Math.max(0, lastKeyAt + AWAY_MS - now);
}

/** Whoever has not touched a key for so long may be elsewhere. */
const AWAY_MS = 10_000;

const FOCUS_GAINED = "\x1b[I";
const FOCUS_LOST = "\x1b[O";

export interface NotifierParts {
  /** Writes to the terminal what is not to be seen. */
  readonly send: (sequence: string) => void;
  readonly gaze: () => Gaze;
  /** In milliseconds. */
  readonly now: () => number;
  readonly environment: Environment;
}

export class Notifier {
  #how: () => Notify | undefined = () => undefined;
  readonly #parts: NotifierParts;
  #since: number | null = null;

  constructor(parts: NotifierParts) {
    this.#parts = parts;
  }

  /** What the settings say now, which are read after the screen is there. */
  follow(how: () => Notify | undefined): void {
    this.#how = how;
  }

  hear(event: AgentEvent): void {
    if (event.type === "agent_start") this.#since ??= this.#parts.now();
    if (event.type !== "agent_settled") return;
    const took = this.#since === null ? 0 : this.#parts.now() - this.#since;
    this.#since = null;
    // Who stopped it knows.
    if (!event.aborted && took > LONG_MS && this.#looksFor() === 0) this.#call("the work is done");
  }

  /** Called as soon as nobody looks, unless what is returned is called before. */
  waits(text: string): () => void {
    let timer: NodeJS.Timeout | null = null;
    const look = (): void => {
      const looks = this.#looksFor();
      if (looks === 0) this.#call(text);
      else timer = setTimeout(look, Math.max(looks ?? AGAIN_MS, SHORTEST_MS)).unref();
    };
    look();
    return () => {
      if (timer) clearTimeout(timer);
    };
  }

  #looksFor(): number | null {
    return looksFor(this.#parts.gaze(), this.#parts.now());
  }

  #call(text: string): void {
    const sequence = callSequence(text, this.#how() ?? "bell", this.#parts.environment);
    if (sequence !== "") this.#parts.send(sequence);
  }
}

const LONG_MS = 10_000;
const SHORTEST_MS = 50;
/** Who looks now may turn away without an answer. */
const AGAIN_MS = 2_000;

const REPORT_FOCUS = "\x1b[?1004h";
const REPORT_NO_FOCUS = "\x1b[?1004l";

/** Focus reports are not passed on as keys. */
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
