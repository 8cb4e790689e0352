/** Runs interactive mode: opens the drawn or plain screen, runs sessions on it, and restores the terminal at the end. */

import { format } from "node:util";
import { pithHome } from "@pith/context/node";
import type { CliArgs } from "../../args/args.ts";
import { isExtensionError, type StrayErrorKind } from "../../extensions/errors.ts";
import { buildSettings } from "../../settings/fields.ts";
import { readSettings } from "../../settings/resolve.ts";
import type { SettingsOverrides } from "../../settings/settings.ts";
import type { ExitStatus } from "../../text/process-io.ts";
import { escapeControls } from "../../text/safe-text.ts";
import type { EditorMessage } from "./editor/message.ts";
import { suspend, suspendOnSignal } from "./interrupt.ts";
import type { Notifier } from "./notifications.ts";
import type { ScreenOptions } from "./screen.ts";
import type { ScreenApi } from "./screen-context.ts";
import { type InteractiveSession, runSessions } from "./session-loop.ts";
import { RESTORE_TITLE, SAVE_TITLE } from "./session-output.ts";
import { initialScreenState } from "./state/screen-state.ts";

export interface ExitWatch {
  /** The exit code that belongs to what came. */
  readonly exitCode: Promise<number>;
  /** From then on it is as if nobody had listened. */
  readonly dispose: () => void;
}

export interface ExitWatchOptions {
  /** Whether Ctrl+C and the end of the input come as keys, so that nobody else hears of them. */
  readonly isDrawn: boolean;
}

/** The second of them ends it at once, and so does a program that does not come to its end. */
export function watchExitSignals({ isDrawn }: ExitWatchOptions): ExitWatch {
  const { promise, resolve } = Promise.withResolvers<number>();
  const controller = new AbortController();
  let isExiting = false;
  const exit = (code: number): void => {
    if (isExiting) process.exit(code);
    isExiting = true;
    resolve(code);
    setTimeout(() => process.exit(code), EXIT_GRACE_MS).unref();
  };
  const listen = (source: NodeJS.EventEmitter, name: string, code: number): void => {
    const handler = (): void => exit(code);
    source.on(name, handler);
    controller.signal.addEventListener("abort", () => source.off(name, handler));
  };
  for (const [signal, code] of isDrawn ? [...SIGNALS, INTERRUPT] : SIGNALS) listen(process, signal, code);
  if (isDrawn) for (const name of ["end", "error"]) listen(process.stdin, name, HANGUP_CODE);
  listen(process.stdout, "error", HANGUP_CODE);
  return { exitCode: promise, dispose: () => controller.abort() };
}

const EXIT_GRACE_MS = 5_000;

/** As shells count: 128 and the signal's number. A terminal that is gone counts as its signal. */
const HANGUP_CODE = 129;
const INTERRUPT = ["SIGINT", 130] as const;
const SIGNALS = [
  ["SIGHUP", HANGUP_CODE],
  ["SIGTERM", 143],
] as const;

/** Restores the terminal before it reports the fault: the message would be unreadable otherwise. What comes back ends that. */
export function restoreOnCrash(restore: () => void): () => void {
  const handleError = (error: unknown, kind: StrayErrorKind): void => {
    // LOAD19: it is told by whoever loaded it.
    if (isExtensionError(error, kind)) return;
    restoreTerminal(restore);
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`pith: this must not happen: ${escapeControls(message)}\n${SAVED_MESSAGE}\n`);
    process.exit(1);
  };
  const onException = (error: unknown): void => handleError(error, "thrown");
  const onRejection = (error: unknown): void => handleError(error, "rejected");
  process.on("uncaughtException", onException);
  process.on("unhandledRejection", onRejection);
  return () => {
    process.off("uncaughtException", onException);
    process.off("unhandledRejection", onRejection);
  };
}

/** What is broken may be the very thing that would restore it. */
function restoreTerminal(restore: () => void): void {
  try {
    restore();
  } catch {
    process.stdin.setRawMode?.(false);
    process.stdout.write(RESET_SEQUENCE);
  }
}

/** The main screen, a cursor, and neither brackets around what is pasted nor word of focus nor keys spelled otherwise. */
const RESET_SEQUENCE = "\x1b[?1049l\x1b[?25h\x1b[?2004l\x1b[?1004l\x1b[<u\x1b[>4;0m\x1b[0m\r\n";

const SAVED_MESSAGE = "pith: what was said and done until now is saved; go on with pith -c";

export interface OpenScreen {
  readonly screen: ScreenApi;
  /** Absent where nobody can be called. */
  readonly notifier?: Notifier;
  start(): void;
  stop(): void;
}

export interface InputHandlers extends Pick<ScreenOptions, "onKey"> {
  readonly onSubmit: (given: string | EditorMessage) => Promise<void> | void;
  /** Whether there is a talk yet that hears what is typed. */
  readonly hasSession: () => boolean;
}

/** Only what is wanted is loaded. */
export async function openScreen({ overrides }: CliArgs, handlers: InputHandlers): Promise<OpenScreen> {
  if (await wantsPlainMode(overrides)) {
    const { createPlainTerminal } = await import("./plain/input-loop.ts");
    return createPlainTerminal(handlers);
  }
  return await openDrawnScreen(handlers);
}

async function openDrawnScreen({ onKey, onSubmit }: InputHandlers): Promise<OpenScreen> {
  const [
    { ProcessTerminal, getCapabilities },
    { rewrapsLines, detectTheme },
    { Screen },
    { Notifier, FocusTrackingTerminal },
  ] = await Promise.all([
    import("./terminal/pi-tui.ts"),
    import("./terminal/terminal.ts"),
    import("./screen.ts"),
    import("./notifications.ts"),
  ]);
  const themeFollower = detectTheme(process.env);
  const terminal = new FocusTrackingTerminal(new ProcessTerminal(), Date.now);
  const imageProtocol = getCapabilities().images;
  const isRewrapped = rewrapsLines(process.env);
  const display = {
    terminal,
    theme: themeFollower.theme,
    imageProtocol,
    isRewrapped,
    initialState: initialScreenState,
    now: Date.now,
  };
  const screen = new Screen({ onKey, onSubmit, ...display });
  const notifier = new Notifier({
    write: (sequence) => terminal.write(sequence),
    getFocus: () => terminal.focus,
    now: Date.now,
    environment: process.env,
  });
  const start = (): void => {
    screen.start();
    void themeFollower.follow(screen);
  };
  return { screen, notifier, start, stop: () => screen.stop() };
}

export async function runInteractive(args: CliArgs): Promise<ExitStatus> {
  let session = null as InteractiveSession | null;
  /** Sent off before there was a talk. */
  const earlyInputs: Parameters<InteractiveSession["handleSubmit"]>[0][] = [];
  const { screen, notifier, start, stop } = await openScreen(args, {
    onKey: (key, keyContext) => (session ? session.handleKey(key, keyContext) : handleEarlyKey(key, screen)),
    onSubmit: (input) => (session ? session.handleSubmit(input) : void earlyInputs.push(input)),
    hasSession: () => session !== null,
  });
  const restore = (): void => {
    screen.writeSequence(RESTORE_TITLE);
    stop();
  };
  const onSessionShown = (next: InteractiveSession): void => {
    session = next;
    for (const input of earlyInputs.splice(0)) void next.handleSubmit(input);
  };
  const exitWatch = watchExitSignals({ isDrawn: screen.hasPages });
  const stopCrashHandler = restoreOnCrash(restore);
  const stopSuspendHandler = suspendOnSignal(screen);
  start();
  screen.writeSequence(SAVE_TITLE);
  // What an extension prints would be written across the screen.
  const printToScreen = (...values: readonly unknown[]): void => screen.showNote(format(...values));
  Object.assign(console, {
    log: printToScreen,
    info: printToScreen,
    debug: printToScreen,
    warn: printToScreen,
    error: printToScreen,
  });
  try {
    return await Promise.race([
      runSessions(args, { screen, notifier, onSessionShown }),
      exitWatch.exitCode.then((code) => ({ code })),
    ]);
  } finally {
    await session?.close();
    screen.update((state) => ({ ...state, activity: { type: "idle" } }));
    exitWatch.dispose();
    stopCrashHandler();
    stopSuspendHandler();
    restore();
  }
}

/** Whatever takes so long can be left, or put to sleep. */
function handleEarlyKey(key: string, screen: ScreenApi): boolean {
  if (key === "ctrl+c") process.kill(process.pid, "SIGINT");
  if (key === "ctrl+z") void suspend({ screen });
  return key === "ctrl+c" || key === "ctrl+z";
}

export async function wantsPlainMode(
  { plain }: SettingsOverrides,
  options: PlainModeOptions = getPlainModeOptions(),
): Promise<boolean> {
  if (plain !== undefined) return plain;
  const result = await readSettings(options.home);
  // A mistake in them is told when all of them are read.
  const setting = result.type === "read" ? buildSettings(result.fields).plain : undefined;
  return setting ?? options.terminalName === "dumb";
}

export interface PlainModeOptions {
  /** Pith's home. */
  readonly home: string;
  /** What the terminal calls itself. */
  readonly terminalName: string | undefined;
}

function getPlainModeOptions(): PlainModeOptions {
  return { home: pithHome(), terminalName: process.env.TERM };
}
