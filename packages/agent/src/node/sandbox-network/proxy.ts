/** The HTTP proxy of a sandbox: CONNECT and plain requests, each checked for its command and its host before a name is resolved. */

import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import { isIP, type Server as NetServer, type Socket } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import type { NetworkConnection } from "../../ports.ts";
import {
  type Destination,
  nonPublicKind,
  parseDestination,
  type ResolveHost,
  resolveRoute,
  resolveWithSystem,
} from "../web/public-address.ts";
import { connectSockets } from "./namespace.ts";
import { chooseUpstream, type DialRoute, type Environment, openRequest, openTunnel } from "./upstream.ts";

/** A command that may use the proxy. */
export interface ProxyCommand {
  /** Ends all its connections. */
  readonly signal: AbortSignal;
  /** Its open connections; each reports by itself when it is told to end. */
  readonly connections: Set<() => void>;
  readonly onConnection: (connection: NetworkConnection) => void;
  /** Null where it may reach the host, else why not. */
  permit(destination: Destination, signal: AbortSignal): Promise<string | null>;
}

export interface ProxyOptions {
  /** The command with these credentials; null where there is none. */
  readonly findCommand: (authorization: string | undefined) => ProxyCommand | null;
  /** All addresses of a name; by the system unless said. */
  readonly resolve?: ResolveHost | undefined;
  /** Hosts that may have private addresses, as `host:port`. */
  readonly privateHosts: readonly string[];
  /** Names the user's own proxy, if there is one. */
  readonly environment: Environment;
}

const MAX_HEADER_BYTES = 64 * 1024;
const HEADERS_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 60_000;
/** Of a connection over which nothing goes in either direction. */
const IDLE_TIMEOUT_MS = 15 * 60_000;
const MAX_CONNECTIONS = 256;
/** Of all commands together, and of whoever has not said yet which one it is: each takes a file of this process. */
const MAX_SOCKETS = 1_024;
const MAX_EARLY_BYTES = 64 * 1024;

/** Serves what connects to a socket that listens already. */
export function startProxy(listeningSocket: NetServer, options: ProxyOptions): Server {
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // A question to the user may take as long as it takes.
    requestTimeout: 0,
  });
  server.maxConnections = MAX_SOCKETS;
  server.on("connect", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    handleConnect(request, { socket: socket as Socket, head }, options).catch(() => socket.destroy());
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    handleRequest(request, response, options).catch(() => response.destroy());
  });
  server.on("clientError", (_, socket) => socket.destroy());
  return server.listen(listeningSocket).unref();
}

interface Refusal {
  readonly type: "refused";
  readonly status: 400 | 403 | 407 | 502 | 503;
  readonly why: string;
}

interface AdmittedConnection {
  readonly type: "allowed";
  readonly route: DialRoute;
  readonly upstream: URL | null;
  readonly record: ConnectionRecord;
}

function createRefusal(status: Refusal["status"], why: string): Refusal {
  return { type: "refused", status, why };
}

/** What is asked for, in the order in which nothing can leak: command, spelling of the host, permission, and only then the name's address. */
async function admit(
  target: Target,
  request: ProxyRequest,
  options: ProxyOptions,
): Promise<Refusal | AdmittedConnection> {
  const command = options.findCommand(request.headers["proxy-authorization"]);
  if (command === null)
    return createRefusal(407, "the proxy of the sandbox answers only commands that Pith runs in it");
  const destination = readDestination(target, options.privateHosts);
  if ("status" in destination) return reportRefusal(command, destination, reportedAddress(target));
  const { host, port } = destination;
  if (command.connections.size >= MAX_CONNECTIONS)
    return reportRefusal(command, createRefusal(503, `this command has ${MAX_CONNECTIONS} connections already`), {
      host,
      port,
    });
  const record = new ConnectionRecord(command, { host, port });
  const outcome = await chooseRoute(toUrl(target), { destination, command, signal: request.signal }, options).catch(
    (error: unknown) => createRefusal(502, errorMessage(error)),
  );
  if (outcome.type === "refused") record.end(outcome.why);
  return outcome.type === "refused" ? outcome : { ...outcome, record };
}

interface ProxyRequest extends Pick<IncomingMessage, "headers"> {
  /** Of the client. */
  readonly signal: AbortSignal;
}

interface RouteRequest {
  readonly destination: Destination;
  readonly command: ProxyCommand;
  readonly signal: AbortSignal;
}

async function chooseRoute(
  url: string,
  request: RouteRequest,
  options: ProxyOptions,
): Promise<Refusal | Omit<AdmittedConnection, "record">> {
  const { destination, command } = request;
  const signal = AbortSignal.any([request.signal, command.signal]);
  const why = await command.permit(destination, signal);
  signal.throwIfAborted();
  if (why !== null) return createRefusal(403, why);
  const upstream = chooseUpstream(destination.url, options.environment);
  const route = await resolveRoute(url, {
    resolve: options.resolve ?? resolveWithSystem,
    allowedHosts: options.privateHosts,
    signal,
  });
  if (route.type === "route") return { type: "allowed", route, upstream };
  // Behind a company's proxy often only that proxy can resolve names.
  if (route.type === "failed" && upstream)
    return { type: "allowed", route: { ...destination, addresses: [] }, upstream };
  return createRefusal(route.type === "refused" ? 403 : 502, route.message);
}

/** Letters, digits, hyphens, dots and underscores, or an address in brackets: nothing that two parsers could read differently. */
const HOST_PATTERN = String.raw`(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])`;
const TUNNEL_TARGET = new RegExp(`^${HOST_PATTERN}:\\d{1,5}$`, "i");
const PLAIN_TARGET = new RegExp(`^http://${HOST_PATTERN}(?::\\d{1,5})?(?:[/?]|$)`, "i");

function readDestination({ text, isTunnel }: Target, privateHosts: readonly string[]): Destination | Refusal {
  if (!(isTunnel ? TUNNEL_TARGET : PLAIN_TARGET).test(text))
    return createRefusal(400, "the host is not written as a plain name or address");
  const destination = parseDestination(toUrl({ text, isTunnel }), privateHosts);
  if (destination.type === "refused") return createRefusal(403, destination.message);
  const { host, isAllowed } = destination;
  if (host.length > MAX_HOST_CHARS)
    return createRefusal(400, `no host has a name of more than ${MAX_HOST_CHARS} letters`);
  const addressKind = isAllowed || isIP(host) === 0 ? null : nonPublicKind(host);
  return addressKind
    ? createRefusal(403, `${host} is not on the public internet (${addressKind} address)`)
    : destination;
}

/** Of a host, in the system of names. What is longer would only fill the model's view of the result. */
const MAX_HOST_CHARS = 253;

/** What a client asks for: the host and port of a tunnel, or the URL of a plain request. */
interface Target {
  readonly text: string;
  readonly isTunnel: boolean;
}

function toUrl({ text, isTunnel }: Target): string {
  return isTunnel ? `https://${text}/` : text;
}

/** For the report alone. */
function reportedAddress({ text }: Target): { readonly host: string; readonly port: number } {
  const [, host = "", port] = /^(?:http:\/\/)?([^/?#]*?)(?::(\d+))?(?:[/?#]|$)/i.exec(text) ?? [];
  return { host: toPrintable(host).slice(0, MAX_HOST_CHARS), port: Number(port ?? 0) };
}

function reportRefusal(
  command: ProxyCommand,
  refusal: Refusal,
  address: { readonly host: string; readonly port: number },
): Refusal {
  command.onConnection({ ...address, outcome: "refused", why: refusal.why, sentBytes: 0, receivedBytes: 0 });
  return refusal;
}

/** Reports a connection once: when it is refused, when it ends, or when its command ends. */
class ConnectionRecord {
  readonly #command: ProxyCommand;
  readonly #address: { readonly host: string; readonly port: number };
  #socket: Socket | null = null;
  readonly #controller = new AbortController();

  constructor(command: ProxyCommand, address: { readonly host: string; readonly port: number }) {
    this.#command = command;
    this.#address = address;
    command.connections.add(this.end);
  }

  /** Ends with the connection. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The connection to the host, whose bytes are counted. */
  track(socket: Socket): void {
    this.#socket = socket;
    socket.once("close", () => this.end());
  }

  /** Refused is whatever ends before there is a connection to the host. */
  readonly end = (why?: string): void => {
    if (!this.#command.connections.delete(this.end)) return;
    const { bytesWritten: sentBytes = 0, bytesRead: receivedBytes = 0 } = this.#socket ?? {};
    const ending =
      this.#socket === null
        ? ({ outcome: "refused", why: why ?? GIVEN_UP_REASON } as const)
        : ({ outcome: "allowed", ...(why !== undefined && { why }) } as const);
    this.#command.onConnection({ ...this.#address, ...ending, sentBytes, receivedBytes });
    this.#controller.abort();
    this.#socket?.destroy();
  };
}

const GIVEN_UP_REASON = "the command did not wait for the connection";

interface Client {
  readonly socket: Socket;
  /** What came behind the head of the request. */
  readonly head: Buffer;
}

async function handleConnect(request: IncomingMessage, { socket, head }: Client, options: ProxyOptions): Promise<void> {
  const early = bufferEarlyBytes(socket, head);
  const admission = await admit(
    { text: request.url ?? "", isTunnel: true },
    { headers: request.headers, signal: early.signal },
    options,
  );
  if (admission.type === "refused") return refuseConnect(socket, admission);
  const { route, upstream, record } = admission;
  try {
    const signal = AbortSignal.any([early.signal, record.signal]);
    const host = await openTunnel(route, { upstream, signal });
    record.track(host);
    const earlyBytes = early.release();
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (earlyBytes.length > 0) host.write(earlyBytes);
    socket.setTimeout(IDLE_TIMEOUT_MS, () => socket.destroy());
    connectSockets(socket, host);
  } catch (error) {
    const failure = createRefusal(502, errorMessage(error));
    record.end(failure.why);
    refuseConnect(socket, failure);
  }
}

/** A client that goes away while it waits must be noticed, so its socket is read. */
function bufferEarlyBytes(socket: Socket, head: Buffer): { readonly signal: AbortSignal; release(): Buffer } {
  const clientGone = new AbortController();
  const chunks = [head];
  let size = head.length;
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_EARLY_BYTES) socket.destroy();
  };
  const onGone = (): void => clientGone.abort();
  socket.on("error", onGone).on("close", onGone).on("end", onGone).on("data", onData).resume();
  return {
    signal: clientGone.signal,
    release: () => {
      socket.pause().off("data", onData).off("end", onGone);
      return Buffer.concat(chunks);
    },
  };
}

function refuseConnect(socket: Socket, refusal: Refusal): void {
  if (socket.destroyed) return;
  const { status, phrase, headers, body } = createRefusalReply(refusal);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${phrase}\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
  // Whatever still comes is not read.
  socket.setTimeout(KEEP_ALIVE_MS, () => socket.destroy());
}

/** The reason stands in the status line too: many clients show only that. */
function createRefusalReply({ status, why }: Refusal): RefusalReply {
  const body = `Pith's sandbox did not connect: ${toPrintable(why)}\n`;
  const challenge = status === 407 ? { "Proxy-Authenticate": 'Basic realm="pith"' } : {};
  const headers = {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": String(Buffer.byteLength(body)),
    Connection: "close",
    ...challenge,
  };
  return { status, phrase: `Refused by Pith's sandbox: ${toPrintable(why).slice(0, 200)}`, headers, body };
}

interface RefusalReply {
  readonly status: number;
  readonly phrase: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function toPrintable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?");
}

async function handleRequest(request: IncomingMessage, response: ServerResponse, options: ProxyOptions): Promise<void> {
  const clientGone = new AbortController();
  response.once("close", () => response.writableFinished || clientGone.abort());
  const text = request.url ?? "";
  const isPlain = /^http:\/\//i.test(text);
  const admission = isPlain
    ? await admit({ text, isTunnel: false }, { headers: request.headers, signal: clientGone.signal }, options)
    : createRefusal(400, "this is a proxy; it takes CONNECT and requests for http:// URLs");
  if (admission.type === "refused") return refuseRequest(response, admission);
  const { route, upstream, record } = admission;
  const exchange = new Promise<void>((resolve, reject) => {
    const outgoing = openRequest(route, {
      upstream,
      signal: AbortSignal.any([clientGone.signal, record.signal]),
      method: request.method ?? "GET",
      path: requestPath(text),
      headers: toForwardedHeaders(request),
    });
    outgoing.once("socket", (socket) => record.track(socket));
    outgoing.on("error", reject);
    outgoing.once("response", (incoming) => {
      try {
        response.sendDate = false;
        response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage ?? "", endToEndHeaders(incoming));
        pipeline(incoming, response, () => resolve());
      } catch (error) {
        reject(error);
      }
    });
    outgoing.setTimeout(IDLE_TIMEOUT_MS, () => outgoing.destroy(new Error("the host does not answer")));
    pipeline(request, outgoing, () => {});
  });
  await exchange.catch((error: unknown) => {
    record.end(errorMessage(error));
    refuseRequest(response, createRefusal(502, errorMessage(error)));
  });
}

function refuseRequest(response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent) return void response.destroy();
  const { status, phrase, headers, body } = createRefusalReply(refusal);
  response.writeHead(status, phrase, headers).end(body);
}

function requestPath(url: string): string {
  const path = url.replace(/^http:\/\/[^/?#]*/i, "");
  return path.startsWith("/") ? path : `/${path}`;
}

/** They belong to one connection; what `Connection` names does too. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  ...["connection", "proxy-connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"],
  ...["proxy-authenticate", "proxy-authorization", "proxy-authentication-info"],
]);

/** The body is framed anew; where its length was not said, in chunks. */
function toForwardedHeaders(request: IncomingMessage): OutgoingHttpHeaders {
  const isChunked = request.headers["transfer-encoding"] !== undefined;
  // A name may be one that every object has, such as `constructor`.
  const headers = new Map<string, string[]>();
  const pairs = endToEndHeaders(request);
  for (let index = 0; index < pairs.length; index += 2) {
    const name = (pairs[index] ?? "").toLowerCase();
    if (name !== "host") headers.set(name, [...(headers.get(name) ?? []), pairs[index + 1] ?? ""]);
  }
  if (isChunked) headers.set("transfer-encoding", ["chunked"]);
  return Object.fromEntries(headers);
}

/**
 * Names and values by turns, without those that belong to one connection. The length of a body always stays: a body of unknown length
 * would be read as a request of its own by the user's proxy, to a host that nobody was asked about.
 */
function endToEndHeaders({ rawHeaders, headers }: IncomingMessage): string[] {
  const connectionHeaders = String(headers.connection ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "content-length");
  const pairs: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (HOP_BY_HOP.has(name.toLowerCase()) || connectionHeaders.includes(name.toLowerCase())) continue;
    pairs.push(name, rawHeaders[index + 1] ?? "");
  }
  return pairs;
}

function errorMessage(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return errorMessage(error.errors[0]);
  return error instanceof Error && error.message !== "" ? error.message : String(error);
}
