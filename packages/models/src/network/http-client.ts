/** Implements `fetch` for plain requests with `node:http`, loaded lazily: Node's `fetch` takes 100 ms and 20 MB to load. */

import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { Socket } from "node:net";
import type { PlainRequest } from "./http-request.ts";
import { toResponse } from "./http-response.ts";

/** Fails as `fetch` does: with the reason of an abort, or with an error whose cause has the system's code. */
export async function httpFetch(
  initialRequest: PlainRequest,
  options: ConnectOptions = { connectTimeoutMs: 10_000 },
): Promise<Response> {
  let request = initialRequest;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const response = await sendWithRetry(request, options);
    const redirect = checkRedirect(request, response);
    if (redirect.type === "none") return toResponse(request, { response, isRedirected: hops > 0 });
    response.destroy();
    if (redirect.type === "refused") throw new Error(redirect.message);
    request = redirect.request;
  }
  throw new Error(`the request was redirected more than ${MAX_REDIRECTS} times`);
}

const MAX_REDIRECTS = 5;

export interface ConnectOptions {
  /** The time limit for making a connection. */
  readonly connectTimeoutMs: number;
}

async function sendWithRetry(request: PlainRequest, options: ConnectOptions): Promise<IncomingMessage> {
  const { signal, url } = request;
  signal?.throwIfAborted();
  let result = await sendRequest(request, options);
  // The server has closed the idle connection and sent nothing, so the request is sent once more on a new one.
  if (result.type === "failed" && result.isStale && !signal?.aborted) {
    closeIdleSockets(url);
    result = await sendRequest(request, options);
  }
  if (result.type === "response") return result.response;
  signal?.throwIfAborted();
  // The message of Node's `fetch`, which packages recognise.
  throw new TypeError("fetch failed", { cause: result.cause });
}

/** Sends one request and returns when its response begins. Ends at once on abort or if no connection is made in time. */
function sendRequest(request: PlainRequest, { connectTimeoutMs }: ConnectOptions): Promise<SendResult> {
  const { url, method, headers, body, signal } = request;
  const clientRequest = startRequest(url, { method, headers: Object.fromEntries(headers) });
  return new Promise((resolve) => {
    const fail = (cause: unknown, isStale = false): void => resolve({ type: "failed", cause, isStale });
    const onAbort = (): void => {
      clientRequest.destroy();
      fail(signal?.reason);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    clientRequest.once("close", () => signal?.removeEventListener("abort", onAbort));
    const hasNoResponse = trackResponseBytes(clientRequest);
    clientRequest.once("socket", (socket) =>
      limitConnectTime(socket, { url, ms: connectTimeoutMs, onTimeout: (error) => clientRequest.destroy(error) }),
    );
    // The listener stays for the whole response; the response itself reports how it ends.
    clientRequest.on("error", (cause) =>
      fail(unwrapAggregateError(cause), clientRequest.reusedSocket && hasNoResponse()),
    );
    clientRequest.once("response", (response) => resolve({ type: "response", response }));
    clientRequest.end(body ?? undefined);
  });
}

export type SendResult =
  | { readonly type: "response"; readonly response: IncomingMessage }
  /** `isStale`: the request used a reused connection, and nothing came back. */
  | { readonly type: "failed"; readonly cause: unknown; readonly isStale: boolean };

/** Returns a function that tells whether nothing has come back so far. */
function trackResponseBytes(clientRequest: ClientRequest): () => boolean {
  let bytesBefore = 0;
  clientRequest.once("socket", ({ bytesRead }) => {
    bytesBefore = bytesRead;
  });
  return () => clientRequest.socket?.bytesRead === bytesBefore;
}

/** A host with several addresses fails with an aggregate error without a message. */
function unwrapAggregateError(cause: unknown): unknown {
  return cause instanceof AggregateError && cause.message === "" ? (cause.errors[0] ?? cause) : cause;
}

/** Allows a redirect to the same origin only: a key is never sent to another server. */
function checkRedirect(request: PlainRequest, response: IncomingMessage): RedirectResult {
  const { url, method, redirect } = request;
  const { statusCode: status = 0, headers } = response;
  if (!REDIRECT_STATUSES.has(status) || headers.location === undefined || redirect === "manual")
    return { type: "none" };
  const target = URL.parse(headers.location, url.href);
  if (target === null) return refuseRedirect("was redirected to an invalid address");
  if (target.origin !== url.origin || target.username !== "" || target.password !== "")
    return refuseRedirect(
      `was redirected to ${target.origin}, a different server, which must not receive the API key; if that server is correct, change the base URL`,
    );
  if (redirect === "error" || !isRepeatable(method, status))
    return refuseRedirect(
      `was redirected to ${target.origin}${target.pathname}; if that address is correct, change the base URL`,
    );
  return { type: "follow", request: { ...request, url: target } };
}

export type RedirectResult =
  /** The response is not a redirect. */
  | { readonly type: "none" }
  | { readonly type: "follow"; readonly request: PlainRequest }
  | { readonly type: "refused"; readonly message: string };

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

// The other statuses turn a POST into a GET without its body.
function isRepeatable(method: string, status: number): boolean {
  return method === "GET" || method === "HEAD" || status === 307 || status === 308;
}

function refuseRedirect(reason: string): RedirectResult {
  return { type: "refused", message: `the request ${reason}` };
}

/** Starts a request on an idle connection, or on a new one. */
function startRequest(url: URL, options: Pick<RequestOptions, "method" | "headers">): ClientRequest {
  // No socket timeout: the caller has its own.
  return moduleFor(url).request(url, { ...options, agent: agentFor(url), timeout: 0 });
}

/** If the server has closed one idle connection, it has probably closed the others too. */
function closeIdleSockets(url: URL): void {
  for (const idleSockets of Object.values(agentFor(url).freeSockets))
    for (const socket of idleSockets ?? []) socket.destroy();
}

/** Calls `onTimeout` if the connection is not made in time; an open connection needs no limit. */
function limitConnectTime(socket: Socket, { url, ms, onTimeout }: ConnectLimit): void {
  if (!socket.connecting) return;
  const timer = setTimeout(() => onTimeout(new ConnectTimeoutError(url, ms)), ms);
  for (const event of [isSecure(url) ? "secureConnect" : "connect", "close"])
    socket.once(event, () => clearTimeout(timer));
}

export interface ConnectLimit {
  readonly url: URL;
  readonly ms: number;
  readonly onTimeout: (error: Error) => void;
}

class ConnectTimeoutError extends Error {
  readonly code = "ETIMEDOUT";

  constructor({ host }: URL, ms: number) {
    super(`${host} did not accept the connection within ${ms / 1000} s`);
  }
}

// Networks silently drop idle connections. Node respects a shorter time that the server sends.
const IDLE_SOCKET_MS = 30_000;
const agents = new Map<string, Agent>();

// Idle connections are reused and do not keep the process alive.
function agentFor(url: URL): Agent {
  const cached = agents.get(url.protocol);
  if (cached) return cached;
  const agent = new (moduleFor(url).Agent)({ keepAlive: true, timeout: IDLE_SOCKET_MS });
  agents.set(url.protocol, agent);
  return agent;
}

// Not imported: an import of `node:http` would load Node's `fetch`.
function moduleFor(url: URL): Pick<typeof import("node:http"), "Agent" | "request"> {
  return process.getBuiltinModule(isSecure(url) ? "node:https" : "node:http");
}

function isSecure({ protocol }: URL): boolean {
  return protocol === "https:";
}
