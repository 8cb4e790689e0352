/** Runs ACP mode and handles the requests of an editor. Only protocol messages are written to stdout. */

import { Readable, Writable } from "node:stream";
import {
  type AgentApp,
  type AgentContext,
  agent,
  ndJsonStream,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk/unstable";
import { createLineSplitter, type Line, MAX_LINE_BYTES } from "@pith/client";
import { pithHome } from "@pith/context/node";
import type { CliArgs } from "../../args/args.ts";
import { version } from "../../args/help.ts";
import { parseJsonLine } from "../../protocol/parse-json-line.ts";
import type { ExitStatus, Terminal } from "../../text/process-io.ts";
import { type AcpSession, internalError, readClientFeatures } from "./acp-context.ts";
import { buildConfigOptions, setMode, setOption } from "./config-options.ts";
import { runPrompt } from "./prompt.ts";
import type { OpenSessionOptions } from "./session.ts";
import {
  AcpSessions,
  createSessionResponse,
  findSessionPath,
  listStoredSessions,
  replaySession,
  sendSessionDetails,
} from "./sessions.ts";

export interface AgentAppOptions {
  readonly args: CliArgs;
  readonly sessions: AcpSessions;
  readonly notify: (line: string) => void;
}

function createAgentApp({ args, sessions, notify }: AgentAppOptions): AgentApp {
  let features = readClientFeatures(undefined);
  const agentApp = agent({ name: "pith" })
    .onRequest("initialize", ({ params }) => {
      features = readClientFeatures(params.clientCapabilities);
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
    })
    .onRequest("authenticate", () => {
      throw internalError(
        "Pith has no sign-in; set an API key such as ANTHROPIC_API_KEY, or run pith in a terminal to enter one",
      );
    });
  handleSessionMethods(agentApp, sessions, (client) => ({ args, client, features, notify }));
  handleOptionMethods(agentApp, sessions);
  return agentApp
    .onRequest("session/prompt", async ({ params, signal }) => {
      const session = sessions.getSession(params.sessionId);
      signal.addEventListener("abort", () => void session.stop(), { once: true });
      return await runPrompt(params.prompt, session);
    })
    .onNotification("session/cancel", async ({ params }) => {
      await sessions.getSession(params.sessionId).stop();
    });
}

function handleSessionMethods(
  agentApp: AgentApp,
  sessions: AcpSessions,
  createOptions: (client: AgentContext) => OpenSessionOptions,
): AgentApp {
  return agentApp
    .onRequest("session/new", async ({ params, client }) =>
      respondWithSession(await sessions.create(params, createOptions(client))),
    )
    .onRequest("session/load", async ({ params, client }) => {
      const session = await sessions.load(params.sessionId, params, createOptions(client));
      await replaySession(session);
      return await respondWithSession(session);
    })
    .onRequest("session/resume", async ({ params, client }) =>
      respondWithSession(await sessions.load(params.sessionId, params, createOptions(client))),
    )
    .onRequest("session/fork", async ({ params, client }) =>
      respondWithSession(await sessions.fork(params.sessionId, params, createOptions(client))),
    )
    .onRequest("session/list", ({ params }) => listStoredSessions(params))
    .onRequest("session/close", ({ params }) => sessions.close(params.sessionId))
    .onRequest("session/delete", ({ params }) => deleteSession(params.sessionId, sessions));
}

function handleOptionMethods(agentApp: AgentApp, sessions: AcpSessions): AgentApp {
  return agentApp
    .onRequest("session/set_mode", async ({ params }) => {
      const { app, sendChangedOptions } = sessions.getSession(params.sessionId);
      setMode(params.modeId, app);
      await sendChangedOptions();
    })
    .onRequest("session/set_config_option", async ({ params }) => {
      const { app, sendChangedOptions } = sessions.getSession(params.sessionId);
      await setOption(params.configId, params.value, app);
      await sendChangedOptions();
      return { configOptions: await buildConfigOptions(app, app) };
    });
}

/** Sends the details of the session after the response: an editor ignores updates of a session that it does not know yet. */
async function respondWithSession(session: AcpSession): ReturnType<typeof createSessionResponse> {
  const response = await createSessionResponse(session);
  // A session works without its details, so a failure is ignored.
  setImmediate(() => void sendSessionDetails(session).catch(() => {}));
  return response;
}

/** Moves the session to the trash. `pith sessions restore` restores it. */
async function deleteSession(sessionId: string, sessions: AcpSessions): Promise<void> {
  await sessions.close(sessionId);
  const { moveToTrash } = await import("../../sessions/trash.ts");
  const result = await moveToTrash(await findSessionPath(sessionId), { home: pithHome(), by: "rm" });
  if (result.type === "failed") throw internalError(result.message);
}

/** Runs until the editor disconnects. Running work is then stopped, and the sessions stay saved. */
export async function runAcpMode(args: CliArgs, terminal: Terminal): Promise<ExitStatus> {
  if (args.prompt !== "" || args.files.length > 0)
    return { code: 2, message: "in ACP mode prompts come from the editor; remove the prompt from the command line" };
  // Output of extensions goes to stderr: on stdout it would break the protocol.
  Object.assign(console, { log: console.error, info: console.error, debug: console.error });
  const sessions = new AcpSessions();
  const agentApp = createAgentApp({ args, sessions, notify: (line) => terminal.notify(`pith: ${line}`) });
  // BOUND8: a line that is too long is answered with an error, and the connection stays open.
  const input = boundedLines({ input: process.stdin, write: (line) => void process.stdout.write(line) });
  const connection = agentApp.connect(ndJsonStream(Writable.toWeb(process.stdout), input));
  let code = 0;
  for (const [signal, exitCode] of SIGNAL_EXIT_CODES)
    process.once(signal, () => {
      code = exitCode;
      connection.close();
    });
  await connection.closed;
  await sessions.closeAll();
  process.stdin.destroy();
  return { code };
}

/** The exit codes of shells: 128 plus the number of the signal. */
const SIGNAL_EXIT_CODES = [
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const;

export interface BoundedLinesOptions {
  readonly input: AsyncIterable<Uint8Array>;
  /** Writes one line to the editor. */
  readonly write: (line: string) => void;
  readonly maxBytes?: number;
}

/** Filters out lines that are too long or not JSON. The library would close the connection on a line that is too long. */
export function boundedLines({
  input,
  write,
  maxBytes = MAX_LINE_BYTES,
}: BoundedLinesOptions): ReadableStream<Uint8Array> {
  return Readable.toWeb(Readable.from(filterLines({ input, write, maxBytes }))) as ReadableStream<Uint8Array>;
}

async function* filterLines({ input, write, maxBytes }: Required<BoundedLinesOptions>): AsyncGenerator<Uint8Array> {
  const splitter = createLineSplitter(maxBytes);
  const check = (line: Line): readonly Uint8Array[] => {
    const lineError = checkLine(line, maxBytes);
    if (lineError === null) return line.type === "line" ? [line.bytes, LINE_END] : [];
    write(`${JSON.stringify({ jsonrpc: "2.0", id: null, error: lineError })}\n`);
    return [];
  };
  for await (const chunk of input) for (const line of splitter.push(chunk)) yield* check(line);
  for (const line of splitter.end()) yield* check(line);
}

const LINE_END = new TextEncoder().encode("\n");

/** Returns a JSON-RPC error, or null if the line is passed on. */
function checkLine(line: Line, maxBytes: number): { readonly code: number; readonly message: string } | null {
  if (line.type === "too-long") {
    const message = `the line has ${line.bytes} bytes, but the limit is ${maxBytes}; send files as links instead`;
    return { code: INVALID_REQUEST, message };
  }
  // The library skips an empty line.
  if (line.bytes.length === 0) return null;
  const json = parseJsonLine(line.bytes);
  return json.type === "mistake" ? { code: PARSE_ERROR, message: json.message } : null;
}

const INVALID_REQUEST = -32600;

const PARSE_ERROR = -32700;
