/** Runs interactive mode: opens the drawn or plain screen, runs sessions on it, and restores the terminal at the end. */

import { format } from "node:util";
import { pithHome } from "@pith/context/node";
import { isExtensionError, type StrayErrorKind } from "@pith/host/extensions/errors";
import type { HostContext } from "@pith/host/host-context";
import { buildSettings } from "@pith/host/settings/fields";
import type { SettingsOverrides } from "@pith/host/settings/settings";
import { escapeControls } from "@pith/host/text/safe-text";
import type { CliArgs } from "../../args/args.ts";
import { readSettings } from "../../settings/resolve.ts";
import { EXIT_GRACE_MS, type ExitStatus, signalExitCodes } from "../../text/process-io.ts";
import type { EditorMessage } from "./editor/message.ts";
import { suspend, suspendOnSignal } from "./interrupt.ts";
import type { Notifier } from "./notifications.ts";
import type { ScreenOptions } from "./screen.ts";
import type { ScreenApi } from "./screen-context.ts";
import { type InteractiveSession, runSessions } from "./session-loop.ts";
import { RESTORE_TITLE, SAVE_TITLE } from "./session-output.ts";
import { initialScreenState } from "./state/screen-state.ts";

export async function runInteractive(args: CliArgs): Promise<ExitStatus> {
  let session = null as InteractiveSession | null;
  /** Messages that were submitted before the first session was open. */
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
  const stopCrashHandler = restoreOnCrash({ restore, getResumeHint: () => session?.formatResumeHint() ?? null });
  const stopSuspendHandler = suspendOnSignal(screen);
  start();
  screen.writeSequence(SAVE_TITLE);
  // Text that an extension prints to the console would corrupt the screen. It is shown as a note instead.
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

/** Lets the user quit or suspend while the first session opens. */
function handleEarlyKey(key: string, screen: ScreenApi): boolean {
  if (key === "ctrl+c") process.kill(process.pid, "SIGINT");
  if (key === "ctrl+z") void suspend({ screen });
  return key === "ctrl+c" || key === "ctrl+z";
}

export interface ExitWatch {
  /** Resolves with the exit code of the first signal, or when the terminal is closed. */
  readonly exitCode: Promise<number>;
  /** Removes all listeners. */
  readonly dispose: () => void;
}

export interface ExitWatchOptions {
  /** Whether the screen is drawn. The plain screen handles SIGINT and the end of the input itself. */
  readonly isDrawn: boolean;
}

/** After the first signal, the program has a grace period to close the session. A second signal exits immediately. */
function watchExitSignals({ isDrawn }: ExitWatchOptions): ExitWatch {
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
  for (const [signal, code] of Object.entries(signalExitCodes))
    if (isDrawn || signal !== "SIGINT") listen(process, signal, code);
  if (isDrawn) for (const name of ["end", "error"]) listen(process.stdin, name, HANGUP_CODE);
  listen(process.stdout, "error", HANGUP_CODE);
  return { exitCode: promise, dispose: () => controller.abort() };
}

/** A closed terminal is treated as SIGHUP. */
const HANGUP_CODE = signalExitCodes.SIGHUP;

export interface CrashOptions {
  readonly restore: () => void;
  /** Null if nothing of the session is saved. */
  readonly getResumeHint: () => string | null;
}

/** Restores the terminal before it reports an uncaught error, because the message would be unreadable otherwise. Returns a function that removes the handlers. */
function restoreOnCrash({ restore, getResumeHint }: CrashOptions): () => void {
  const handleError = (error: unknown, kind: StrayErrorKind): void => {
    // LOAD19: the session that loaded the extension reports the error.
    if (isExtensionError(error, kind)) return;
    restoreTerminal(restore);
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const resumeHint = getResumeHint();
    const savedNote = resumeHint === null ? "" : `pith: the session is saved; ${resumeHint}\n`;
    process.stderr.write(`pith: internal error: ${escapeControls(message)}\n${savedNote}`);
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

/** Falls back to a fixed sequence, because the code that restores the terminal may be the code that failed. */
function restoreTerminal(restore: () => void): void {
  try {
    restore();
  } catch {
    process.stdin.setRawMode?.(false);
    process.stdout.write(RESET_SEQUENCE);
  }
}

/** Leaves the alternate screen, shows the cursor, and turns off bracketed paste, focus reports, keyboard protocols and text attributes. */
const RESET_SEQUENCE = "\x1b[?1049l\x1b[?25h\x1b[?2004l\x1b[?1004l\x1b[<u\x1b[>4;0m\x1b[0m\r\n";

export interface OpenScreen {
  readonly screen: ScreenApi;
  /** Absent if the user cannot be notified. */
  readonly notifier?: Notifier;
  start(): void;
  stop(): void;
}

export interface InputHandlers extends Pick<ScreenOptions, "onKey"> {
  readonly onSubmit: (input: string | EditorMessage) => Promise<void> | void;
  /** Whether a session is open that handles the input. */
  readonly hasSession: () => boolean;
}

/** Loads only the code of the screen that is used. */
async function openScreen({ overrides }: CliArgs, handlers: InputHandlers): Promise<OpenScreen> {
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

/** A flag overrides the setting. Without both, only a terminal named `dumb` gets the plain screen. */
export async function wantsPlainMode(
  { plain }: SettingsOverrides,
  options: PlainModeOptions = { home: pithHome(), terminalName: process.env.TERM },
): Promise<boolean> {
  if (plain !== undefined) return plain;
  const result = await readSettings(options.home);
  // An error in the settings file is reported later, when the session reads all settings.
  const setting = result.type === "read" ? buildSettings(result.fields).plain : undefined;
  return setting ?? options.terminalName === "dumb";
}

export interface PlainModeOptions extends Pick<HostContext, "home"> {
  /** The value of `TERM`. */
  readonly terminalName: string | undefined;
}
