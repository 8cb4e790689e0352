/** Opens a web page within limits of time, size and redirects; a failure is returned as a value. */

import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, isIPv6, type LookupFunction } from "node:net";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { WebAct, WebFailed, WebOpened, WebPage, WebRefused } from "../../ports.ts";
import { codeOf } from "../safe-files.ts";
import { destinationOf, failed, type Resolve, type Route, refused, routeTo, systemResolve } from "./public-address.ts";

export interface AskAct {
  readonly signal: AbortSignal;
  /** Milliseconds until a connection stands. */
  readonly connectMs: number;
}

/**
 * The name is never resolved here: the request goes to a checked address, and the name stays in Host and in TLS. The answer as soon as its
 * head is here; whoever asked reads its body or destroys it.
 */
export function ask({ url, addresses }: Route, { signal, connectMs }: AskAct): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const request = send(url, {
    // Neither the connections of others nor a proxy from the environment.
    agent: false,
    headers,
    lookup: pinnedTo(addresses),
    rejectUnauthorized: true,
    signal,
  });
  request.once("response", resolve).on("error", reject);
  limitConnecting(request, { connectMs, connected: url.protocol === "https:" ? "secureConnect" : "connect" });
  request.end();
  return promise;
}

const headers = {
  "user-agent": "pith",
  accept: "text/markdown, text/html;q=0.9, application/json;q=0.9, text/*;q=0.8, */*;q=0.5",
  "accept-encoding": "gzip, deflate, br",
};

function pinnedTo(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_name, { all }, tell) => {
    const [first] = found;
    if (all === true || first === undefined) tell(null, found);
    else tell(null, first.address, first.family);
  };
}

interface Connecting {
  readonly connectMs: number;
  readonly connected: "connect" | "secureConnect";
}

function limitConnecting(request: ClientRequest, { connectMs, connected }: Connecting): void {
  const timer = setTimeout(() => request.destroy(new ConnectTimeout()), connectMs);
  const stop = (): void => clearTimeout(timer);
  request.once("socket", (socket) => socket.once(connected, stop)).once("close", stop);
}

export class ConnectTimeout extends Error {
  override readonly name: string = "ConnectTimeout";
}

export interface Limits {
  /** Of whoever asked. */
  readonly signal: AbortSignal;
  /** Runs out when the whole took too long. */
  readonly deadline: AbortSignal;
}

export function failureOf(error: unknown, { signal, deadline }: Limits): WebFailed {
  if (signal.aborted) return failed("aborted", "it was broken off");
  if (deadline.aborted) return failed("timeout", "the page took too long");
  if (error instanceof ConnectTimeout) return failed("timeout", "the host does not answer");
  const code = codeOf(firstOf(error));
  const message = error instanceof Error && error.message !== "" ? error.message : code || "no reason was given";
  return UNREACHABLE.has(code)
    ? failed("unreachable", `the host cannot be reached: ${message}`)
    : failed("broken", `the page could not be read: ${message}`);
}

const UNREACHABLE: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "ETIMEDOUT",
]);

/** Where several addresses were tried, what went wrong with the first. */
function firstOf(error: unknown): unknown {
  return error instanceof AggregateError && error.errors.length > 0 ? firstOf(error.errors[0]) : error;
}

export interface Body {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
}

/** Unpacks while it reads, so that a small response cannot become a large one. */
export async function bodyOf(response: IncomingMessage, mostBytes: number): Promise<Body> {
  try {
    return await upTo(unpacked(response), mostBytes);
  } finally {
    response.destroy();
  }
}

function unpacked(response: IncomingMessage): Readable {
  const packing = response.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (packing === "identity" || packing === "") return response;
  const unpack = unpackers.get(packing);
  if (!unpack) throw new Error(`it is packed in a way we did not ask for (${packing})`);
  // What goes wrong on the way reaches the reader as an error of the last stream.
  return pipeline(response, unpack(), () => {});
}

const unpackers: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

async function upTo(source: Readable, mostBytes: number): Promise<Body> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > mostBytes) break;
  }
  const bytes = Buffer.concat(chunks);
  return { bytes: bytes.subarray(0, mostBytes), isWhole: size <= mostBytes };
}

export interface Visit {
  readonly url: string;
  readonly allowedHosts: readonly string[];
  /** Redirects so far. */
  readonly hops: number;
  /** The host that was asked for; a redirect stays there. */
  readonly host?: string;
}

export interface VisitAct {
  readonly signal: AbortSignal;
  readonly mostBytes: number;
  readonly connectMs: number;
  readonly resolve: Resolve;
  readonly ask: typeof ask;
}

const MOST_REDIRECTS = 5;

/** Every hop is checked before it is dialled, a redirect as well as the first. */
export async function visit({ url, allowedHosts, hops, host }: Visit, act: VisitAct): Promise<WebOpened> {
  // Whoever permitted the one host has not permitted the other. A name is compared before it is looked up: name servers would learn it.
  if (host !== undefined && isOtherName(url, host, allowedHosts)) return redirected(elsewhere, url);
  const route = await routeTo(url, { ...act, allowedHosts });
  if (route.type !== "route") return hops === 0 ? route : redirected(route, url);
  const here = withoutWww(route.url.hostname);
  if (host !== undefined && here !== host) return redirected(elsewhere, url);
  const response = await act.ask(route, act);
  const next = redirection(route, response);
  if (next === null) return await pageAt(route, response, act.mostBytes);
  response.destroy();
  if (hops === MOST_REDIRECTS) return refused("too-many-redirects", `more than ${MOST_REDIRECTS} redirects`);
  if (isDowngrade(route, next)) return redirected(refused("downgrade", "from https to http"), next);
  // A page from elsewhere must not choose what is fetched from the user's own hosts.
  return await visit({ url: next, allowedHosts: route.isAllowed ? allowedHosts : [], hops: hops + 1, host: here }, act);
}

const elsewhere = refused("elsewhere", "that is another host; fetch it by its own address");

function isOtherName(url: string, host: string, allowedHosts: readonly string[]): boolean {
  const destination = destinationOf(url, allowedHosts);
  if (destination.type === "refused" || isIP(destination.host) !== 0) return false;
  return withoutWww(destination.url.hostname) !== host;
}

function withoutWww(host: string): string {
  return host.replace(/^www\./, "");
}

/** Where an answer sends us; null where it is the page itself. */
function redirection({ url }: Route, { statusCode, headers }: IncomingMessage): string | null {
  if (!REDIRECTS.has(statusCode ?? 0) || headers.location === undefined) return null;
  return URL.parse(headers.location, url.href)?.href ?? headers.location;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function isDowngrade({ url }: Route, next: string): boolean {
  return url.protocol === "https:" && next.startsWith("http:");
}

function redirected<Outcome extends WebRefused | WebFailed>(outcome: Outcome, url: string): Outcome {
  return { ...outcome, message: `redirected to ${url}: ${outcome.message}` };
}

async function pageAt({ url }: Route, response: IncomingMessage, mostBytes: number): Promise<WebPage> {
  const contentType = response.headers["content-type"] ?? null;
  const { bytes, isWhole } = await bodyOf(response, mostBytes);
  return { type: "page", url: url.href, status: response.statusCode ?? 0, contentType, bytes, isWhole };
}

export interface NodeWebParts {
  /** Hosts of the user that may be anywhere, as `host:port`; a page from elsewhere cannot redirect to them. */
  readonly allowedHosts?: readonly string[];
  /** All addresses of a name; by the system unless said. */
  readonly resolve?: Resolve;
  /** Milliseconds until a connection stands; 10 seconds unless said. */
  readonly connectMs?: number;
  /** Milliseconds for everything, redirects and body too; 30 seconds unless said. */
  readonly wholeMs?: number;
}

export async function openPage(url: string, act: WebAct, parts: NodeWebParts): Promise<WebOpened> {
  const { allowedHosts = [], resolve = systemResolve, connectMs = 10_000, wholeMs = 30_000 } = parts;
  const deadline = AbortSignal.timeout(wholeMs);
  const signal = AbortSignal.any([act.signal, deadline]);
  try {
    const limits = { signal, mostBytes: act.mostBytes, connectMs };
    return await visit({ url, allowedHosts, hops: 0 }, { ...limits, resolve, ask });
  } catch (error) {
    return failureOf(error, { signal: act.signal, deadline });
  }
}
