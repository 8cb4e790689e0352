/** What an editor may ask of Pith, method by method, in the Agent Client Protocol. */

import {
  type AgentApp,
  type AgentContext,
  agent,
  type InitializeResponse,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk/unstable";
import { pithHome } from "@pith/context/node";
import { version } from "../asking/version.ts";
import type { Wish } from "../asking/wish.ts";
import { configOptions, setMode, setOption } from "./choosing/options.ts";
import { failing } from "./refusals.ts";
import { prompted } from "./saying/prompted.ts";
import type { EditorSession } from "./sessions/editor-session.ts";
import { type EditorSessions, introduced, opening, shownAgain } from "./sessions/editor-sessions.ts";
import { listed, pathOf } from "./sessions/listed.ts";
import type { OpeningParts } from "./sessions/open-editor-session.ts";
import { abilitiesOf } from "./updates/sight.ts";

export interface AppParts {
  readonly wish: Wish;
  readonly sessions: EditorSessions;
  readonly note: (line: string) => void;
}

export function editorApp({ wish, sessions, note }: AppParts): AgentApp {
  let can = abilitiesOf(undefined);
  const app = agent({ name: "pith" })
    .onRequest("initialize", ({ params }) => {
      can = abilitiesOf(params.clientCapabilities);
      return introduction();
    })
    .onRequest("authenticate", () => {
      throw failing("Pith needs no sign-in: set a key such as ANTHROPIC_API_KEY, or start pith once in a terminal");
    });
  withLives(app, sessions, (client) => ({ wish, client, can, note }));
  withChoices(app, sessions);
  return withWords(app, sessions);
}

/** Sessions come and go. */
function withLives(app: AgentApp, sessions: EditorSessions, parts: (client: AgentContext) => OpeningParts): AgentApp {
  return app
    .onRequest("session/new", async ({ params, client }) => answered(await sessions.begin(params, parts(client))))
    .onRequest("session/load", async ({ params, client }) => {
      const session = await sessions.take(params.sessionId, params, parts(client));
      await shownAgain(session);
      return await answered(session);
    })
    .onRequest("session/resume", async ({ params, client }) =>
      answered(await sessions.take(params.sessionId, params, parts(client))),
    )
    .onRequest("session/fork", async ({ params, client }) =>
      answered(await sessions.fork(params.sessionId, params, parts(client))),
    )
    .onRequest("session/list", ({ params }) => listed(params))
    .onRequest("session/close", ({ params }) => sessions.close(params.sessionId))
    .onRequest("session/delete", ({ params }) => removed(params.sessionId, sessions));
}

function withChoices(app: AgentApp, sessions: EditorSessions): AgentApp {
  return app
    .onRequest("session/set_mode", async ({ params }) => {
      const { desk, tellChoices } = sessions.session(params.sessionId);
      setMode(params.modeId, desk);
      await tellChoices();
    })
    .onRequest("session/set_config_option", async ({ params }) => {
      const { desk, ready, tellChoices } = sessions.session(params.sessionId);
      await setOption(params.configId, params.value, desk);
      await tellChoices();
      return { configOptions: await configOptions(desk, ready.place) };
    });
}

function withWords(app: AgentApp, sessions: EditorSessions): AgentApp {
  return app
    .onRequest("session/prompt", async ({ params, signal }) => {
      const session = sessions.session(params.sessionId);
      signal.addEventListener("abort", () => void session.stop(), { once: true });
      return await prompted(params.prompt, session);
    })
    .onNotification("session/cancel", async ({ params }) => {
      await sessions.session(params.sessionId).stop();
    });
}

function introduction(): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "pith", title: "Pith", version: version() },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      mcpCapabilities: { http: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {} },
    },
    authMethods: [],
  };
}

/** What stands beside a session is told behind the answer that names it: an editor that does not know it yet drops that. */
async function answered(session: EditorSession): ReturnType<typeof opening> {
  const answer = await opening(session);
  // Without what stands beside it, a session still works.
  setImmediate(() => void introduced(session).catch(() => {}));
  return answer;
}

/** Into the trash; `pith sessions restore` brings it back. */
async function removed(sessionId: string, sessions: EditorSessions): Promise<void> {
  await sessions.close(sessionId);
  const { intoTrash } = await import("../subcommands/sessions/trashing/trashed.ts");
  const gone = await intoTrash(await pathOf(sessionId), { home: pithHome(), by: "rm" });
  if (gone.type === "failed") throw failing(gone.message);
}
