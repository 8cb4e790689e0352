/** Opens, runs and closes one session after another on the same screen. */

import { pithHome } from "@pith/context/node";
import type { SessionShutdownDetails } from "../../app/build.ts";
import { closeApp, closeForNext, limitTrust, openApp } from "../../app/live-session.ts";
import type { App } from "../../app/start.ts";
import type { CliArgs } from "../../args/args.ts";
import type { SessionStart } from "../../extensions/session.ts";
import { formatSessionArgument } from "../../sessions/find-session.ts";
import type { ExitStatus } from "../../text/process-io.ts";
import { showSession } from "./begin-session.ts";
import type { EditorMessage } from "./editor/message.ts";
import { handleKey, type KeyContext } from "./key-actions.ts";
import type { Notifier } from "./notifications.ts";
import { askForTrust, createConsentHooks, createPermissionPrompt } from "./prompts.ts";
import { type InteractiveContext, reportErrors, type ScreenApi, type SwitchReason } from "./screen-context.ts";
import { createSessionOutput, type SessionOutput } from "./session-output.ts";
import type { FooterTracker } from "./state/track-footer.ts";
import { submit } from "./submit.ts";

export interface SessionSwitch {
  /** Goes on with another session, or ends. */
  readonly leave: InteractiveContext["leave"];
  readonly waitForNext: () => Promise<CliArgs | null>;
  /** Whether somebody has said so, and it is not yet known whether it can be gone to. */
  readonly isLeaving: () => boolean;
  /** How one goes to the session that was said last. */
  readonly getSwitchReason: () => SwitchReason;
}

export function createSessionSwitch(): SessionSwitch {
  let next = Promise.withResolvers<CliArgs | null>();
  let isLeaving = false;
  let hasLeft = false;
  let switchReason: SwitchReason = "resume";
  return {
    leave: (args, reason = "resume") => {
      isLeaving = true;
      switchReason = reason;
      next.resolve(args);
    },
    isLeaving: () => isLeaving,
    getSwitchReason: () => switchReason,
    // Whoever waits again could not go there: one stays, and may leave once more.
    waitForNext: async () => {
      if (isLeaving && hasLeft) [isLeaving, next] = [false, Promise.withResolvers()];
      hasLeft = false;
      const args = await next.promise;
      hasLeft = true;
      return args;
    },
  };
}

/** Null where nothing is kept, or nothing was said. */
export function formatResumeHint(app: App): string | null {
  const { agent, sessionPath: path, resumeFlags } = app;
  if (path === null || agent.session.leaf === null) return null;
  const { id } = agent.session.store.header;
  return `go on with pith -c${resumeFlags}, or from anywhere with pith --session ${formatSessionArgument({ id, path }, app.home)}${resumeFlags}`;
}

export interface InteractiveSession {
  handleKey(key: string, keyContext?: KeyContext): boolean;
  handleSubmit(input: string | EditorMessage): Promise<void>;
  /** From now on it has the screen: what was said before is shown, and what was asked for is said. */
  show(arrival?: SessionStart): Promise<void>;
  /** The session that comes next; null for none. */
  waitForNext(): Promise<CliArgs | null>;
  /** How one goes there. */
  getSwitchReason(): SwitchReason;
  /** Its file; null where nothing is kept. */
  readonly sessionPath: string | null;
  close(shutdown?: SessionShutdownDetails): Promise<void>;
  /** How to go on with it another time, for people; null where nothing is kept. */
  formatResumeHint(): string | null;
}

export type OpenedSession =
  | { readonly type: "opened"; readonly session: InteractiveSession }
  | { readonly type: "failed"; readonly exit: ExitStatus };

export async function openInteractiveSession(
  args: CliArgs,
  screen: ScreenApi,
  notifier?: Notifier,
): Promise<OpenedSession> {
  let openContext: InteractiveContext | null = null;
  const output = createSessionOutput(screen, notifier);
  const { notify, setRedaction, onEvent, ui, queue } = output;
  const askPermission = createPermissionPrompt(screen, { getContext: () => openContext, notifier, queue });
  const hooks = createConsentHooks(() => openContext);
  const opened = await openApp(args, {
    notify,
    setRedaction,
    onEvent,
    ui,
    askPermission,
    hooks,
    sessionStart: "later",
    needsModel: false,
  });
  if (opened.type === "failed") {
    output.close();
    return { type: "failed", exit: { code: opened.code, message: opened.message } };
  }
  const { app } = opened;
  const nextArgs = app.missingModel === null ? null : await loadFirstStart(app, screen);
  if (nextArgs) {
    output.close();
    await app.close();
    return await openInteractiveSession(nextArgs, screen, notifier);
  }
  const { leave, waitForNext, isLeaving, getSwitchReason } = createSessionSwitch();
  const context: InteractiveContext = { app, screen, leave };
  openContext = context;
  notifier?.setMethodSource(() => app.readCurrentSettings().settings.notify);
  return {
    type: "opened",
    session: { ...createInteractiveSession(context, output, isLeaving), waitForNext, getSwitchReason },
  };
}

/** Loaded where nobody can speak. */
async function loadFirstStart(app: App, screen: ScreenApi): Promise<CliArgs | null> {
  const { runFirstStart } = await import("./onboarding/first-start.ts");
  return await runFirstStart(app, screen);
}

function createInteractiveSession(
  context: InteractiveContext,
  { open: openOutput, close: closeOutput }: SessionOutput,
  isLeaving: () => boolean,
): Omit<InteractiveSession, "waitForNext" | "getSwitchReason"> {
  const { app } = context;
  let footerTracker: FooterTracker | null = null;
  let closePromise: Promise<void> | null = null;
  const started = Promise.withResolvers<void>();
  const closeOnce = async (shutdown: SessionShutdownDetails | undefined): Promise<void> => {
    await closeApp(app, {
      shutdown,
      onStopped: () => {
        closeOutput();
        footerTracker?.stop();
      },
    });
  };
  return {
    handleKey: (key, keyContext) => handleKey(key, context, keyContext),
    // Whoever was quicker than the start is heard behind it.
    handleSubmit: async (input) => {
      await started.promise;
      if (!isLeaving()) return await reportErrors(() => submit(input, context), context);
      // It is for the session that comes.
      context.screen.editorText.set(typeof input === "string" ? input : input.text);
    },
    sessionPath: app.sessionPath,
    show: async (arrival) => {
      await app.emitSessionStart(arrival);
      await showSession(context, openOutput);
      started.resolve();
      footerTracker = (await import("./state/track-footer.ts")).trackFooter(context);
    },
    close: (shutdown) => {
      closePromise ??= closeOnce(shutdown);
      return closePromise;
    },
    formatResumeHint: () => formatResumeHint(app),
  };
}

/** Null where none was chosen. `note`: why the one before it could not be had. */
export async function chooseFirstSession(
  args: CliArgs,
  screen: ScreenApi,
  notice: string | null = null,
): Promise<CliArgs | null> {
  if (args.session.type !== "choose") return args;
  const { pickSession } = await import("./panels/sessions/resume.ts");
  const options = { cwd: process.cwd(), home: pithHome(), currentPath: null };
  const session = await pickSession(screen, options, notice);
  return session && { ...args, session };
}

export interface SessionLoopOptions {
  readonly screen: ScreenApi;
  readonly notifier: Notifier | undefined;
  /** Told of each that gets the screen. */
  readonly onSessionShown: (talk: InteractiveSession) => void;
}

/** The next session is opened before the current one is closed; where that fails, the current one stays. */
export async function runSessions(
  args: CliArgs,
  { screen, notifier, onSessionShown }: SessionLoopOptions,
): Promise<ExitStatus> {
  let session: InteractiveSession | null = null;
  let folder = process.cwd();
  for (let next = await chooseFirstSession(args, screen); next; ) {
    const isFolderTrusted = session !== null && process.cwd() === folder;
    // It cannot be opened a second time while it is open.
    const earlyArrival = session?.getSwitchReason() === "reload" ? await closeSession(session, session) : null;
    const result = await openInteractiveSession(
      isFolderTrusted ? next : await confirmFolderTrust(next, { screen, folder }),
      screen,
      notifier,
    );
    if (result.type === "failed" && earlyArrival) return result.exit;
    if (result.type === "failed" && !session && args.session.type !== "choose") return result.exit;
    if (result.type === "failed") stayInSession(result.exit, { screen, folder, hasSession: session !== null });
    else {
      const arrival = earlyArrival ?? (await closeSession(session, result.session));
      session = result.session;
      folder = process.cwd();
      onSessionShown(session);
      await session.show(arrival);
    }
    // With none to stay in, another one is chosen.
    next = session ? await session.waitForNext() : await chooseFirstSession(args, screen, getFailureMessage(result));
  }
  return createExitStatus(session);
}

/** The one before is closed; how one came to the next from there. */
async function closeSession(
  session: InteractiveSession | null,
  nextSession: Pick<InteractiveSession, "sessionPath">,
): Promise<SessionStart> {
  if (!session) return { reason: "startup" };
  return await closeForNext(session, nextSession, session.getSwitchReason());
}

interface SwitchOptions {
  readonly screen: ScreenApi;
  /** The one that trust was given for. */
  readonly folder: string;
}

async function confirmFolderTrust(args: CliArgs, { screen, folder }: SwitchOptions): Promise<CliArgs> {
  return await askForTrust(limitTrust(args, { from: folder, to: process.cwd() }), screen);
}

/** Also in the folder, if one was on the way to another. */
function stayInSession(
  { message = "" }: ExitStatus,
  { screen, folder, hasSession }: SwitchOptions & { readonly hasSession: boolean },
): void {
  screen.showNote(hasSession ? `one stays in this session: ${message}` : message, "bad");
  if (process.cwd() !== folder) process.chdir(folder);
}

function getFailureMessage(result: Awaited<ReturnType<typeof openInteractiveSession>>): string | null {
  return result.type === "failed" ? (result.exit.message ?? null) : null;
}

function createExitStatus(session: InteractiveSession | null): ExitStatus {
  const message = session?.formatResumeHint() ?? null;
  return message === null ? { code: 0 } : { code: 0, message };
}
