/** The HTTP proxy of a sandbox, for CONNECT and plain requests. It checks the command and the host before it resolves a name. */

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
  type PrivateHosts,
  parseDestination,
  type ResolveHost,
  refusedKind,
  resolveRoute,
  resolveWithSystem,
} from "../web/public-address.ts";
import { connectSockets } from "./namespace.ts";
import { chooseUpstream, type DialRoute, type Environment, openRequest, openTunnel } from "./upstream.ts";

/** A command that may use the proxy. */
export interface ProxyCommand {
  /** Ends all its connections. */
  readonly signal: AbortSignal;
  /** Functions that end and report each open connection. */
  readonly connections: Set<() => void>;
  readonly onConnection: (connection: NetworkConnection) => void;
  /** Returns null if the command may reach the host, else the reason. */
  permit(destination: Destination, signal: AbortSignal): Promise<string | null>;
}

export interface ProxyOptions {
  /** The command with these credentials; null where there is none. */
  readonly findCommand: (authorization: string | undefined) => ProxyCommand | null;
  /** Resolves a name to all its addresses; the system's resolver by default. */
  readonly resolve?: ResolveHost | undefined;
  /** Hosts that may have private addresses, as `host:port`. */
  readonly privateHosts: readonly string[];
  /** Whether a host may be in the user's network, such as a package registry of a company. Not asked about the others. */
  readonly isRegistry?: IsRegistry | undefined;
  /** May name the user's own proxy. */
  readonly environment: Environment;
}

/** Whether the user's own configuration names this host and port as a package registry. */
export type IsRegistry = (host: string, port: number) => Promise<boolean>;

const MAX_HEADER_BYTES = 64 * 1024;
const HEADERS_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 60_000;
const IDLE_TIMEOUT_MS = 15 * 60_000;
const MAX_CONNECTIONS = 256;
/** For all commands together, including clients that have not sent credentials yet: each socket is a file descriptor of this process. */
const MAX_SOCKETS = 1_024;
const MAX_EARLY_BYTES = 64 * 1024;

/** Serves a socket that is already listening. */
export function startProxy(listeningSocket: NetServer, options: ProxyOptions): Server {
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // A question to the user has no time limit.
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

/** Checks in the order that leaks nothing: command, spelling of the host, permission, and only then the address of the name. */
async function admit(
  target: Target,
  request: ProxyRequest,
  options: ProxyOptions,
): Promise<Refusal | AdmittedConnection> {
  const command = options.findCommand(request.headers["proxy-authorization"]);
  if (command === null) return createRefusal(407, "the sandbox proxy serves only commands that run in the sandbox");
  const destination = await readDestination(target, options);
  if ("status" in destination) return reportRefusal(command, destination, parseReportedAddress(target));
  const { host, port } = destination;
  if (command.connections.size >= MAX_CONNECTIONS)
    return reportRefusal(command, createRefusal(503, `this command already has ${MAX_CONNECTIONS} connections`), {
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
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

async function chooseRoute(
  url: string,
  request: { readonly destination: Destination; readonly command: ProxyCommand; readonly signal: AbortSignal },
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
    networkHosts: (await isRegistry(destination, options)) ? [addressOf(destination)] : [],
    signal,
  });
  if (route.type === "route") return { type: "allowed", route, upstream };
  // In company networks often only the proxy can resolve names.
  if (route.type === "failed" && upstream)
    return { type: "allowed", route: { ...destination, addresses: [] }, upstream };
  return createRefusal(route.type === "refused" ? 403 : 502, route.message);
}

/** Letters, digits, hyphens, dots and underscores, or an address in brackets: nothing that two parsers could interpret differently. */
const HOST_PATTERN = String.raw`(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])`;
const TUNNEL_TARGET = new RegExp(`^${HOST_PATTERN}:\\d{1,5}$`, "i");
const PLAIN_TARGET = new RegExp(`^http://${HOST_PATTERN}(?::\\d{1,5})?(?:[/?]|$)`, "i");

/** Only a destination that would be refused otherwise is looked up among the registries. */
async function readDestination(target: Target, options: ProxyOptions): Promise<Destination | Refusal> {
  const destination = checkTarget(target, { allowedHosts: options.privateHosts });
  const url = URL.parse(toUrl(target));
  if (!("status" in destination) || url === null) return destination;
  const port = Number(url.port || (target.isTunnel ? 443 : 80));
  const address = { host: url.hostname.replace(/^\[|\]$/g, ""), port, url };
  if (destination.status !== 403 || !(await isRegistry(address, options))) return destination;
  return checkTarget(target, { allowedHosts: options.privateHosts, networkHosts: [addressOf(address)] });
}

async function isRegistry({ host, port }: HostAddress, options: ProxyOptions): Promise<boolean> {
  return (await options.isRegistry?.(host, port)) ?? false;
}

type HostAddress = Pick<Destination, "host" | "port" | "url">;

function addressOf({ url, port }: HostAddress): string {
  return `${url.hostname}:${port}`;
}

function checkTarget({ text, isTunnel }: Target, privateHosts: PrivateHosts): Destination | Refusal {
  if (!(isTunnel ? TUNNEL_TARGET : PLAIN_TARGET).test(text))
    return createRefusal(400, "the host must be a plain name or address");
  const destination = parseDestination(toUrl({ text, isTunnel }), privateHosts);
  if (destination.type === "refused") return createRefusal(403, destination.message);
  const { host } = destination;
  if (host.length > MAX_HOST_CHARS)
    return createRefusal(400, `the host name is longer than ${MAX_HOST_CHARS} characters`);
  const addressKind = isIP(host) === 0 ? null : refusedKind(destination, host);
  return addressKind
    ? createRefusal(403, `${host} is not on the public internet (${addressKind} address)`)
    : destination;
}

/** The limit of DNS. */
const MAX_HOST_CHARS = 253;

/** What a client requests: the host and port of a tunnel, or the URL of a plain request. */
interface Target {
  readonly text: string;
  readonly isTunnel: boolean;
}

function toUrl({ text, isTunnel }: Target): string {
  return isTunnel ? `https://${text}/` : text;
}

/** Only for the report. */
function parseReportedAddress({ text }: Target): { readonly host: string; readonly port: number } {
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

  /** Aborts when the connection ends. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Sets the connection to the host, whose bytes are counted. */
  track(socket: Socket): void {
    this.#socket = socket;
    socket.once("close", () => this.end());
  }

  /** A connection that ends before the host is reached counts as refused. */
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
  /** Bytes after the headers of the request. */
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

/** Reads the socket while the client waits, to notice when it disconnects. */
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
  // The rest of the input is not read.
  socket.setTimeout(KEEP_ALIVE_MS, () => socket.destroy());
}

/** The reason is in the status line too: many clients show only that. */
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
    : createRefusal(400, "this is a proxy; it accepts only CONNECT and requests for http:// URLs");
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
    outgoing.setTimeout(IDLE_TIMEOUT_MS, () => outgoing.destroy(new Error("the host did not respond")));
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

/** Headers of a single connection, together with those that `Connection` names. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  ...["connection", "proxy-connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"],
  ...["proxy-authenticate", "proxy-authorization", "proxy-authentication-info"],
]);

/** The body is framed again: chunked if it has no length. */
function toForwardedHeaders(request: IncomingMessage): OutgoingHttpHeaders {
  const isChunked = request.headers["transfer-encoding"] !== undefined;
  // A Map, because a header may be called `constructor`.
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
 * Alternating names and values, without headers of a single connection. Content-Length always stays: without it the user's proxy would
 * read the body as a second request, to a host that was not checked.
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
