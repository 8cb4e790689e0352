/** Opens a web page within limits of time, size and redirects; a failure is returned as a value. */

import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { WebFailed, WebOptions, WebPage, WebRefused, WebResult } from "../../ports.ts";
import { errorCode } from "../safe-files.ts";
import {
  parseDestination,
  pinLookup,
  type ResolveHost,
  type Route,
  resolveRoute,
  resolveWithSystem,
  webFailure,
  webRefusal,
} from "./public-address.ts";

export interface PageRequestOptions {
  readonly signal: AbortSignal;
  /** The connect timeout in milliseconds. */
  readonly connectMs: number;
}

/**
 * Connects to a checked address and never resolves the name; the name is used in the Host header and in TLS. Resolves as soon as the
 * headers arrive; the caller reads the body or destroys the response.
 */
export function requestPage(
  { url, addresses }: Route,
  { signal, connectMs }: PageRequestOptions,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sendRequest = url.protocol === "https:" ? httpsRequest : httpRequest;
  const request = sendRequest(url, {
    // No shared connections and no proxy from the environment.
    agent: false,
    headers: REQUEST_HEADERS,
    lookup: pinLookup(addresses),
    rejectUnauthorized: true,
    signal,
  });
  request.once("response", resolve).on("error", reject);
  limitConnectTime(request, { connectMs, connectedEvent: url.protocol === "https:" ? "secureConnect" : "connect" });
  request.end();
  return promise;
}

const REQUEST_HEADERS = {
  "user-agent": "pith",
  accept: "text/markdown, text/html;q=0.9, application/json;q=0.9, text/*;q=0.8, */*;q=0.5",
  "accept-encoding": "gzip, deflate, br",
};

interface ConnectOptions {
  readonly connectMs: number;
  readonly connectedEvent: "connect" | "secureConnect";
}

function limitConnectTime(request: ClientRequest, { connectMs, connectedEvent }: ConnectOptions): void {
  const timer = setTimeout(() => request.destroy(new ConnectTimeout()), connectMs);
  const stop = (): void => clearTimeout(timer);
  request.once("socket", (socket) => socket.once(connectedEvent, stop)).once("close", stop);
}

class ConnectTimeout extends Error {
  override readonly name: string = "ConnectTimeout";
}

export interface FailureContext {
  /** The caller's signal. */
  readonly signal: AbortSignal;
  /** Aborts when the total time is over. */
  readonly deadline: AbortSignal;
}

function toWebFailure(error: unknown, { signal, deadline }: FailureContext): WebFailed {
  if (signal.aborted) return webFailure("aborted", "the fetch was aborted");
  if (deadline.aborted) return webFailure("timeout", "the page took too long to load");
  if (error instanceof ConnectTimeout) return webFailure("timeout", "the host did not respond");
  const code = errorCode(firstError(error));
  const message = error instanceof Error && error.message !== "" ? error.message : code || "unknown error";
  return UNREACHABLE.has(code)
    ? webFailure("unreachable", `the host cannot be reached: ${message}`)
    : webFailure("broken", `the page could not be read: ${message}`);
}

const UNREACHABLE: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "ETIMEDOUT",
]);

/** If several addresses were tried, the error of the first. */
function firstError(error: unknown): unknown {
  return error instanceof AggregateError && error.errors.length > 0 ? firstError(error.errors[0]) : error;
}

export interface PageBody {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
}

/** Decompresses while it reads, so that a small response cannot expand past the limit. */
async function readBody(response: IncomingMessage, maxBytes: number): Promise<PageBody> {
  try {
    return await readUpTo(decompress(response), maxBytes);
  } finally {
    response.destroy();
  }
}

function decompress(response: IncomingMessage): Readable {
  const encoding = response.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (encoding === "identity" || encoding === "") return response;
  const createDecompressor = decompressors.get(encoding);
  if (!createDecompressor) throw new Error(`the content encoding ${encoding} is not supported`);
  // Errors reach the reader through the last stream.
  return pipeline(response, createDecompressor(), () => {});
}

const decompressors: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

async function readUpTo(source: Readable, maxBytes: number): Promise<PageBody> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  const bytes = Buffer.concat(chunks);
  return { bytes: bytes.subarray(0, maxBytes), isWhole: size <= maxBytes };
}

export interface VisitRequest {
  readonly url: string;
  readonly allowedHosts: readonly string[];
  /** Redirects so far. */
  readonly hops: number;
  /** The requested host; redirects must stay on it. */
  readonly host?: string;
}

export interface VisitOptions {
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  readonly connectMs: number;
  readonly resolve: ResolveHost;
  readonly requestPage: typeof requestPage;
}

const MAX_REDIRECTS = 5;

/** Every hop is checked before a connection is made, redirects too. */
export async function visit(
  { url, allowedHosts, hops, host }: VisitRequest,
  options: VisitOptions,
): Promise<WebResult> {
  // Permission for one host does not cover another. The name is compared before it is resolved, because name servers would learn it.
  if (host !== undefined && isOtherHostName(url, host, allowedHosts)) return withRedirectNote(otherHostRefusal, url);
  const route = await resolveRoute(url, { ...options, allowedHosts });
  if (route.type !== "route") return hops === 0 ? route : withRedirectNote(route, url);
  const currentHost = withoutWww(route.url.hostname);
  if (host !== undefined && currentHost !== host) return withRedirectNote(otherHostRefusal, url);
  const response = await options.requestPage(route, options);
  const next = redirectTarget(route, response);
  if (next === null) return await readPage(route, response, options.maxBytes);
  response.destroy();
  if (hops === MAX_REDIRECTS) return webRefusal("too-many-redirects", `more than ${MAX_REDIRECTS} redirects`);
  if (isDowngrade(route, next)) return withRedirectNote(webRefusal("downgrade", "from https to http"), next);
  // A page of another host must not choose what is fetched from the user's own hosts.
  return await visit(
    { url: next, allowedHosts: route.isAllowed ? allowedHosts : [], hops: hops + 1, host: currentHost },
    options,
  );
}

const otherHostRefusal = webRefusal("elsewhere", "this is another host; fetch its URL directly");

function isOtherHostName(url: string, host: string, allowedHosts: readonly string[]): boolean {
  const destination = parseDestination(url, { allowedHosts });
  if (destination.type === "refused" || isIP(destination.host) !== 0) return false;
  return withoutWww(destination.url.hostname) !== host;
}

function withoutWww(host: string): string {
  return host.replace(/^www\./, "");
}

/** The URL of a redirect; null for a page. */
function redirectTarget({ url }: Route, { statusCode, headers }: IncomingMessage): string | null {
  if (!REDIRECT_STATUSES.has(statusCode ?? 0) || headers.location === undefined) return null;
  return URL.parse(headers.location, url.href)?.href ?? headers.location;
}

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function isDowngrade({ url }: Route, next: string): boolean {
  return url.protocol === "https:" && next.startsWith("http:");
}

function withRedirectNote<Result extends WebRefused | WebFailed>(outcome: Result, url: string): Result {
  return { ...outcome, message: `redirected to ${url}: ${outcome.message}` };
}

async function readPage({ url }: Route, response: IncomingMessage, maxBytes: number): Promise<WebPage> {
  const contentType = response.headers["content-type"] ?? null;
  const { bytes, isWhole } = await readBody(response, maxBytes);
  return { type: "page", url: url.href, status: response.statusCode ?? 0, contentType, bytes, isComplete: isWhole };
}

/** Options of `nodeWeb`. */
export interface NodeWebOptions {
  /** The user's own hosts as `host:port`. They may have private addresses; pages of other hosts cannot redirect to them. */
  readonly allowedHosts?: readonly string[];
  /** Resolves a name to all its addresses; the system's resolver by default. */
  readonly resolve?: ResolveHost;
  /** The connect timeout in milliseconds; 10 seconds by default. */
  readonly connectMs?: number;
  /** Milliseconds for everything, including redirects and body; 30 seconds by default. */
  readonly totalMs?: number;
}

export async function openPage(url: string, openOptions: WebOptions, options: NodeWebOptions): Promise<WebResult> {
  const { allowedHosts = [], resolve = resolveWithSystem, connectMs = 10_000, totalMs = 30_000 } = options;
  const deadline = AbortSignal.timeout(totalMs);
  const signal = AbortSignal.any([openOptions.signal, deadline]);
  try {
    const limits = { signal, maxBytes: openOptions.maxBytes, connectMs };
    return await visit({ url, allowedHosts, hops: 0 }, { ...limits, resolve, requestPage });
  } catch (error) {
    return toWebFailure(error, { signal: openOptions.signal, deadline });
  }
}
