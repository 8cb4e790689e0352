/** Opens, runs and closes one session after another on the same screen. */

import type { AgentEvent, AgentEventListener } from "@pith/agent";
import { pithHome } from "@pith/context/node";
import type { SessionShutdown } from "@pith/host/build-agent";
import type { SessionStart } from "@pith/host/extensions/session";
import { closeApp, closeForNext, limitTrust, openApp } from "../../app/live-session.ts";
import type { App } from "../../app/start.ts";
import type { CliArgs } from "../../args/args.ts";
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

export interface SessionLoopOptions {
  readonly screen: ScreenApi;
  readonly notifier: Notifier | undefined;
  /** Called before each session is shown. */
  readonly onSessionShown: (session: InteractiveSession) => void;
}

/** Opens the next session before it closes the current one. If the next one cannot be opened, the current one continues. */
export async function runSessions(
  args: CliArgs,
  { screen, notifier, onSessionShown }: SessionLoopOptions,
): Promise<ExitStatus> {
  let session: InteractiveSession | null = null;
  let folder = process.cwd();
  for (let next = await chooseFirstSession(args, screen); next; ) {
    const isFolderTrusted = session !== null && process.cwd() === folder;
    // A reload opens the same session again, which is possible only after it was closed.
    const reloadStart = session?.getSwitchReason() === "reload" ? await closeSession(session, session) : null;
    const result = await openInteractiveSession(
      isFolderTrusted ? next : await askForTrust(limitTrust(next, { from: folder, to: process.cwd() }), screen),
      screen,
      notifier,
    );
    if (result.type === "failed" && reloadStart) return result.exit;
    if (result.type === "failed" && !session && args.session.type !== "choose") return result.exit;
    if (result.type === "failed") stayInSession(result.exit, { screen, folder, hasSession: session !== null });
    else {
      const sessionStart = reloadStart ?? (await closeSession(session, result.session));
      session = result.session;
      folder = process.cwd();
      onSessionShown(session);
      await session.show(sessionStart);
    }
    // If no session is open, the user chooses another one.
    next = session ? await session.waitForNext() : await chooseFirstSession(args, screen, getFailureMessage(result));
  }
  return createExitStatus(session);
}

/** Lets the user choose a session if the arguments say so. Null if the user chose none. `notice` says why the last choice could not be opened. */
async function chooseFirstSession(
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

/** Closes the current session, if there is one, and returns how the next one starts. */
async function closeSession(
  session: InteractiveSession | null,
  nextSession: Pick<InteractiveSession, "sessionPath">,
): Promise<SessionStart> {
  if (!session) return { reason: "startup" };
  return await closeForNext(session, nextSession, session.getSwitchReason());
}

interface SwitchOptions {
  readonly screen: ScreenApi;
  /** The folder of the current session, for which trust was given. Before the first session, the folder at the start. */
  readonly folder: string;
}

/** Reports why the next session could not be opened, and changes back to `folder`. */
function stayInSession(
  { message = "" }: ExitStatus,
  { screen, folder, hasSession }: SwitchOptions & { readonly hasSession: boolean },
): void {
  screen.showNote(hasSession ? `Could not open that session; staying here: ${message}` : message, "bad");
  if (process.cwd() !== folder) process.chdir(folder);
}

function getFailureMessage(result: Awaited<ReturnType<typeof openInteractiveSession>>): string | null {
  return result.type === "failed" ? (result.exit.message ?? null) : null;
}

function createExitStatus(session: InteractiveSession | null): ExitStatus {
  const message = session?.formatResumeHint() ?? null;
  return message === null ? { code: 0 } : { code: 0, message };
}

/** How a session is left for another one. */
export interface SessionSwitch {
  readonly leave: InteractiveContext["leave"];
  /** Resolves when the session is left. Null if no session follows. */
  readonly waitForNext: () => Promise<CliArgs | null>;
  /** Whether `leave` was called. False again if the next session could not be opened and this one continues. */
  readonly isLeaving: () => boolean;
  /** The reason of the last call of `leave`. */
  readonly getSwitchReason: () => SwitchReason;
}

export function createSessionSwitch(): SessionSwitch {
  let next = Promise.withResolvers<CliArgs | null>();
  let isLeaving = false;
  let isNextTaken = false;
  let switchReason: SwitchReason = "resume";
  return {
    leave: (args, reason = "resume") => {
      isLeaving = true;
      switchReason = reason;
      next.resolve(args);
    },
    isLeaving: () => isLeaving,
    getSwitchReason: () => switchReason,
    // A second call means that the next session could not be opened. This one continues and can be left again.
    waitForNext: async () => {
      if (isLeaving && isNextTaken) [isLeaving, next] = [false, Promise.withResolvers()];
      isNextTaken = false;
      const args = await next.promise;
      isNextTaken = true;
      return args;
    },
  };
}

/** Says how to continue the session later. Null if the session is not saved or has no messages: `pith -c` does not find it then. */
function formatResumeHint({
  agent,
  sessionPath: path,
  resumeFlags,
  home,
}: Pick<App, "agent" | "sessionPath" | "resumeFlags" | "home">): string | null {
  if (path === null || !agent.session.branch.entries.some(({ type }) => type === "message" || type === "custom"))
    return null;
  const { id } = agent.session.store.header;
  return `continue with: pith -c${resumeFlags}, or from any folder: pith --session ${formatSessionArgument({ id, path }, home)}${resumeFlags}`;
}

export interface InteractiveSession {
  handleKey(key: string, keyContext?: KeyContext): boolean;
  handleSubmit(input: string | EditorMessage): Promise<void>;
  /** Gives the session the screen, shows its recent history, and sends the prompt of the command line. */
  show(sessionStart?: SessionStart): Promise<void>;
  /** Resolves when the session is left. Null if no session follows. */
  waitForNext(): Promise<CliArgs | null>;
  /** Why the session is left. */
  getSwitchReason(): SwitchReason;
  /** Null if the session is not saved. */
  readonly sessionPath: string | null;
  close(shutdown?: SessionShutdown): Promise<void>;
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
  const { notify, setRedaction, ui, queue } = output;
  const onEvent: AgentEventListener = async (event) => {
    await output.onEvent(event);
    if (openContext && isKeyRejection(event)) void askForAnotherKey(openContext);
  };
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
  const nextArgs =
    app.missingModel === null
      ? null
      : await (await import("./onboarding/first-start.ts")).runFirstStart({ app, screen });
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

function isKeyRejection(event: AgentEvent): boolean {
  return event.type === "agent_end" && event.end.type === "failed" && event.end.code === "key-refused";
}

/** Does not block the event: the run must end first. */
function askForAnotherKey(context: InteractiveContext): Promise<void> {
  return reportErrors(async () => (await import("./panels/login.ts")).replaceRejectedKey(context), context);
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
  const closeOnce = async (shutdown: SessionShutdown | undefined): Promise<void> => {
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
    // Messages that are submitted before the session is shown wait for it.
    handleSubmit: async (input) => {
      await started.promise;
      if (!isLeaving()) return await reportErrors(() => submit(input, context), context);
      // The message is for the next session, so it stays in the editor.
      context.screen.editorText.set(typeof input === "string" ? input : input.text);
    },
    sessionPath: app.sessionPath,
    show: async (sessionStart) => {
      await app.emitSessionStart(sessionStart);
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
