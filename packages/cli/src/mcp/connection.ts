/** Connects to an MCP server, lists and calls its tools, and ends it. */

import type { CallToolResult, Client, Tool } from "@modelcontextprotocol/client";
import { version } from "../args/help.ts";
import type { HttpServer } from "../settings/settings.ts";
import { plain } from "../text/safe-text.ts";
import type { ProgramStart } from "./program-transport.ts";
import { type Way, wayTo } from "./transport.ts";
import { plainLine } from "./trust-question.ts";
import type { OfferedTool } from "./trusted-tools.ts";

/** For a program whose input has ended: waits for its end, then sends SIGTERM, then SIGKILL. */
export async function endProgram(pid: number): Promise<void> {
  if (await isGone(pid, 500)) return;
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    reaches(pid, signal);
    if (await isGone(pid, 700)) return;
  }
}

async function isGone(pid: number, milliseconds: number): Promise<boolean> {
  for (const until = Date.now() + milliseconds; Date.now() < until; ) {
    if (!reaches(pid, 0)) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return !reaches(pid, 0);
}

/** 0 only asks whether it is there. */
function reaches(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** All of it may be the server's own text. */
export function withLastWords(error: unknown, words: string): string {
  const why = (error instanceof Error ? error.message : String(error)).slice(0, MOST_LETTERS);
  return plain(words === "" ? why : `${why}\n${words}`);
}

const MOST_LETTERS = 1_000;

export interface Connection {
  readonly way: Way;
  /** Whether its tools may be others than those that were read last. */
  readonly isStale: () => boolean;
  readonly isClosed: () => boolean;
  tools(asking: Asking): Promise<readonly OfferedTool[]>;
  call(wish: CallWish, asking: Asking): Promise<CallToolResult>;
  /** Waits until it has ended, and makes it end where it does not. */
  end(): Promise<void>;
}

export interface Asking {
  readonly signal: AbortSignal;
  /** Milliseconds after which nothing is expected any more. */
  readonly timeout: number;
}

export interface CallWish {
  /** As it was listed. */
  readonly tool: OfferedTool;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly update: (text: string) => void;
}

/** What it throws says why there is none. */
export async function connected(server: HttpServer | ProgramStart, asking: Asking): Promise<Connection> {
  try {
    return await opened(await wayTo(server), asking);
  } catch (error) {
    if ("program" in server || !isOlder((error as Error).cause) || asking.signal.aborted) throw error;
    return await opened(await wayTo(server, "sse"), asking);
  }
}

async function opened(way: Way, asking: Asking): Promise<Connection> {
  const seen: Seen = { isStale: true, isClosed: false };
  const client = await clientFor(way, seen);
  try {
    await client.connect(way.transport, asking);
  } catch (error) {
    // Its last words may come after its end.
    await ended(client, way);
    throw new Error(withLastWords(error, way.lastWords()), { cause: error });
  }
  return {
    ...{ way, isStale: () => seen.isStale, isClosed: () => seen.isClosed },
    async tools(each) {
      seen.isStale = false;
      return await listed(client, each);
    },
    call: (wish, each) => called(client, wish, each),
    end: () => ended(client, way),
  };
}

/** Page by page, and without the client's own list, which prints what it does not like. */
async function listed(client: Client, asking: Asking): Promise<readonly OfferedTool[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const all: OfferedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await client.request({ method: "tools/list", params }, asking);
    all.push(...tools);
    cursor = nextCursor;
    if (cursor === undefined) return all;
  }
  throw new Error("its list of tools does not end");
}

const MOST_PAGES = 64;

interface Seen {
  isStale: boolean;
  isClosed: boolean;
}

async function clientFor({ asksFirst }: Way, seen: Seen): Promise<Client> {
  const { Client } = await import("@modelcontextprotocol/client");
  const onChanged = (): void => {
    seen.isStale = true;
  };
  const client = new Client(
    { name: "pith", version: version() },
    {
      versionNegotiation: { mode: asksFirst ? "auto" : "legacy" },
      // What it answers is shown as it is: a schema of its own proves nothing, and may take for ever to be tried.
      jsonSchemaValidator: {
        getValidator: () => (value) => ({ valid: true, data: value as never, errorMessage: undefined }),
      },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } },
    },
  );
  client.onclose = () => {
    seen.isClosed = true;
  };
  return client;
}

/** Whoever tells of progress is waited for longer, but not for ever. */
async function called(
  client: Client,
  { tool, arguments: args, update }: CallWish,
  asking: Asking,
): Promise<CallToolResult> {
  const onprogress = ({ progress, total, message }: Progress): void =>
    update(plainLine(message ?? `${progress}${total === undefined ? "" : ` of ${total}`}`, LONGEST));
  const patience = { resetTimeoutOnProgress: true, maxTotalTimeout: PATIENCE * asking.timeout };
  const options = { ...asking, ...patience, onprogress, toolDefinition: tool as Tool };
  return await client.callTool({ name: tool.name, arguments: { ...args } }, options);
}

const LONGEST = 200;
const PATIENCE = 6;

interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** Refused in a way that servers of the older kind refuse. */
function isOlder(error: unknown): boolean {
  const status = (error as { readonly data?: { readonly status?: unknown } } | undefined)?.data?.status;
  return [400, 404, 405].includes(Number(status)) || /\b(?:400|404|405)\b/.test(String(error));
}

/** Its input ends, and it goes; if not, it is made to. */
async function ended(client: Client, { pid }: Way): Promise<void> {
  const id = pid();
  const closing = client.close().catch(() => undefined);
  await (id === null ? closing : endProgram(id));
}
