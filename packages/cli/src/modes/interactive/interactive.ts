/** Runs interactive mode: opens the drawn or plain screen, runs sessions on it, and restores the terminal at the end. */

import { format } from "node:util";
import { pithHome } from "@pith/context/node";
import type { Wish } from "../../args/args.ts";
import { isStray, type Stray } from "../../extensions/errors.ts";
import { settingsFrom } from "../../settings/fields.ts";
import { readSettings } from "../../settings/resolve.ts";
import type { Choices } from "../../settings/settings.ts";
import type { Exit } from "../../text/process-io.ts";
import { plain } from "../../text/safe-text.ts";
import type { Written } from "./editor/message.ts";
import { suspend, suspendOnSignal } from "./interrupt.ts";
import type { Notifier } from "./notifications.ts";
import type { ScreenParts } from "./screen.ts";
import type { Stage } from "./screen-context.ts";
import { oneAfterAnother, type Talk } from "./session-loop.ts";
import { keepTitle, restoreTitle } from "./session-output.ts";
import { nothingShown } from "./state/screen-state.ts";

export interface Ending {
  /** The exit code that belongs to what came. */
  readonly code: Promise<number>;
  /** From then on it is as if nobody had listened. */
  readonly forget: () => void;
}

export interface Ends {
  /** Whether Ctrl+C and the end of the input come as keys, so that nobody else hears of them. */
  readonly isDrawn: boolean;
}

/** The second of them ends it at once, and so does a program that does not come to its end. */
export function endedFromOutside({ isDrawn }: Ends): Ending {
  const { promise, resolve } = Promise.withResolvers<number>();
  const listening = new AbortController();
  let isEnding = false;
  const end = (code: number): void => {
    if (isEnding) process.exit(code);
    isEnding = true;
    resolve(code);
    setTimeout(() => process.exit(code), GRACE_MS).unref();
  };
  const on = (source: NodeJS.EventEmitter, name: string, code: number): void => {
    const act = (): void => end(code);
    source.on(name, act);
    listening.signal.addEventListener("abort", () => source.off(name, act));
  };
  for (const [signal, code] of isDrawn ? [...SIGNALS, INTERRUPT] : SIGNALS) on(process, signal, code);
  if (isDrawn) for (const name of ["end", "error"]) on(process.stdin, name, HANGUP);
  on(process.stdout, "error", HANGUP);
  return { code: promise, forget: () => listening.abort() };
}

const GRACE_MS = 5_000;

/** As shells count: 128 and the signal's number. A terminal that is gone counts as its signal. */
const HANGUP = 129;
const INTERRUPT = ["SIGINT", 130] as const;
const SIGNALS = [
  ["SIGHUP", HANGUP],
  ["SIGTERM", 143],
] as const;

/** Restores the terminal before it reports the fault: the message would be unreadable otherwise. What comes back ends that. */
export function restoringOnFault(restore: () => void): () => void {
  const fault = (error: unknown, how: Stray): void => {
    // LOAD19: it is told by whoever loaded it.
    if (isStray(error, how)) return;
    restored(restore);
    const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`pith: this must not happen: ${plain(words)}\n${SAVED}\n`);
    process.exit(1);
  };
  const thrown = (error: unknown): void => fault(error, "thrown");
  const rejected = (error: unknown): void => fault(error, "rejected");
  process.on("uncaughtException", thrown);
  process.on("unhandledRejection", rejected);
  return () => {
    process.off("uncaughtException", thrown);
    process.off("unhandledRejection", rejected);
  };
}

/** What is broken may be the very thing that would restore it. */
function restored(restore: () => void): void {
  try {
    restore();
  } catch {
    process.stdin.setRawMode?.(false);
    process.stdout.write(AS_IT_WAS);
  }
}

/** The main screen, a cursor, and neither brackets around what is pasted nor word of focus nor keys spelled otherwise. */
const AS_IT_WAS = "\x1b[?1049l\x1b[?25h\x1b[?2004l\x1b[?1004l\x1b[<u\x1b[>4;0m\x1b[0m\r\n";

const SAVED = "pith: what was said and done until now is saved; go on with pith -c";

export interface OpenScreen {
  readonly screen: Stage;
  /** Absent where nobody can be called. */
  readonly notifier?: Notifier;
  start(): void;
  stop(): void;
}

export interface Acts extends Pick<ScreenParts, "pressed"> {
  readonly submitted: (given: string | Written) => Promise<void> | void;
  /** Whether there is a talk yet that hears what is typed. */
  readonly isOpen: () => boolean;
}

/** Only what is wanted is loaded. */
export async function screenFor({ choices }: Wish, acts: Acts): Promise<OpenScreen> {
  if (await isPlain(choices)) {
    const { plainTerminal } = await import("./plain/plain-terminal.ts");
    return plainTerminal(acts);
  }
  return await drawn(acts);
}

async function drawn({ pressed, submitted }: Acts): Promise<OpenScreen> {
  const [{ ProcessTerminal, getCapabilities }, { rewraps, wornHere }, { Screen }, { Notifier, WatchedTerminal }] =
    await Promise.all([
      import("./terminal/pi-tui.ts"),
      import("./terminal/terminal.ts"),
      import("./screen.ts"),
      import("./notifications.ts"),
    ]);
  const worn = wornHere(process.env);
  const terminal = new WatchedTerminal(new ProcessTerminal(), Date.now);
  const pictures = getCapabilities().images;
  const isRewrapped = rewraps(process.env);
  const looks = { terminal, theme: worn.theme, pictures, isRewrapped, start: nothingShown, now: Date.now };
  const screen = new Screen({ pressed, submitted, ...looks });
  const notifier = new Notifier({
    send: (sequence) => terminal.write(sequence),
    gaze: () => terminal.gaze,
    now: Date.now,
    environment: process.env,
  });
  const start = (): void => {
    screen.start();
    void worn.follow(screen);
  };
  return { screen, notifier, start, stop: () => screen.stop() };
}

export async function interactive(wish: Wish): Promise<Exit> {
  let talk = null as Talk | null;
  /** Sent off before there was a talk. */
  const early: Parameters<Talk["submitted"]>[0][] = [];
  const { screen, notifier, start, stop } = await screenFor(wish, {
    pressed: (key, amid) => (talk ? talk.pressed(key, amid) : pressedEarly(key, screen)),
    submitted: (given) => (talk ? talk.submitted(given) : void early.push(given)),
    isOpen: () => talk !== null,
  });
  const restore = (): void => {
    screen.send(restoreTitle);
    stop();
  };
  const shown = (next: Talk): void => {
    talk = next;
    for (const given of early.splice(0)) void next.submitted(given);
  };
  const outside = endedFromOutside({ isDrawn: screen.hasPages });
  const forgetFaults = restoringOnFault(restore);
  const forgetSleep = suspendOnSignal(screen);
  start();
  screen.send(keepTitle);
  // What an extension prints would be written across the screen.
  const printed = (...words: readonly unknown[]): void => screen.tell(format(...words));
  Object.assign(console, { log: printed, info: printed, debug: printed, warn: printed, error: printed });
  try {
    return await Promise.race([
      oneAfterAnother(wish, { screen, notifier, shown }),
      outside.code.then((code) => ({ code })),
    ]);
  } finally {
    await talk?.close();
    screen.change((state) => ({ ...state, work: { type: "idle" } }));
    outside.forget();
    forgetFaults();
    forgetSleep();
    restore();
  }
}

/** Whatever takes so long can be left, or put to sleep. */
function pressedEarly(key: string, screen: Stage): boolean {
  if (key === "ctrl+c") process.kill(process.pid, "SIGINT");
  if (key === "ctrl+z") void suspend({ screen });
  return key === "ctrl+c" || key === "ctrl+z";
}

export async function isPlain({ plain }: Choices, place: PlainPlace = here()): Promise<boolean> {
  if (plain !== undefined) return plain;
  const own = await readSettings(place.home);
  // A mistake in them is told when all of them are read.
  const wanted = own.type === "read" ? settingsFrom(own.fields).plain : undefined;
  return wanted ?? place.terminal === "dumb";
}

export interface PlainPlace {
  /** Pith's home. */
  readonly home: string;
  /** What the terminal calls itself. */
  readonly terminal: string | undefined;
}

function here(): PlainPlace {
  return { home: pithHome(), terminal: process.env.TERM };
}
