/** Opens the session of an RPC client, forwards its events to the client, and switches to another session. */

import type { AgentEvent, AgentEventListener } from "@pith/agent";
import type { RpcEvent } from "@pith/client";
import type { Redaction } from "@pith/context";
import { realFiles, sessionCwd } from "@pith/context/node";
import type { SessionStart } from "@pith/host/extensions/session";
import {
  type ClosableSession,
  closeApp,
  closeForNext,
  limitTrust,
  OutputGate,
  openApp,
} from "../../app/live-session.ts";
import type { App } from "../../app/start.ts";
import type { CliArgs, SessionTarget } from "../../args/args.ts";
import { initialWireState, toWireEvents } from "../../protocol/events.ts";
import { isFolder, readSession } from "../../sessions/find-session.ts";
import type { ParentCostLimit } from "../../sub-agents/parent-cost-limit.ts";
import type { Terminal } from "../../text/process-io.ts";
import {
  applyClientOptions,
  type ClientOptions,
  type RpcContext,
  type SwitchReason,
  type SwitchResult,
} from "./rpc-context.ts";
import { createPermissionPrompt, createRpcUi, type Questions } from "./ui.ts";

export interface RpcSessionOptions extends Pick<RpcContext, "sendEvent" | "getBackpressure" | "quit" | "reportError"> {
  readonly terminal: Terminal;
  readonly questions: Questions;
  /** Null unless this process is a sub-agent with a cost limit. */
  readonly costLimit: ParentCostLimit | null;
  /** Sets the redaction that all later output must pass through, so that it contains no secrets. */
  readonly setRedaction: (redaction: Redaction) => void;
}

export type OpenRpcSessionResult =
  | { readonly type: "opened"; readonly context: RpcContext; readonly close: () => Promise<void> }
  | { readonly type: "failed"; readonly code: number; readonly message: string };

export async function openRpcSession(args: CliArgs, options: RpcSessionOptions): Promise<OpenRpcSessionResult> {
  const retry = { isEnabled: true, isWaiting: false };
  const first = await openSession(args, { options, retry, cwd: process.cwd() });
  if (first.type === "failed") return first;
  let current = first;
  let clientOptions: ClientOptions = {};
  await current.start({ reason: "startup" });
  const context: RpcContext = {
    get app() {
      return current.app;
    },
    setOptions: (changes) => {
      clientOptions = { ...clientOptions, ...changes };
      applyClientOptions(changes, current.app);
    },
    switchSession: async (session, reason) => {
      const result = await switchToSession({ session, reason }, { current, args, options, retry, clientOptions });
      if (result.type === "failed") return result;
      current = result.session;
      return { type: "switched" };
    },
    sendEvent: options.sendEvent,
    getBackpressure: options.getBackpressure,
    quit: options.quit,
    reportError: options.reportError,
    retry,
    dismissQuestions: () => options.questions.dismissAll(),
  };
  return { type: "opened", context, close: () => current.close({ reason: "quit" }) };
}

interface OpenOptions {
  readonly options: RpcSessionOptions;
  readonly retry: RpcContext["retry"];
  /** The folder to work in. */
  readonly cwd: string;
}

interface SwitchOptions extends Omit<OpenOptions, "cwd"> {
  readonly current: RpcSession;
  readonly args: CliArgs;
  readonly clientOptions: ClientOptions;
}

async function switchToSession(
  { session, reason }: { readonly session: SessionTarget; readonly reason: SwitchReason },
  { current, args, clientOptions, ...openOptions }: SwitchOptions,
): Promise<Extract<SwitchResult, { type: "failed" }> | { readonly type: "switched"; readonly session: RpcSession }> {
  const currentFolder = current.app.cwd;
  const usesSessionFolder = reason === "resume" && session.type === "named";
  const folder = usesSessionFolder
    ? await findSessionFolder(session.name)
    : ({ type: "found", cwd: currentFolder } as const);
  if (folder.type === "failed") return folder;
  const { cwd } = folder;
  const trustedArgs = limitTrust(args, { from: process.cwd(), to: cwd });
  const nextSession = await openSession({ ...trustedArgs, prompt: "", files: [], session }, { ...openOptions, cwd });
  if (nextSession.type === "failed") return { type: "failed", message: nextSession.message };
  applyClientOptions(clientOptions, nextSession.app);
  await nextSession.start(await closeForNext(current, nextSession, reason));
  return { type: "switched", session: nextSession };
}

export type SessionFolder =
  | { readonly type: "found"; readonly cwd: string }
  | { readonly type: "failed"; readonly message: string };

/** A resumed session runs in its own folder, which contains its files. */
async function findSessionFolder(path: string): Promise<SessionFolder> {
  const cwd = await readSession(path, async ({ header }) => sessionCwd(path, header, realFiles));
  if (typeof cwd !== "string") return { type: "failed", message: cwd.message };
  if (await isFolder(cwd)) return { type: "found", cwd };
  const message = `this session's folder no longer exists: ${cwd}; start Pith with --session in the folder where you want to continue`;
  return { type: "failed", message };
}

interface RpcSession extends ClosableSession {
  readonly type: "open";
  readonly app: App;
  /** Sends the session's header, then the queued events. Extensions receive `session_start` last. */
  start(start: SessionStart): Promise<void>;
}

async function openSession(
  args: CliArgs,
  { options, retry, cwd }: OpenOptions,
): Promise<RpcSession | Extract<OpenRpcSessionResult, { type: "failed" }>> {
  const { terminal, questions, costLimit, sendEvent } = options;
  let openedApp: App | null = null;
  const events = new OutputGate(sendEvent);
  const opened = await openApp(args, {
    onEvent: createEventForwarder(events, options, (event) => {
      if (event.type === "auto_retry_start") retry.isWaiting = true;
      if (event.type === "auto_retry_end" || event.type === "agent_settled") retry.isWaiting = false;
      if (event.type === "auto_retry_start" && !retry.isEnabled) void openedApp?.agent.abort();
    }),
    notify: (line) => terminal.notify(`pith: ${line}`),
    askPermission: createPermissionPrompt(questions),
    ui: createRpcUi(questions),
    ...(costLimit && { costLimit }),
    needsModel: false,
    sessionStart: "later",
    cwd,
    setRedaction: options.setRedaction,
  });
  if (opened.type === "failed") return opened;
  const { app } = opened;
  openedApp = app;
  return {
    type: "open",
    app,
    sessionPath: app.sessionPath,
    start: async (start) => {
      sendEvent(app.agent.session.store.header);
      const damageEvent = app.takeDamageEvent();
      if (damageEvent) sendEvent(damageEvent);
      events.open();
      await app.emitSessionStart(start);
    },
    close: async (shutdown) => {
      await closeApp(app, { shutdown });
      events.close();
    },
  };
}

/** The header must be the first line of a session, so the gate queues events until it is sent. */
function createEventForwarder(
  events: OutputGate<RpcEvent>,
  { getBackpressure }: RpcSessionOptions,
  observe: (event: AgentEvent) => void,
): AgentEventListener {
  let state = initialWireState;
  return (event) => {
    if (events.isClosed) return undefined;
    const converted = toWireEvents(state, event);
    state = converted.state;
    for (const line of converted.events) events.write(line);
    observe(event);
    return getBackpressure();
  };
}
