/** Provides a `fetchPackage` that uses the environment's proxy and, where needed, the system's certificates, and bounds its responses. */

import { httpFetch } from "./http-client.ts";
import { toPlainRequest } from "./http-request.ts";
import { limitResponses } from "./response-limits.ts";

let hasSystemCertificates = false;

/**
 * Adds the system's certificates to Node's. Reading them takes a tenth of a second, so only after one was missed.
 * Whether it is trusted from now on, or has been; false where Node is too old for it.
 */
export function trustSystemCertificates(): boolean {
  if (hasSystemCertificates) return true;
  const tls = process.getBuiltinModule("node:tls");
  if (typeof tls.setDefaultCACertificates !== "function") return false;
  hasSystemCertificates = true;
  const certificates = [...tls.getCACertificates("default"), ...tls.getCACertificates("system")];
  tls.setDefaultCACertificates([...new Set(certificates)]);
  return true;
}

/** Whether there is a proxy to use, and whether it can be used; nothing is changed by asking. */
export function detectProxy(environment: Environment): ProxyStatus {
  const proxies = Object.values(readProxyVariables(environment));
  if (proxies.length === 0) return "none";
  if (proxies.some((proxy) => URL.parse(proxy) === null)) return "invalid";
  const isSupported = process.env.NODE_USE_ENV_PROXY === "1" || proxySupport().setGlobalProxyFromEnv !== undefined;
  return isSupported ? "used" : "unsupported";
}

let installedProxy = "";

/** For the whole process: Node has one place for it. The same proxy is set once. */
export function installProxy(environment: Environment): void {
  if (detectProxy(environment) !== "used" || process.env.NODE_USE_ENV_PROXY === "1") return;
  const settings = { ...readProxyVariables(environment), no_proxy: formatNoProxy(environment) };
  if (installedProxy === JSON.stringify(settings)) return;
  installedProxy = JSON.stringify(settings);
  proxySupport().setGlobalProxyFromEnv?.(settings);
}

/** Whether Node's own `fetchPackage` may go through one: set here, or by whoever started Node. */
export function isProxyActive(): boolean {
  const { NODE_USE_ENV_PROXY, NODE_OPTIONS = "" } = process.env;
  const isRequested = [NODE_OPTIONS, ...process.execArgv].some((option) => option.includes("--use-env-proxy"));
  return installedProxy !== "" || NODE_USE_ENV_PROXY === "1" || isRequested;
}

export type ProxyStatus = "used" | "none" | "invalid" | "unsupported";

/** For people; nothing of a proxy's address, which may hold a password. */
export const proxyNotes: Readonly<Partial<Record<ProxyStatus, string>>> = {
  invalid: "the proxy that the environment names is no address, and is not used; write http://host:port",
  unsupported: "this Node cannot use the proxy that the environment names; set NODE_USE_ENV_PROXY=1, or use Node 24",
};

/** One's own machine is never behind a proxy. */
function formatNoProxy({ no_proxy, NO_PROXY }: Environment): string {
  return [no_proxy ?? NO_PROXY, "localhost", "127.0.0.1", "[::1]"].filter((each) => each).join(",");
}

// Loaded here: a program without a proxy need not wait for it.
function proxySupport(): ProxySupport {
  return process.getBuiltinModule("node:http");
}

/** Since Node 24. */
interface ProxySupport {
  readonly setGlobalProxyFromEnv?: (environment: Environment) => unknown;
}

function readProxyVariables(environment: Environment): Readonly<Record<string, string>> {
  const names = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];
  return Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, addScheme(environment[name])]] : [])));
}

/** Many write only host and port. */
function addScheme(address: string): string {
  return /^[a-z]+:\/\//i.test(address) ? address : `http://${address}`;
}

/** The same for the whole process: Node keeps proxy and certificates in one place. */
export function createNetworkFetch(environment: Environment): typeof fetch {
  installProxy(environment);
  return limitResponses(async (input, options) => {
    try {
      return await fetchOnce(input, options);
    } catch (error) {
      if (!isCertificateError(error) || !trustSystemCertificates()) throw error;
      // The handshake failed, so nothing was sent yet: asking again is safe.
      return fetchOnce(input, options);
    }
  });
}

const nodeFetch = globalThis.fetch;

/** The light way where it leads to the same; Node's own knows proxies, and somebody who replaced it wants to be asked. */
function fetchOnce(...fetchArguments: Parameters<typeof fetch>): Promise<Response> {
  const plain = isProxyActive() || globalThis.fetch !== nodeFetch ? null : toPlainRequest(...fetchArguments);
  if (plain) return httpFetch(plain);
  return globalThis.fetch === nodeFetch
    ? fetch(fetchArguments[0], disableTimeouts(fetchArguments[1]))
    : fetch(...fetchArguments);
}

// Node's own gives up after five minutes without headers, or between two pieces. Whoever asks has limits of their own.
function disableTimeouts(options: RequestInit = {}): RequestInit {
  // Reading it has Node load its `fetchPackage`, which sets the dispatcher.
  void globalThis.Response;
  const globalDispatcher = (globalThis as { readonly [DISPATCHER]?: Dispatcher })[DISPATCHER];
  if (!globalDispatcher) return options;
  const dispatch: Dispatcher["dispatch"] = (dispatchOptions, handler) =>
    globalDispatcher.dispatch({ ...dispatchOptions, ...NO_TIMEOUTS }, handler);
  return { ...options, dispatcher: { dispatch } } as RequestInit;
}

const DISPATCHER = Symbol.for("undici.globalDispatcher.1");
const NO_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 };

/** The part of Node's `fetchPackage` that sends a request. */
interface Dispatcher {
  dispatch(sent: object, handler: unknown): boolean;
}

const UNTRUSTED_CODES = new Set([
  ...["SELF_SIGNED_CERT_IN_CHAIN", "DEPTH_ZERO_SELF_SIGNED_CERT", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  ...["UNABLE_TO_GET_ISSUER_CERT", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"],
]);

function isCertificateError(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && UNTRUSTED_CODES.has(String(cause.code));
}

export type Environment = Readonly<Record<string, string | undefined>>;
