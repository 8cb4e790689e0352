/** Implements `fetch` for plain requests on `node:http`, loaded lazily: Node's own takes 100 ms and 20 MB to load. */

import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { Socket } from "node:net";
import type { PlainRequest } from "./http-request.ts";
import { answerTo } from "./http-response.ts";

/** Begins a request on a line that is free, or on a new one. */
export function begin(url: URL, options: Pick<RequestOptions, "method" | "headers">): ClientRequest {
  // While it serves, a line may be silent for as long as whoever waits is patient.
  return moduleFor(url).request(url, { ...options, agent: agentFor(url), timeout: 0 });
}

/** Where one line had been closed unnoticed, those that rest beside it have been as well. */
export function closeResting(url: URL): void {
  for (const resting of Object.values(agentFor(url).freeSockets)) for (const line of resting ?? []) line.destroy();
}

/** Calls `giveUp` where nobody takes the call in time; a line that stands already needs none. */
export function limitCall(line: Socket, { url, ms, giveUp }: CallLimit): void {
  if (!line.connecting) return;
  const timer = setTimeout(() => giveUp(new Unanswered(url, ms)), ms);
  for (const event of [isSecure(url) ? "secureConnect" : "connect", "close"])
    line.once(event, () => clearTimeout(timer));
}

export interface CallLimit {
  readonly url: URL;
  readonly ms: number;
  readonly giveUp: (error: Error) => void;
}

class Unanswered extends Error {
  readonly code = "ETIMEDOUT";

  constructor({ host }: URL, ms: number) {
    super(`${host} did not take the call within ${ms / 1000} s`);
  }
}

// Networks forget lines that rest for long, and say nothing. A server that keeps them for less says so, and is heeded.
const REST_MS = 30_000;
const agents = new Map<string, Agent>();

// Idle connections are kept for the next request, and do not keep the process alive.
function agentFor(url: URL): Agent {
  const known = agents.get(url.protocol);
  if (known) return known;
  const agent = new (moduleFor(url).Agent)({ keepAlive: true, timeout: REST_MS });
  agents.set(url.protocol, agent);
  return agent;
}

// Not imported: an import of `node:http` brings Node's `fetch` with it.
function moduleFor(url: URL): Pick<typeof import("node:http"), "Agent" | "request"> {
  return process.getBuiltinModule(isSecure(url) ? "node:https" : "node:http");
}

function isSecure({ protocol }: URL): boolean {
  return protocol === "https:";
}

export type Redirection =
  /** The answer is what was asked for. */
  | { readonly type: "here" }
  | { readonly type: "onward"; readonly request: PlainRequest }
  | { readonly type: "refused"; readonly message: string };

/** Allows a redirect to the same origin only: a key is never sent to another server. */
export function redirection(request: PlainRequest, answer: IncomingMessage): Redirection {
  const { url, method, redirect } = request;
  const { statusCode: status = 0, headers } = answer;
  if (!SENT_ON.has(status) || headers.location === undefined || redirect === "manual") return { type: "here" };
  const target = URL.parse(headers.location, url.href);
  if (target === null) return refused("was sent on to something that is no address");
  if (target.origin !== url.origin || target.username !== "" || target.password !== "")
    return refused(`was sent on to ${target.origin}, where its key must not go; if that is right, use that address`);
  if (redirect === "error" || !isRepeatable(method, status))
    return refused(`was sent on to ${target.origin}${target.pathname}; if that is right, use that address`);
  return { type: "onward", request: { ...request, url: target } };
}

const SENT_ON: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

// The other statuses turn a question with a body into one without.
function isRepeatable(method: string, status: number): boolean {
  return method === "GET" || method === "HEAD" || status === 307 || status === 308;
}

function refused(what: string): Redirection {
  return { type: "refused", message: `the request ${what}` };
}

export type Sending =
  | { readonly type: "answered"; readonly answer: IncomingMessage }
  /** `isStale`: it went out on a line that had served before, and not a byte came back. */
  | { readonly type: "failed"; readonly cause: unknown; readonly isStale: boolean };

export interface Patience {
  /** For the other side to take the call. */
  readonly callMs: number;
}

/** Sends one request until its response begins: ends at once on abort, and where no connection is made in time. */
export function send(request: PlainRequest, { callMs }: Patience): Promise<Sending> {
  const { url, method, headers, body, signal } = request;
  const sent = begin(url, { method, headers: Object.fromEntries(headers) });
  return new Promise((resolve) => {
    const fail = (cause: unknown, isStale = false): void => resolve({ type: "failed", cause, isStale });
    const abort = (): void => {
      sent.destroy();
      fail(signal?.reason);
    };
    signal?.addEventListener("abort", abort, { once: true });
    sent.once("close", () => signal?.removeEventListener("abort", abort));
    const isUnheard = listening(sent);
    sent.once("socket", (line) => limitCall(line, { url, ms: callMs, giveUp: (error) => sent.destroy(error) }));
    // Stays for the whole of the answer, whose end is told by the answer itself.
    sent.on("error", (cause) => fail(spoken(cause), sent.reusedSocket && isUnheard()));
    sent.once("response", (answer) => resolve({ type: "answered", answer }));
    sent.end(body ?? undefined);
  });
}

/** Whether nothing has come back so far. */
function listening(sent: ClientRequest): () => boolean {
  let before = 0;
  sent.once("socket", ({ bytesRead }) => {
    before = bytesRead;
  });
  return () => sent.socket?.bytesRead === before;
}

/** A name with several addresses fails with a list of errors that says nothing itself. */
function spoken(cause: unknown): unknown {
  return cause instanceof AggregateError && cause.message === "" ? (cause.errors[0] ?? cause) : cause;
}

/** Fails as `fetch` does: with the reason of an abort, else with an error whose cause bears the system's code. */
export async function httpFetch(asked: PlainRequest, patience: Patience = { callMs: 10_000 }): Promise<Response> {
  let request = asked;
  for (let hops = 0; hops <= MOST_HOPS; hops += 1) {
    const answer = await answered(request, patience);
    const next = redirection(request, answer);
    if (next.type === "here") return answerTo(request, { answer, isRedirected: hops > 0 });
    answer.destroy();
    if (next.type === "refused") throw new Error(next.message);
    request = next.request;
  }
  throw new Error(`the request was sent on more than ${MOST_HOPS} times`);
}

const MOST_HOPS = 5;

async function answered(request: PlainRequest, patience: Patience): Promise<IncomingMessage> {
  const { signal, url } = request;
  signal?.throwIfAborted();
  let sending = await send(request, patience);
  // The server had closed the line while it rested, and has said nothing since: it is asked once more, on a new one.
  if (sending.type === "failed" && sending.isStale && !signal?.aborted) {
    closeResting(url);
    sending = await send(request, patience);
  }
  if (sending.type === "answered") return sending.answer;
  signal?.throwIfAborted();
  // In the words of Node's `fetch`, which packages know.
  throw new TypeError("fetch failed", { cause: sending.cause });
}
