/** Connects to an MCP server, lists and calls its tools, and ends the connection and the program. */

import type { CallToolResult, Client, Tool } from "@modelcontextprotocol/client";
import type { HttpServer } from "../settings/settings.ts";
import { escapeControls } from "../text/safe-text.ts";
import type { ProgramSpawnOptions } from "./transport.ts";
import { createTransport, type ServerTransport } from "./transport.ts";
import { sanitizeLine } from "./trust-question.ts";
import type { OfferedTool } from "./trust-records.ts";

/** Ends a program whose stdin is closed: waits for its exit, then sends SIGTERM, then SIGKILL. */
async function endProgram(pid: number): Promise<void> {
  if (await waitForExit(pid, 500)) return;
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    sendSignal(pid, signal);
    if (await waitForExit(pid, 700)) return;
  }
}

async function waitForExit(pid: number, timeoutMs: number): Promise<boolean> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; ) {
    if (!sendSignal(pid, 0)) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return !sendSignal(pid, 0);
}

/** Signal 0 only checks whether the process exists. Returns false if it does not. */
function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Escapes and limits the message, because it may contain text of the server. */
export function describeFailure(error: unknown, lastOutput: string): string {
  const message = (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR_CHARS);
  return escapeControls(lastOutput === "" ? message : `${message}\n${lastOutput}`);
}

const MAX_ERROR_CHARS = 1_000;

export interface Connection {
  readonly serverTransport: ServerTransport;
  /** Whether the tools may have changed since they were last listed. */
  readonly isStale: () => boolean;
  readonly isClosed: () => boolean;
  listTools(options: RequestOptions): Promise<readonly OfferedTool[]>;
  callTool(request: ToolCallRequest, options: RequestOptions): Promise<CallToolResult>;
  /** Closes the connection and waits until the program has exited. Kills it if necessary. */
  end(): Promise<void>;
}

export interface RequestOptions {
  readonly signal: AbortSignal;
  /** In milliseconds. */
  readonly timeout: number;
}

export interface ConnectOptions extends RequestOptions {
  /** The version of Pith, which the server is told. */
  readonly version: string;
}

export interface ToolCallRequest {
  /** The tool as it was listed. */
  readonly tool: OfferedTool;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly update: (text: string) => void;
}

/** Connects to a server. Falls back to SSE for older HTTP servers. The message of the thrown error describes the failure. */
export async function connect(server: HttpServer | ProgramSpawnOptions, options: ConnectOptions): Promise<Connection> {
  try {
    return await openConnection(await createTransport(server), options);
  } catch (error) {
    if ("program" in server || !isLegacyServerError((error as Error).cause) || options.signal.aborted) throw error;
    return await openConnection(await createTransport(server, "sse"), options);
  }
}

async function openConnection(serverTransport: ServerTransport, connectOptions: ConnectOptions): Promise<Connection> {
  const state: ConnectionState = { isStale: true, isClosed: false };
  const client = await createClient(serverTransport, { state, ...connectOptions });
  try {
    await client.connect(serverTransport.transport, connectOptions);
  } catch (error) {
    // The last output may arrive after the exit.
    await closeConnection(client, serverTransport);
    throw new Error(describeFailure(error, serverTransport.lastOutput()), { cause: error });
  }
  return {
    serverTransport,
    isStale: () => state.isStale,
    isClosed: () => state.isClosed,
    async listTools(options) {
      state.isStale = false;
      return await fetchTools(client, options);
    },
    callTool: (request, options) => sendToolCall(client, request, options),
    end: () => closeConnection(client, serverTransport),
  };
}

/** Requests the pages directly: the client's own `listTools` prints warnings to the terminal. */
async function fetchTools(client: Client, options: RequestOptions): Promise<readonly OfferedTool[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const allTools: OfferedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await client.request({ method: "tools/list", params }, options);
    allTools.push(...tools);
    cursor = nextCursor;
    if (cursor === undefined) return allTools;
  }
  throw new Error(`its tool list has more than ${MAX_PAGES} pages`);
}

const MAX_PAGES = 64;

interface ConnectionState {
  isStale: boolean;
  isClosed: boolean;
}

async function createClient(
  { negotiatesVersion }: ServerTransport,
  { state, version }: { readonly state: ConnectionState; readonly version: string },
): Promise<Client> {
  const { Client } = await import("@modelcontextprotocol/client");
  const onChanged = (): void => {
    state.isStale = true;
  };
  const client = new Client(
    { name: "pith", version },
    {
      versionNegotiation: { mode: negotiatesVersion ? "auto" : "legacy" },
      // Results are not validated: the server wrote the schema too, so it proves nothing, and its patterns may never finish matching.
      jsonSchemaValidator: {
        getValidator: () => (value) => ({ valid: true, data: value as never, errorMessage: undefined }),
      },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } },
    },
  );
  client.onclose = () => {
    state.isClosed = true;
  };
  return client;
}

/** Calls a tool. Progress notifications extend the timeout up to a maximum. */
async function sendToolCall(
  client: Client,
  { tool, arguments: args, update }: ToolCallRequest,
  requestOptions: RequestOptions,
): Promise<CallToolResult> {
  const onprogress = ({ progress, total, message }: Progress): void =>
    update(sanitizeLine(message ?? `${progress}${total === undefined ? "" : ` of ${total}`}`, MAX_PROGRESS_CHARS));
  const timeouts = { resetTimeoutOnProgress: true, maxTotalTimeout: MAX_TIMEOUT_FACTOR * requestOptions.timeout };
  const options = { ...requestOptions, ...timeouts, onprogress, toolDefinition: tool as Tool };
  return await client.callTool({ name: tool.name, arguments: { ...args } }, options);
}

const MAX_PROGRESS_CHARS = 200;
const MAX_TIMEOUT_FACTOR = 6;

interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** Whether the error has a status code that servers with the older SSE protocol return. */
function isLegacyServerError(error: unknown): boolean {
  const status = (error as { readonly data?: { readonly status?: unknown } } | undefined)?.data?.status;
  return [400, 404, 405].includes(Number(status)) || /\b(?:400|404|405)\b/.test(String(error));
}

/** Closes the program's stdin, then waits for its exit or kills it. */
async function closeConnection(client: Client, { pid }: ServerTransport): Promise<void> {
  const processId = pid();
  const closePromise = client.close().catch(() => undefined);
  await (processId === null ? closePromise : endProgram(processId));
}
