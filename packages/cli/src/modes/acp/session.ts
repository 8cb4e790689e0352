/** Opens a session for an editor, and sends its events, questions and changed options to the editor. */

import { randomUUID } from "node:crypto";
import type { AgentContext } from "@agentclientprotocol/sdk/unstable";
import type { AgentEvent, SessionReason } from "@pith/agent";
import type { Redaction } from "@pith/context";
import { noRedaction } from "@pith/context/host";
import type { ModelsWithKeyOptions } from "@pith/host/models/available-models";
import type { McpServers } from "@pith/host/settings/settings";
import { closeApp, openApp, redactEvent } from "../../app/live-session.ts";
import type { App } from "../../app/start.ts";
import type { CliArgs, SessionTarget } from "../../args/args.ts";
import type { CommandContext } from "../../commands/command.ts";
import { SessionCost } from "../../sessions/session-stats.ts";
import {
  type AcpSession,
  type ClientFeatures,
  type ClientView,
  internalError,
  invalidParams,
  type SendUpdate,
} from "./acp-context.ts";
import { buildConfigOptions } from "./config-options.ts";
import { OpenCalls } from "./tool-updates.ts";
import { createEditorUi, createPermissionPrompt } from "./ui.ts";
import { advanceIds, createIds, createUsageUpdate, toSessionUpdates } from "./updates.ts";

export interface OpenSessionRequest {
  readonly session: SessionTarget;
  readonly cwd: string;
  readonly mcpServers: McpServers;
  readonly reason: SessionReason;
}

export interface OpenSessionOptions {
  /** The arguments that the program was started with. */
  readonly args: CliArgs;
  readonly client: AgentContext;
  readonly features: ClientFeatures;
  /** Shows a notice to the user on stderr. */
  readonly notify: (line: string) => void;
}

/** Throws a protocol error for the editor if the session cannot be opened. */
export async function openAcpSession(request: OpenSessionRequest, options: OpenSessionOptions): Promise<AcpSession> {
  const { cwd, mcpServers, reason } = request;
  const { client, features } = options;
  const view: ClientView = { cwd, features };
  const calls = new OpenCalls();
  const state: SessionState = { session: null, redaction: noRedaction, cost: new SessionCost() };
  const sendUpdate: SendUpdate = async (update) => {
    const sessionId = state.session?.id;
    // The editor may have disconnected. Its updates can then be dropped.
    if (sessionId !== undefined) await client.notify("session/update", { sessionId, update }).catch(() => {});
  };
  const redact: Redaction["redact"] = (value) => state.redaction.redact(value);
  const uiContext = { client, view, calls, sendUpdate, redact, session: () => state.session };
  const opened = await openApp(
    { ...options.args, prompt: "", files: [], session: request.session },
    {
      cwd,
      mcpServers,
      sessionStart: { reason },
      needsModel: false,
      askPermission: createPermissionPrompt(uiContext),
      ui: createEditorUi(uiContext),
      onEvent: createEventListener(state, { view, calls, sendUpdate }),
      notify: (line) => options.notify(state.redaction.redact(line)),
      setRedaction: (redaction) => {
        state.redaction = redaction;
      },
    },
  );
  if (opened.type === "failed") throw opened.code === 2 ? invalidParams(opened.message) : internalError(opened.message);
  const { app } = opened;
  state.session = createAcpSession(app, { view, sendUpdate });
  await state.cost.count(app.agent.session, app.sessionPath);
  return state.session;
}

/** Values that are set after the event listener is created, because they need the open session or its settings. */
interface SessionState {
  session: AcpSession | null;
  redaction: Redaction;
  readonly cost: SessionCost;
}

interface EventListenerOptions {
  readonly view: ClientView;
  readonly calls: OpenCalls;
  readonly sendUpdate: SendUpdate;
}

/** The listener resolves when its updates are written, so the agent waits for a slow editor. */
function createEventListener(
  state: SessionState,
  { view, calls, sendUpdate }: EventListenerOptions,
): (event: AgentEvent) => Promise<void> {
  let ids = createIds(randomUUID().slice(0, 8));
  return async (event) => {
    ids = advanceIds(ids, event);
    if (event.type === "entry_appended") state.cost.add([event.entry]);
    const redacted = redactEvent(event, state.redaction);
    calls.handleEvent(redacted);
    const updates = toSessionUpdates(redacted, view, ids).map(sendUpdate);
    if (event.type === "turn_end" || event.type === "compaction_end" || event.type === "leaf_moved") {
      const usage = state.session && createUsageUpdate(state.session.app.agent, state.cost.cost);
      if (usage) updates.push(sendUpdate(usage));
    }
    if (event.type === "thinking_level_changed" && state.session) updates.push(state.session.sendChangedOptions());
    await Promise.all(updates);
  };
}

function createAcpSession(
  app: App,
  { view, sendUpdate }: { readonly view: ClientView; readonly sendUpdate: SendUpdate },
): AcpSession {
  const { agent } = app;
  let stopCount = 0;
  let pendingStop = Promise.resolve();
  let activeRun: Promise<unknown> = Promise.resolve();
  const stop = (): Promise<void> => {
    stopCount += 1;
    pendingStop = Promise.allSettled([agent.stop(), activeRun]).then(() => undefined);
    return pendingStop;
  };
  return {
    id: agent.session.store.header.id,
    app,
    view,
    sendUpdate,
    stop,
    stopCount: () => stopCount,
    waitForStop: () => pendingStop,
    trackRun: (run) => {
      activeRun = run;
      return run;
    },
    sendChangedOptions: createOptionNotifier({ context: app, options: app, sendUpdate }),
    close: async () => {
      await stop();
      await closeApp(app);
    },
  };
}

export interface OptionNotifierOptions {
  readonly context: Pick<CommandContext, "agent" | "permissionMode">;
  readonly options: ModelsWithKeyOptions;
  readonly sendUpdate: SendUpdate;
}

/** Returns a function that sends the options if they have changed since its last call. A slash command, for example, changes them outside the protocol. */
function createOptionNotifier({ context, options, sendUpdate }: OptionNotifierOptions): () => Promise<void> {
  const { agent, permissionMode } = context;
  const takeSnapshot = (): string =>
    [permissionMode?.get(), agent.model.provider, agent.model.model, agent.thinkingLevel].join("\n");
  let lastSnapshot = takeSnapshot();
  let lastMode = permissionMode?.get();
  return async () => {
    if (takeSnapshot() === lastSnapshot) return;
    lastSnapshot = takeSnapshot();
    const currentModeId = permissionMode?.get();
    if (currentModeId !== undefined && currentModeId !== lastMode)
      await sendUpdate({ sessionUpdate: "current_mode_update", currentModeId });
    lastMode = currentModeId;
    await sendUpdate({
      sessionUpdate: "config_option_update",
      configOptions: await buildConfigOptions(context, options),
    });
  };
}
