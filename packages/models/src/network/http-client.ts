/** Implements `fetchPackage` for plain requests on `node:http`, loaded lazily: Node's own takes 100 ms and 20 MB to load. */

import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { Socket } from "node:net";
import type { PlainRequest } from "./http-request.ts";
import { toResponse } from "./http-response.ts";

/** Begins a request on a line that is free, or on a new one. */
export function startRequest(url: URL, options: Pick<RequestOptions, "method" | "headers">): ClientRequest {
  // While it serves, a line may be silent for as long as whoever waits is patient.
  return moduleFor(url).request(url, { ...options, agent: agentFor(url), timeout: 0 });
}

/** Where one line had been closed unnoticed, those that rest beside it have been as well. */
export function closeIdleSockets(url: URL): void {
  for (const idleSockets of Object.values(agentFor(url).freeSockets))
    for (const socket of idleSockets ?? []) socket.destroy();
}

/** Calls `giveUp` where nobody takes the call in time; a line that stands already needs none. */
export function limitConnectTime(socket: Socket, { url, ms, onTimeout }: ConnectLimit): void {
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
    super(`${host} did not take the call within ${ms / 1000} s`);
  }
}

// Networks forget lines that rest for long, and say nothing. A server that keeps them for less says so, and is heeded.
const IDLE_SOCKET_MS = 30_000;
const agents = new Map<string, Agent>();

// Idle connections are kept for the next request, and do not keep the process alive.
function agentFor(url: URL): Agent {
  const cached = agents.get(url.protocol);
  if (cached) return cached;
  const agent = new (moduleFor(url).Agent)({ keepAlive: true, timeout: IDLE_SOCKET_MS });
  agents.set(url.protocol, agent);
  return agent;
}

// Not imported: an import of `node:http` brings Node's `fetchPackage` with it.
function moduleFor(url: URL): Pick<typeof import("node:http"), "Agent" | "request"> {
  return process.getBuiltinModule(isSecure(url) ? "node:https" : "node:http");
}

function isSecure({ protocol }: URL): boolean {
  return protocol === "https:";
}

export type RedirectResult =
  /** The answer is what was asked for. */
  | { readonly type: "here" }
  | { readonly type: "onward"; readonly request: PlainRequest }
  | { readonly type: "refused"; readonly message: string };

/** Allows a redirect to the same origin only: a key is never sent to another server. */
export function checkRedirect(request: PlainRequest, response: IncomingMessage): RedirectResult {
  const { url, method, redirect } = request;
  const { statusCode: status = 0, headers } = response;
  if (!REDIRECT_STATUSES.has(status) || headers.location === undefined || redirect === "manual")
    return { type: "here" };
  const target = URL.parse(headers.location, url.href);
  if (target === null) return refuseRedirect("was sent on to something that is no address");
  if (target.origin !== url.origin || target.username !== "" || target.password !== "")
    return refuseRedirect(
      `was sent on to ${target.origin}, where its key must not go; if that is right, use that address`,
    );
  if (redirect === "error" || !isRepeatable(method, status))
    return refuseRedirect(`was sent on to ${target.origin}${target.pathname}; if that is right, use that address`);
  return { type: "onward", request: { ...request, url: target } };
}

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

// The other statuses turn a question with a body into one without.
function isRepeatable(method: string, status: number): boolean {
  return method === "GET" || method === "HEAD" || status === 307 || status === 308;
}

function refuseRedirect(reason: string): RedirectResult {
  return { type: "refused", message: `the request ${reason}` };
}

export type SendResult =
  | { readonly type: "answered"; readonly response: IncomingMessage }
  /** `isStale`: it went out on a line that had served before, and not a byte came back. */
  | { readonly type: "failed"; readonly cause: unknown; readonly isStale: boolean };

export interface ConnectOptions {
  /** For the other side to take the call. */
  readonly connectTimeoutMs: number;
}

/** Sends one request until its response begins: ends at once on abort, and where no connection is made in time. */
export function sendRequest(request: PlainRequest, { connectTimeoutMs }: ConnectOptions): Promise<SendResult> {
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
    // Stays for the whole of the answer, whose end is told by the answer itself.
    clientRequest.on("error", (cause) =>
      fail(unwrapAggregateError(cause), clientRequest.reusedSocket && hasNoResponse()),
    );
    clientRequest.once("response", (response) => resolve({ type: "answered", response }));
    clientRequest.end(body ?? undefined);
  });
}

/** Whether nothing has come back so far. */
function trackResponseBytes(clientRequest: ClientRequest): () => boolean {
  let bytesBefore = 0;
  clientRequest.once("socket", ({ bytesRead }) => {
    bytesBefore = bytesRead;
  });
  return () => clientRequest.socket?.bytesRead === bytesBefore;
}

/** A name with several addresses fails with a list of errors that says nothing itself. */
function unwrapAggregateError(cause: unknown): unknown {
  return cause instanceof AggregateError && cause.message === "" ? (cause.errors[0] ?? cause) : cause;
}

/** Fails as `fetchPackage` does: with the reason of an abort, else with an error whose cause bears the system's code. */
export async function httpFetch(
  initialRequest: PlainRequest,
  options: ConnectOptions = { connectTimeoutMs: 10_000 },
): Promise<Response> {
  let request = initialRequest;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const response = await sendWithRetry(request, options);
    const redirect = checkRedirect(request, response);
    if (redirect.type === "here") return toResponse(request, { response, isRedirected: hops > 0 });
    response.destroy();
    if (redirect.type === "refused") throw new Error(redirect.message);
    request = redirect.request;
  }
  throw new Error(`the request was sent on more than ${MAX_REDIRECTS} times`);
}

const MAX_REDIRECTS = 5;

async function sendWithRetry(request: PlainRequest, options: ConnectOptions): Promise<IncomingMessage> {
  const { signal, url } = request;
  signal?.throwIfAborted();
  let result = await sendRequest(request, options);
  // The server had closed the line while it rested, and has said nothing since: it is asked once more, on a new one.
  if (result.type === "failed" && result.isStale && !signal?.aborted) {
    closeIdleSockets(url);
    result = await sendRequest(request, options);
  }
  if (result.type === "answered") return result.response;
  signal?.throwIfAborted();
  // In the words of Node's `fetchPackage`, which packages know.
  throw new TypeError("fetch failed", { cause: result.cause });
}
