/** Provides a `fetch` that uses the environment's proxy and, if needed, the system's certificates, and bounds its responses. */

import { httpFetch } from "./http-client.ts";
import { toPlainRequest } from "./http-request.ts";
import { limitResponses } from "./response-limits.ts";

/** Proxy and certificates apply to the whole process. */
export function createNetworkFetch(environment: Environment): typeof fetch {
  installProxy(environment);
  return limitResponses(async (input, options) => {
    try {
      return await fetchOnce(input, options);
    } catch (error) {
      if (!isCertificateError(error) || !trustSystemCertificates()) throw error;
      // The handshake failed before anything was sent, so a retry is safe.
      return fetchOnce(input, options);
    }
  });
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Uses the small client where it does the same. Node's `fetch` is needed for proxies, and a replaced global `fetch` is respected. */
function fetchOnce(...fetchArguments: Parameters<typeof fetch>): Promise<Response> {
  const plain = isProxyActive() || globalThis.fetch !== nodeFetch ? null : toPlainRequest(...fetchArguments);
  if (plain) return httpFetch(plain);
  return globalThis.fetch === nodeFetch
    ? fetch(fetchArguments[0], disableTimeouts(fetchArguments[1]))
    : fetch(...fetchArguments);
}

const nodeFetch = globalThis.fetch;

// Node's `fetch` fails after five minutes without headers or data. The caller has its own timeouts.
function disableTimeouts(options: RequestInit = {}): RequestInit {
  // Reading the global makes Node load its `fetch`, which sets the dispatcher.
  void globalThis.Response;
  const globalDispatcher = (globalThis as { readonly [DISPATCHER]?: Dispatcher })[DISPATCHER];
  if (!globalDispatcher) return options;
  const dispatch: Dispatcher["dispatch"] = (dispatchOptions, handler) =>
    globalDispatcher.dispatch({ ...dispatchOptions, ...NO_TIMEOUTS }, handler);
  return { ...options, dispatcher: { dispatch } } as RequestInit;
}

const DISPATCHER = Symbol.for("undici.globalDispatcher.1");
const NO_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 };

/** The part of Node's `fetch` that sends a request. */
interface Dispatcher {
  dispatch(options: object, handler: unknown): boolean;
}

function isCertificateError(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && UNTRUSTED_CODES.has(String(cause.code));
}

const UNTRUSTED_CODES = new Set([
  ...["SELF_SIGNED_CERT_IN_CHAIN", "DEPTH_ZERO_SELF_SIGNED_CERT", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  ...["UNABLE_TO_GET_ISSUER_CERT", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"],
]);

let hasSystemCertificates = false;

/**
 * Adds the system's certificates to Node's. Reading them takes 100 ms, so this happens only after a certificate error.
 * False if this version of Node does not support it.
 */
function trustSystemCertificates(): boolean {
  if (hasSystemCertificates) return true;
  const tls = process.getBuiltinModule("node:tls");
  if (typeof tls.setDefaultCACertificates !== "function") return false;
  hasSystemCertificates = true;
  const certificates = [...tls.getCACertificates("default"), ...tls.getCACertificates("system")];
  tls.setDefaultCACertificates([...new Set(certificates)]);
  return true;
}

let installedProxy = "";

/** Sets the proxy of the whole process, since Node has one for all requests. Sets the same proxy only once. */
function installProxy(environment: Environment): void {
  if (detectProxy(environment) !== "used" || process.env.NODE_USE_ENV_PROXY === "1") return;
  const settings = { ...readProxyVariables(environment), no_proxy: formatNoProxy(environment) };
  if (installedProxy === JSON.stringify(settings)) return;
  installedProxy = JSON.stringify(settings);
  proxySupport().setGlobalProxyFromEnv?.(settings);
}

/** Whether the environment names a proxy, and whether Node can use it. Changes nothing. */
export function detectProxy(environment: Environment): ProxyStatus {
  const proxies = Object.values(readProxyVariables(environment));
  if (proxies.length === 0) return "none";
  if (proxies.some((proxy) => URL.parse(proxy) === null)) return "invalid";
  const isSupported = process.env.NODE_USE_ENV_PROXY === "1" || proxySupport().setGlobalProxyFromEnv !== undefined;
  return isSupported ? "used" : "unsupported";
}

export type ProxyStatus = "used" | "none" | "invalid" | "unsupported";

/** Messages for the user. They do not contain the proxy's address, which may include a password. */
export const proxyNotes: Readonly<Partial<Record<ProxyStatus, string>>> = {
  invalid: "the proxy address in the environment is invalid and is ignored; write http://host:port",
  unsupported:
    "this version of Node does not use the proxy from the environment; set NODE_USE_ENV_PROXY=1, or use Node 24",
};

/** Whether Node's `fetch` may use a proxy, set here or by an option or variable of Node. */
function isProxyActive(): boolean {
  const { NODE_USE_ENV_PROXY, NODE_OPTIONS = "" } = process.env;
  const isRequested = [NODE_OPTIONS, ...process.execArgv].some((option) => option.includes("--use-env-proxy"));
  return installedProxy !== "" || NODE_USE_ENV_PROXY === "1" || isRequested;
}

/** Requests to this machine never use the proxy. */
function formatNoProxy({ no_proxy, NO_PROXY }: Environment): string {
  return [no_proxy ?? NO_PROXY, "localhost", "127.0.0.1", "[::1]"].filter((each) => each).join(",");
}

// Loaded on demand, so that a program without a proxy does not load `node:http`.
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

/** The scheme is often missing. */
function addScheme(address: string): string {
  return /^[a-z]+:\/\//i.test(address) ? address : `http://${address}`;
}
