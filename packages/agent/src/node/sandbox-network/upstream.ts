/** Opens connections to checked addresses, directly or through the proxy that the user's environment names. Never resolves a name again. */

import { type ClientRequest, type OutgoingHttpHeaders, request as sendRequest } from "node:http";
import { BlockList, connect, isIP, isIPv6, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { pinLookup, type Route } from "../web/public-address.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A route whose name only the upstream proxy can resolve has no addresses. */
export type DialRoute = Pick<Route, "url" | "host" | "port" | "addresses">;

const CONNECT_TIMEOUT_MS = 30_000;
const MAX_REPLY_BYTES = 16_384;

/** The proxy to use for a URL; null for a direct connection. Throws if the named proxy cannot be used. */
export function chooseUpstream({ protocol, hostname, port }: URL, environment: Environment): URL | null {
  const scheme = protocol === "https:" ? "https" : "http";
  const proxySetting = readVariable(environment, `${scheme}_proxy`) ?? readVariable(environment, "all_proxy");
  if (!proxySetting) return null;
  const host = hostname.replace(/^\[|\]$/g, "");
  const portText = port || (scheme === "https" ? "443" : "80");
  const exceptions = (readVariable(environment, "no_proxy") ?? "").split(/[\s,]+/).filter((each) => each !== "");
  if (exceptions.some((each) => isException(each.toLowerCase(), { host, port: portText }))) return null;
  const upstream = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(proxySetting) ? proxySetting : `http://${proxySetting}`);
  if (upstream?.protocol === "http:" || upstream?.protocol === "https:") return upstream;
  throw new Error("the proxy in the environment is not an http:// or https:// proxy; other kinds are not supported");
}

/** The lower-case name has priority. */
function readVariable(environment: Environment, name: string): string | undefined {
  return environment[name] || environment[name.toUpperCase()] || undefined;
}

interface Target {
  readonly host: string;
  readonly port: string;
}

/** An exception is a host with its subdomains, with or without a port, a network, or `*` for everything. */
function isException(exception: string, { host, port }: Target): boolean {
  if (exception === "*") return true;
  if (exception.includes("/")) return isInNetwork(host, exception);
  const [, name = "", onlyPort] =
    /^\[?(.*?)\]?(?::(\d+))?$/.exec(isIPv6(exception) ? `[${exception}]` : exception) ?? [];
  if (onlyPort !== undefined && onlyPort !== port) return false;
  const domain = name.replace(/^\*?\./, "");
  return domain !== "" && (host === domain || host.endsWith(`.${domain}`));
}

function isInNetwork(host: string, network: string): boolean {
  const [start = "", bits = ""] = network.split("/");
  const version = isIP(start);
  const maxBits = version === 4 ? 32 : 128;
  if (version === 0 || isIP(host) !== version || !/^\d+$/.test(bits) || Number(bits) > maxBits) return false;
  const family = version === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(start, Number(bits), family);
  return list.check(host, family);
}

export interface DialOptions {
  readonly upstream: URL | null;
  readonly signal: AbortSignal;
}

/** Connects to the route's host and port, directly or through a tunnel of the upstream proxy. */
export async function openTunnel(route: DialRoute, { upstream, signal }: DialOptions): Promise<Socket> {
  if (upstream === null) {
    const { host, port, addresses } = route;
    const socket = connect({ host, port, lookup: pinLookup(addresses), autoSelectFamily: true, allowHalfOpen: true });
    return await waitForOpen(socket, "connect", signal);
  }
  const socket = await connectUpstream(upstream, signal);
  try {
    await requestTunnel(socket, { route, upstream, signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** The user configured this proxy, so its name is resolved as usual and may have any address. */
function connectUpstream(upstream: URL, signal: AbortSignal): Promise<Socket> {
  const host = upstream.hostname.replace(/^\[|\]$/g, "");
  const isTls = upstream.protocol === "https:";
  const port = Number(upstream.port || (isTls ? 443 : 80));
  if (!isTls) return waitForOpen(connect({ host, port, allowHalfOpen: true }), "connect", signal);
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return waitForOpen(connectTls({ host, port, ...servername }), "secureConnect", signal);
}

function waitForOpen(socket: Socket, event: "connect" | "secureConnect", signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const stop = (): void => void socket.destroy(new Error("the connection was cancelled"));
    const timer = setTimeout(() => socket.destroy(new Error("the host did not respond")), CONNECT_TIMEOUT_MS);
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    };
    signal.addEventListener("abort", stop, { once: true });
    socket.once("error", reject).once("close", settle);
    socket.once(event, () => {
      settle();
      socket.removeListener("error", reject);
      resolve(socket);
    });
    if (signal.aborted) stop();
  });
}

interface TunnelRequest extends DialOptions {
  readonly route: DialRoute;
  readonly upstream: URL;
}

/** Requests a tunnel from an upstream proxy. Bytes of the host after the proxy's reply stay in the socket. */
async function requestTunnel(socket: Socket, { route, upstream, signal }: TunnelRequest): Promise<void> {
  const target = `${isIPv6(route.host) ? `[${route.host}]` : route.host}:${route.port}`;
  const authorization = proxyAuthorization(upstream);
  const lines = [`CONNECT ${target} HTTP/1.1`, `Host: ${target}`];
  if (authorization) lines.push(`Proxy-Authorization: ${authorization}`);
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  const reply = await readReply(socket, signal);
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(reply)?.[1];
  if (status !== "200")
    throw new Error(`the proxy in the environment replied ${status ?? "with something other than HTTP"}`);
}

function readReply(socket: Socket, signal: AbortSignal): Promise<string> {
  let reply = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => finish(() => reject(new Error(why)));
    const stop = (): void => fail("the connection was cancelled");
    const onClosed = (): void => fail("the proxy in the environment closed the connection");
    const timer = setTimeout(() => fail("the proxy in the environment did not respond"), CONNECT_TIMEOUT_MS);
    const onData = (chunk: Buffer): void => {
      reply = Buffer.concat([reply, chunk]);
      const end = reply.indexOf("\r\n\r\n");
      if (end === -1) {
        if (reply.length > MAX_REPLY_BYTES) fail("the proxy's reply is too long");
        return;
      }
      socket.pause();
      const rest = reply.subarray(end + 4);
      finish(() => resolve(reply.toString("latin1", 0, end)));
      if (rest.length > 0) socket.unshift(rest);
    };
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      socket.off("data", onData).off("error", onClosed).off("close", onClosed).off("end", onClosed);
      settle();
    };
    socket.on("data", onData).on("error", onClosed).on("close", onClosed).on("end", onClosed);
    signal.addEventListener("abort", stop, { once: true });
  });
}

export interface PlainRequest extends DialOptions {
  readonly method: string;
  /** The path from the first slash on, as the client wrote it. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
}

/** Creates a plain HTTP request on its own connection; nothing is sent yet. */
export function openRequest(
  route: DialRoute,
  { upstream, signal, method, path, headers }: PlainRequest,
): ClientRequest {
  const { url, host, port, addresses } = route;
  const common = { method, signal, setHost: false };
  const ownHeaders = { ...headers, host: url.host };
  if (upstream === null)
    return sendRequest({
      ...common,
      agent: false,
      host,
      port,
      path,
      headers: ownHeaders,
      lookup: pinLookup(addresses),
    });
  const authorization = proxyAuthorization(upstream);
  return sendRequest({
    ...common,
    path: `http://${url.host}${path}`,
    headers: { ...ownHeaders, ...(authorization && { "proxy-authorization": authorization }) },
    // Only used without an agent.
    createConnection: (_, callback) => {
      connectUpstream(upstream, signal).then(
        (socket) => callback(null, socket),
        (error: Error) => callback(error, undefined as never),
      );
      return undefined;
    },
  });
}

function proxyAuthorization({ username, password }: URL): string | null {
  if (username === "") return null;
  const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(plain).toString("base64")}`;
}
