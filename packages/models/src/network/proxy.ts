/** The proxy that HTTPS_PROXY and HTTP_PROXY name, but not for the hosts of NO_PROXY. */

import type { Environment } from "./environment.ts";

/** Says what it could not do, so that nobody wonders why requests go past the proxy. */
export function useProxy(environment: Environment): ProxyUse {
  const proxies = proxyVariables(environment);
  if (Object.keys(proxies).length === 0) return "none";
  if (Object.values(proxies).some((proxy) => URL.parse(proxy) === null)) return "invalid";
  if (process.env.NODE_USE_ENV_PROXY === "1") return "used";
  // Loaded here: a program without a proxy need not wait for it.
  const http: ProxySupport = process.getBuiltinModule("node:http");
  if (!http.setGlobalProxyFromEnv) return "unsupported";
  http.setGlobalProxyFromEnv({ ...proxies, no_proxy: exceptions(environment) });
  return "used";
}

export type ProxyUse = "used" | "none" | "invalid" | "unsupported";

/** For people; nothing of a proxy's address, which may hold a password. */
export const proxyNotes: Readonly<Partial<Record<ProxyUse, string>>> = {
  invalid: "the proxy that the environment names is no address, and is not used; write http://host:port",
  unsupported: "this Node cannot use the proxy that the environment names; set NODE_USE_ENV_PROXY=1, or use Node 24",
};

/** One's own machine is never behind a proxy. */
function exceptions({ no_proxy, NO_PROXY }: Environment): string {
  return [no_proxy ?? NO_PROXY, "localhost", "127.0.0.1", "[::1]"].filter((each) => each).join(",");
}

/** Since Node 24. */
interface ProxySupport {
  readonly setGlobalProxyFromEnv?: (environment: Environment) => unknown;
}

function proxyVariables(environment: Environment): Readonly<Record<string, string>> {
  const names = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] ? [[name, withScheme(environment[name])]] : [])),
  );
}

/** Many write only host and port. */
function withScheme(address: string): string {
  return /^[a-z]+:\/\//i.test(address) ? address : `http://${address}`;
}
