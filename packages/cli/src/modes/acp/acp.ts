/** Runs ACP mode and handles its methods. Nothing but the Agent Client Protocol is written to stdout. */

import { Writable } from "node:stream";
import {
  type AgentApp,
  type AgentContext,
  agent,
  type InitializeResponse,
  ndJsonStream,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk/unstable";
import { pithHome } from "@pith/context/node";
import type { Wish } from "../../args/args.ts";
import { version } from "../../args/help.ts";
import type { Exit, Terminal } from "../../text/process-io.ts";
import { abilitiesOf, type EditorSession, failing } from "./acp-context.ts";
import { configOptions, setMode, setOption } from "./config-options.ts";
import { boundedLines } from "./input-lines.ts";
import { prompted } from "./prompt.ts";
import type { OpeningParts } from "./session.ts";
import { EditorSessions, introduced, listed, opening, pathOf, shownAgain } from "./sessions.ts";

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
  const { intoTrash } = await import("../../sessions/trash.ts");
  const gone = await intoTrash(await pathOf(sessionId), { home: pithHome(), by: "rm" });
  if (gone.type === "failed") throw failing(gone.message);
}

/** Until the editor has left; what is under way then is stopped, and what was said is kept. */
export async function acp(wish: Wish, terminal: Terminal): Promise<Exit> {
  if (wish.words !== "" || wish.files.length > 0)
    return { code: 2, message: "in ACP mode the editor says what to do; leave the words out" };
  // What an extension prints would break the protocol.
  Object.assign(console, { log: console.error, info: console.error, debug: console.error });
  const sessions = new EditorSessions();
  const app = editorApp({ wish, sessions, note: (line) => terminal.note(`pith: ${line}`) });
  // BOUND8: an over-long line is answered with an error, and the connection goes on.
  const input = boundedLines({ input: process.stdin, write: (line) => void process.stdout.write(line) });
  const connection = app.connect(ndJsonStream(Writable.toWeb(process.stdout), input));
  let code = 0;
  for (const [signal, own] of ENDING)
    process.once(signal, () => {
      code = own;
      connection.close();
    });
  await connection.closed;
  await sessions.closeAll();
  process.stdin.destroy();
  return { code };
}

/** As shells count: 128 and the signal's number. */
const ENDING = [
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const;
