/** Rings the bell or sends a desktop notification when a question waits or long work ends while the user looks elsewhere. */

import type { AgentEvent } from "@pith/agent";
import { escapeControls, escapeLineBreaks } from "@pith/host/text/safe-text";
import type { Environment } from "@pith/models";
import type { Terminal } from "./terminal/pi-tui.ts";
import { BufferedTerminal } from "./terminal/terminal.ts";

export type NotifyMethod = "off" | "bell" | "desktop";

export function formatNotification(text: string, method: NotifyMethod, environment: Environment): string {
  if (method === "off") return "";
  if (method === "bell") return BELL;
  const sequence = formatDesktopNotification(text, environment);
  // Also rings the bell: a program in between, such as tmux, may not support notifications.
  return `${environment.TMUX ? wrapForTmux(sequence) : sequence}${BELL}`;
}

const BELL = "\x07";
const STRING_TERMINATOR = "\x1b\\";

function formatDesktopNotification(text: string, environment: Environment): string {
  const body = truncateBody(escapeLineBreaks(escapeControls(text)));
  switch (detectProtocol(environment)) {
    case "kitty":
      return `\x1b]99;i=pith:d=0;Pith${STRING_TERMINATOR}\x1b]99;i=pith:p=body;${body}${STRING_TERMINATOR}`;
    case "urxvt":
      return `\x1b]777;notify;Pith;${body.replaceAll(";", ",")}${STRING_TERMINATOR}`;
    case "iterm":
      return `\x1b]9;Pith: ${body}${STRING_TERMINATOR}`;
  }
}

/** Chooses OSC 99, 777 or 9 by the environment variables of the terminal. */
function detectProtocol({ TERM = "", TERM_PROGRAM = "", KITTY_WINDOW_ID, VTE_VERSION }: Environment) {
  if (KITTY_WINDOW_ID || TERM.includes("kitty")) return "kitty";
  if (VTE_VERSION || /^(?:rxvt|foot)/.test(TERM) || /^(?:ghostty|WarpTerminal)$/i.test(TERM_PROGRAM)) return "urxvt";
  return "iterm";
}

const MAX_BODY_CHARS = 200;

function truncateBody(text: string): string {
  // Half of a surrogate pair is not a valid character.
  return text.length > MAX_BODY_CHARS ? `${text.slice(0, MAX_BODY_CHARS - 1).replace(/[\ud800-\udbff]$/, "")}…` : text;
}

/** tmux passes a sequence in this wrapper to the outer terminal, if its configuration allows it. */
function wrapForTmux(sequence: string): string {
  return `\x1bPtmux;${sequence.replaceAll("\x1b", "\x1b\x1b")}${STRING_TERMINATOR}`;
}

/** The focus as reported by the terminal. If the terminal never reports it, the time of the last key decides. */
export interface FocusState {
  /** Null if the terminal has never reported its focus. */
  readonly hasFocus: boolean | null;
  /** In milliseconds. */
  readonly lastKeyAt: number;
}

export const initialFocus: FocusState = { hasFocus: null, lastKeyAt: Number.NEGATIVE_INFINITY };

/** Applies terminal input, which is a focus report or a key. Pure. */
export function reduceFocus(focus: FocusState, data: string, nowMs: number): FocusState {
  if (isFocusReport(data)) return { ...focus, hasFocus: data === FOCUS_GAINED };
  // A user who types is present, whatever the last report was.
  return { hasFocus: focus.hasFocus === null ? null : true, lastKeyAt: nowMs };
}

export function isFocusReport(data: string): boolean {
  return data === FOCUS_GAINED || data === FOCUS_LOST;
}

/** Milliseconds until the user is assumed to be away. Null while the terminal reports focus. */
export function msUntilAway({ hasFocus, lastKeyAt }: FocusState, nowMs: number): number | null {
  if (hasFocus !== null) return hasFocus ? null : 0;
  return Math.max(0, lastKeyAt + AWAY_MS - nowMs);
}

/** After this time without a key, the user may be away. */
const AWAY_MS = 10_000;

const FOCUS_GAINED = "\x1b[I";
const FOCUS_LOST = "\x1b[O";

export interface NotifierOptions {
  /** Writes a sequence that shows nothing on the terminal. */
  readonly write: (sequence: string) => void;
  readonly getFocus: () => FocusState;
  /** In milliseconds. */
  readonly now: () => number;
  readonly environment: Environment;
}

export class Notifier {
  #getMethod: () => NotifyMethod | undefined = () => undefined;
  readonly #options: NotifierOptions;
  #startedAt: number | null = null;

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  /** Sets where the method is read from. The settings are loaded after the screen is created. */
  setMethodSource(getMethod: () => NotifyMethod | undefined): void {
    this.#getMethod = getMethod;
  }

  handleEvent(event: AgentEvent): void {
    if (event.type === "agent_start") this.#startedAt ??= this.#options.now();
    if (event.type !== "agent_settled") return;
    const durationMs = this.#startedAt === null ? 0 : this.#options.now() - this.#startedAt;
    this.#startedAt = null;
    // A user who stopped the run needs no notification.
    if (!event.aborted && durationMs > LONG_RUN_MS && this.#msUntilAway() === 0) this.#notify("Finished working");
  }

  /** Notifies as soon as the user is away. The returned function cancels it. */
  notifyWhenAway(text: string): () => void {
    let timer: NodeJS.Timeout | null = null;
    const check = (): void => {
      const remainingMs = this.#msUntilAway();
      if (remainingMs === 0) this.#notify(text);
      else timer = setTimeout(check, Math.max(remainingMs ?? POLL_INTERVAL_MS, MIN_POLL_MS)).unref();
    };
    check();
    return () => {
      if (timer) clearTimeout(timer);
    };
  }

  #msUntilAway(): number | null {
    return msUntilAway(this.#options.getFocus(), this.#options.now());
  }

  #notify(text: string): void {
    const sequence = formatNotification(text, this.#getMethod() ?? "bell", this.#options.environment);
    if (sequence !== "") this.#options.write(sequence);
  }
}

const LONG_RUN_MS = 10_000;
const MIN_POLL_MS = 50;
/** A user who is present now may leave without an answer. */
const POLL_INTERVAL_MS = 2_000;

const ENABLE_FOCUS_REPORTS = "\x1b[?1004h";
const DISABLE_FOCUS_REPORTS = "\x1b[?1004l";

/** Tracks the focus of the terminal. Focus reports are not passed on as keys. */
export class FocusTrackingTerminal extends BufferedTerminal {
  readonly #now: () => number;
  #focus: FocusState = initialFocus;

  constructor(inner: Terminal, now: () => number) {
    super(inner);
    this.#now = now;
  }

  get focus(): FocusState {
    return this.#focus;
  }

  override start(onInput: (data: string) => void, onResize: () => void): void {
    const handleInput = (data: string): void => {
      this.#focus = reduceFocus(this.#focus, data, this.#now());
      if (!isFocusReport(data)) onInput(data);
    };
    super.start(handleInput, onResize);
    this.write(ENABLE_FOCUS_REPORTS);
  }

  override stop(): void {
    this.write(DISABLE_FOCUS_REPORTS);
    super.stop();
  }
}
